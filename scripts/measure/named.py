"""How often `telar ab --why` names a planted change rightly: real services, real profiles.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/named.py OUT \\
        [--rounds 10] [--only CHANGE…] [--clock cpu-clock]

Each change is planted in one and the same base, which is HEAD with what the changes need: a library, a
cache, a method with some work. In a round the base and all changes are started on fresh databases, warmed up
as the suite pull-request says, and stay up. Then come the windows of `telar ab --why` (run/http/profiled.py,
run/http/timed.py), over all services and back again, and each change is judged against the base as a
comparison of these two would be. Embedded engine, JDK 25. OUT gets a folder a round: `found.json`, and the
profiles. A round that is there isn't measured. Prints a table of all.
"""

from __future__ import annotations

import argparse
import re
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

import msgspec
import slower

from telar.analyse import timed, why
from telar.analyse.timed import Timed, Window
from telar.analyse.why import Why
from telar.build.methods import Touched
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.cli.explaining import touched_methods
from telar.plan.cells import Pair, Plan, PlannedRun, Wishes, make_plan
from telar.publish.why import named
from telar.run.embedded import EmbeddedEngine
from telar.run.http import profiled
from telar.run.http import timed as timing
from telar.run.http.cell import CellRun
from telar.run.pair import SHIFT
from telar.run.session import alone, require_ports

ROOT = Path(__file__).resolve().parents[2]
VARIANT = "spring-mysql-blocking-virtual"
BASE, CHANGE = "base", "a planted change"
FOUND = "found.json"
JSON, SERVICE, API = (slower.CODE + f"Movie{name}.java" for name in ("Json", "Service", "Controller"))
POM = "apps/movies/spring-mysql-blocking/pom.xml"
LIBRARY = (
    "<groupId>com.google.re2j</groupId>\n      <artifactId>re2j</artifactId>\n      <version>{}</version>"
)
SEARCHES = 60  # in each movie that is answered: about five of a hundred of all processor time (OUT says)
WORDS = "int searches = {};"

# What the changes need. Its searches of sorted numbers are work that no compiler can leave out.
PLANTED: tuple[slower.Edit, ...] = (
    (POM, "  <dependencies>\n", "  <dependencies>\n    <dependency>\n      "
     + LIBRARY.format("{new}") + "\n    </dependency>\n"),
    (JSON, "    static MovieJson of(Movie movie) {\n",
     "    private static final com.google.re2j.Pattern WORDS =\n"
     '            com.google.re2j.Pattern.compile("(\\\\w+) (of|the|and) (\\\\w+)");\n'
     "    private static final int[] KNOWN =\n"
     "            java.util.stream.IntStream.range(0, 1 << 14).map(i -> 3 * i).toArray();\n\n"
     "    static MovieJson of(Movie movie) {\n"
     "        String text = String.valueOf(movie.details().overview());\n"
     "        boolean worded = WORDS.matcher(text).find();\n"
     "        if (weight(movie.id()) == Integer.MIN_VALUE && worded) {\n"
     "            throw new IllegalStateException();\n"
     "        }\n"),
    (JSON, "        return new MovieJson(movie.id().toString(), movie.details());\n    }\n",
     "        return new MovieJson(movie.id().toString(), movie.details());\n    }\n\n"
     "    private static int weight(Long id) {\n"
     "        int found = 0;\n        int next = id.hashCode();\n"
     f"        {WORDS.format(SEARCHES)}\n"
     "        for (int i = 0; i < searches; i++) {\n"
     "            next = next * 1664525 + 1013904223;\n"
     "            found += java.util.Arrays.binarySearch(KNOWN, (next >>> 8) % (3 << 14));\n"
     "        }\n        return found;\n    }\n"),
    (SERVICE, "    Movie find(long id) {\n        return movies.findById(id)",
     "    private final java.util.Map<Long, Movie> known = "
     "new java.util.concurrent.ConcurrentHashMap<>();\n\n"
     "    Movie find(long id) {\n"
     "        Movie found = known.get(id);\n"
     "        if (found == null) {\n"
     "            found = read(id);\n"
     "            known.put(id, found);\n"
     "        }\n        return found;\n    }\n\n"
     "    Movie read(long id) {\n        return movies.findById(id)"),
    (SERVICE, "        Movie movie = find(id);\n        movie.replace",
     "        Movie movie = read(id);\n        known.remove(id);\n        movie.replace"),
    (SERVICE, "        Movie movie = find(id);\n        movie.rate",
     "        Movie movie = read(id);\n        known.remove(id);\n        movie.rate"),
    (SERVICE, "        if (movies.deleteMovie", "        known.remove(id);\n        if (movies.deleteMovie"),
)  # fmt: skip
NEW, OLD = "1.5", "1.1"  # of the library: the older one needs twice as long for these words


class Change(msgspec.Struct, frozen=True):
    """`right`: what must come first, as `named()` and `word: method` have it; empty: nothing may be named."""

    edits: tuple[slower.Edit, ...]
    by: Literal["profile", "timing"]
    right: str = ""


def _searches(count: int) -> slower.Edit:
    return (JSON, WORDS.format(SEARCHES), WORDS.format(count))


SAME = (  # another way to write what is there
    (SERVICE, "        return movies.findAllBy(page);",
     "        List<Movie> found = movies.findAllBy(page);\n        return found;"),
    (SERVICE, "        Movie found = known.get(id);\n        if (found == null) {",
     "        Movie found = known.get(id);\n        boolean none = found == null;\n        if (none) {"),
    (API, "        MovieJson created = ", "        MovieJson made = "),
    (API, "created.id())).body(created)", "made.id())).body(made)"),
    (API, slower.FIND, "Movie found = movies.find(MovieId.parse(id));\n        return MovieJson.of(found);"),
    (JSON, "        int found = 0;\n", "        int found = 1 - 1;\n"),
)  # fmt: skip
WEIGHT = r"(Arrays\.binarySearch.*, for )?MovieJson\.(weight|of)\b"
CHANGES = {
    "nothing, profiled": Change(SAME, "profile"),
    "5 % CPU": Change((_searches(2 * SEARCHES),), "profile", WEIGHT),
    "10 % CPU": Change((_searches(3 * SEARCHES),), "profile", WEIGHT),
    "a second JSON pass": Change(
        (
            (API, "    MovieJson find(@PathVariable String id) {\n        " + slower.FIND,
             "    tools.jackson.databind.JsonNode find(@PathVariable String id) {\n"
             "        return again(MovieJson.of(movies.find(MovieId.parse(id))));"),
            (API, "    @GetMapping\n",
             "    private static final tools.jackson.databind.json.JsonMapper MAPPER =\n"
             "            tools.jackson.databind.json.JsonMapper.builder()\n"
             "                    .disable(tools.jackson.databind.MapperFeature"
             ".SORT_PROPERTIES_ALPHABETICALLY)\n"
             "                    .build();\n\n"
             "    private static tools.jackson.databind.JsonNode again(MovieJson found) {\n"
             "        return MAPPER.readTree(MAPPER.writeValueAsBytes(found));\n"
             "    }\n\n    @GetMapping\n"),
        ),
        "profile", r"MovieController\.(again|find)\b|.*, for MovieController\.(again|find)$",
    ),
    "a library's slower regex": Change(
        ((POM, LIBRARY.format(NEW), LIBRARY.format(OLD)),),
        "profile", r"(Machine|Matcher|Pattern|RE2|Inst|Utils)\S*\.",
    ),
    "nothing, timed": Change(SAME, "timing"),
    "n + 1": Change(
        ((API, ".map(MovieJson::of)", ".map(m -> movies.find(m.id())).map(MovieJson::of)"),),
        "timing", r"slower: \S+MovieController\.page$|called more: \S+MovieService\.find$",
    ),
    "a lost cache": Change(
        ((SERVICE, "        Movie found = known.get(id);\n", "        Movie found = null;\n"),),
        "timing", r"slower: \S+MovieService\.find$|called more: \S+MovieService\.read$",
    ),
    "2 ms under a lock": Change(
        ((SERVICE, "        return movies.findAllBy(page);",
          "        synchronized (known) {\n"
          "            java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);\n"
          "        }\n        return movies.findAllBy(page);"),),
        "timing", r"slower: \S+MovieService\.page$",
    ),
    "a method of 5 %, a fifth slower": Change(
        (_searches(SEARCHES * 6 // 5),), "timing", r"slower: \S+MovieJson\.(weight|of)$",
    ),
}  # fmt: skip


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """Of one change in one round. `why` of what is profiled, `timed` of what is timed."""

    change: str
    why: Why | None = None
    timed: tuple[Timed, ...] = ()

    @property
    def first(self) -> str:
        """As a reader meets it; empty where nothing is named."""
        if self.why:
            return next((named(each) for each in (*self.why.cpu, *self.why.allocated)), "")
        return next((f"{each.word}: {each.method}" for each in self.timed if each.word), "")

    @property
    def right(self) -> bool:
        wanted = CHANGES[self.change].right
        return bool(re.match(wanted, self.first)) if wanted else not self.first


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=tuple(CHANGES), default=tuple(CHANGES))
    parser.add_argument("--clock", default=profiled.CLOCK, help="async-profiler's event (%(default)s)")
    said = parser.parse_args()
    catalog, engine = load(ROOT), EmbeddedEngine(load(ROOT))
    services = commits(said.only)
    plan = make_plan(catalog, Wishes(suite="pull-request", engine="embedded", only=(VARIANT,), repeat=1))
    (first,) = plan.runs
    planned = {
        name: msgspec.structs.replace(
            first,
            cell=msgspec.structs.replace(first.cell, revision=revision),
            pair=Pair(fork=1, window=1, side="a" if name == BASE else "b"),
        )
        for name, revision in services.items()
    }
    with alone(catalog):
        require_ports(catalog, pairs=True)
        try:
            engine.prepare([run.cell for run in planned.values()], print)
            for n in range(1, said.rounds + 1):
                if not (said.out / f"{n}" / FOUND).exists():
                    of_round(catalog, engine, plan, planned, said.out / f"{n}", said.clock)
        finally:
            engine.close()
    tell(said.out)


def commits(changes: Sequence[str]) -> dict[str, str]:
    """Service -> its commit. Changes that are one and the same share a service."""
    planted = tuple((file, there, instead.replace("{new}", NEW)) for file, there, instead in PLANTED)
    base = slower.changed("HEAD", planted, BASE)
    return {BASE: base} | {name: slower.changed(base, CHANGES[name].edits, CHANGE) for name in changes}


def of_round(
    catalog: Catalog,
    engine: EmbeddedEngine,
    plan: Plan,
    planned: Mapping[str, PlannedRun],
    folder: Path,
    clock: str,
) -> None:
    """All services up and warm, their windows, and what is said of each change."""
    shutil.rmtree(folder, ignore_errors=True)  # of a round that didn't end
    with ExitStack() as all_of_them:
        up: dict[str, CellRun] = {}
        of_commit: dict[str, CellRun] = {}
        for name, run in planned.items():
            if run.cell.revision in of_commit:
                up[name] = of_commit[run.cell.revision]
                continue
            up[name] = of_commit[run.cell.revision] = CellRun(
                catalog,
                engine,
                plan,
                run,
                session="named",
                folder=folder / "logs" / name,
                progress=lambda _: None,
                supersede=lambda *_: None,
                shift=SHIFT * len(of_commit),
            )
            all_of_them.callback(up[name].close)
            failed = up[name].begin()
            if failed and failed.stopped:
                raise SystemExit(f"{name}: {failed.stopped.phase}: {failed.stopped.error}")
            print(f"{name}: up and warm", flush=True)
        found = [*_profiled(up, planned, folder, clock), *_timed(catalog, up, planned)]
    (folder / FOUND).write_bytes(msgspec.json.encode(found))
    shutil.rmtree(folder / "logs")
    for each in found:
        by = f" ({each.why.clock})" if each.why else ""
        print(f"{'right' if each.right else 'WRONG'}  {each.change}{by}: {each.first or '–'}", flush=True)


def _by(up: Mapping[str, CellRun], by: str) -> dict[str, CellRun]:
    return {name: run for name, run in up.items() if name == BASE or CHANGES[name].by == by}


def _profiled(
    up: Mapping[str, CellRun], planned: Mapping[str, PlannedRun], folder: Path, clock: str
) -> list[Found]:
    own = _by(up, "profile")
    made = profiled.sample(own, planned, folder / "profiles", order=(*own, *reversed(own)), clock=clock)
    windows = {name: [(w.record, w.profile) for w in made.windows if w.side == name] for name in own}
    return [
        Found(
            change=name,
            why=why.explain(
                planned[name].cell,
                windows[BASE],
                windows[name],
                {},
                packages=made.packages,
                clock=clock,
                seconds=made.seconds,
            ),
        )
        for name in own
        if name != BASE
    ]


def _timed(catalog: Catalog, up: Mapping[str, CellRun], planned: Mapping[str, PlannedRun]) -> list[Found]:
    own = _by(up, "timing")
    touched = {
        name: touched_methods(catalog, {"a": own[BASE], "b": run})
        for name, run in own.items()
        if name != BASE
    }
    every = dict.fromkeys(
        m for side in ("changed", "called") for each in touched.values() for m in sorted(getattr(each, side))
    )
    made = timing.measure(own, planned, tuple(every), order=(*own, *reversed(own)))
    return [
        Found(
            change=name,
            timed=tuple(timed.compare(*(_of(made[side], each) for side in (BASE, name)), called=each.called)),
        )
        for name, each in touched.items()
    ]


def _of(windows: Sequence[Window], touched: Touched) -> list[Window]:
    """With the methods of one change alone: a comparison would have timed no others."""
    wanted = touched.changed | touched.called
    return [
        Window(
            requests=w.requests, seconds=w.seconds, calls={m: c for m, c in w.calls.items() if m in wanted}
        )
        for w in windows
    ]


def tell(out: Path) -> None:
    by_change: dict[tuple[str, str], list[Found]] = defaultdict(list)
    for path in sorted(out.glob(f"*/{FOUND}")):
        for each in msgspec.json.decode(path.read_bytes(), type=list[Found]):
            by_change[each.change, each.why.clock if each.why else "counted"].append(each)
    print("\n| change | by | right | named first |\n|---|---|--:|---|")
    for (change, by), every in by_change.items():
        firsts: dict[str, int] = defaultdict(int)
        for each in every:
            firsts[each.first or "nothing"] += 1
        said = ", ".join(f"{name} ({n})" for name, n in sorted(firsts.items(), key=lambda item: -item[1]))
        print(f"| {change} | {by} | {sum(each.right for each in every)} of {len(every)} | {said} |")


if __name__ == "__main__":
    main()

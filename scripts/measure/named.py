"""How often `telar ab --why` names a planted change rightly: real services, real profiles.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/named.py OUT \\
        [--rounds 10] [--only CHANGE…] [--clock cpu-clock]

Each change is planted in one and the same base, which is HEAD with what the changes need: a library, a
cache, a method with some work. In a round the base and all changes are started on fresh databases, warmed up
as the suite pull-request says, and stay up. Then come the windows of `telar ab --why`: those with the
profiler (run/http/profiled.py) over all services and back again, those with timed methods (run/http/timed.py)
of each change beside the base, as a comparison of these two has them. Embedded engine, JDK 25. OUT gets a
folder a round with all that was measured: a round that is there isn't measured, but judged again. One that
was ended early counts with the changes that it came to. What was said in a round is in its said.json, which
is small and kept with the reference data: a folder with nothing else counts as it stands. Prints a table of
all.
"""

from __future__ import annotations

import argparse
import re
import shutil
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import slower

from telar.analyse import timed, why
from telar.analyse.timed import Window
from telar.analyse.why import Why
from telar.build import libraries
from telar.build.methods import Touched
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.cli.explaining import summed, touched_methods
from telar.collect import profile
from telar.plan.cells import Cell, Pair, Plan, PlannedRun, Wishes, make_plan
from telar.publish import why as published
from telar.run.embedded import EmbeddedEngine
from telar.run.http import profiled
from telar.run.http import timed as timing
from telar.run.http.cell import CellRun
from telar.run.pair import SHIFT
from telar.run.session import alone, require_ports
from telar.store.record import Record

ROOT = Path(__file__).resolve().parents[2]
VARIANT = "spring-mysql-blocking-virtual"
BASE, CHANGE = "base", "a planted change"
MEASURED, PROFILES, SAID = "measured.json", "profiles", "said.json"
JSON, SERVICE, API = (slower.CODE + f"Movie{name}.java" for name in ("Json", "Service", "Controller"))
POM = "apps/movies/spring-mysql-blocking/pom.xml"
LIBRARY = (
    "<groupId>com.google.re2j</groupId>\n      <artifactId>re2j</artifactId>\n      <version>{}</version>"
)
SEARCHES = 190  # in each movie that is answered: about five of a hundred of 0.8 ms of processor time
WORDS = "int searches = {};"

# What the changes need. Its searches of sorted numbers are work that no compiler can leave out.
PLANTED: tuple[slower.Edit, ...] = (
    (POM, "  <dependencies>\n", "  <dependencies>\n    <dependency>\n      "
     + LIBRARY.format("{new}") + "\n    </dependency>\n"),
    (JSON, "    static MovieJson of(Movie movie) {\n",
     "    private static final com.google.re2j.Pattern SUBJECTS =\n"
     '            com.google.re2j.Pattern.compile("(?i)\\\\b(war|love|death|life)\\\\b");\n'
     "    private static final int[] KNOWN =\n"
     "            java.util.stream.IntStream.range(0, 1 << 14).map(i -> 3 * i).toArray();\n\n"
     "    static MovieJson of(Movie movie) {\n"
     "        String text = String.valueOf(movie.details().overview());\n"
     "        boolean subject = SUBJECTS.matcher(text).find();\n"
     "        if (weight(movie.id()) == Integer.MIN_VALUE && subject) {\n"
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
# Of the library. For these words the older one needs nearly twice as long: 10 µs more, five times a request.
NEW, OLD = "1.8", "1.1"


class Change(msgspec.Struct, frozen=True):
    """`right`: how the first line must begin, as publish/why.py says it."""

    edits: tuple[slower.Edit, ...]
    right: str


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
WEIGHT = r"MovieJson\.(weight|of) is slower|(Arrays\.binarySearch\w*, for )?MovieJson\.(weight|of), \+"
NOTHING = "no method surely differs"
CHANGES = {
    "nothing": Change(SAME, NOTHING),
    "cpu-3": Change((_searches(SEARCHES * 8 // 5),), WEIGHT),
    "cpu-5": Change((_searches(SEARCHES * 2),), WEIGHT),
    "cpu-10": Change((_searches(SEARCHES * 3),), WEIGHT),
    "second-json-pass": Change(
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
        r"MovieController\.(again|find) is (new|slower)|(.*, for )?MovieController\.(again|find), \+",
    ),
    "slower-regex": Change(
        ((POM, LIBRARY.format(NEW), LIBRARY.format(OLD)),),
        r"(Matcher|Pattern)\.\w+ is slower|(Machine|Matcher|Pattern|RE2|Inst)\S*\.\w+, for MovieJson\.of, \+",
    ),
    "n-plus-1": Change(
        ((API, ".map(MovieJson::of)", ".map(m -> movies.find(m.id())).map(MovieJson::of)"),),
        r"MovieController\.page is slower|MovieService\.find is called more",
    ),
    "lost-cache": Change(
        ((SERVICE, "        Movie found = known.get(id);\n", "        Movie found = null;\n"),),
        r"MovieService\.find is slower|MovieService\.read is called more",
    ),
    "lock-of-2-ms": Change(
        ((SERVICE, "        return movies.findAllBy(page);",
          "        synchronized (known) {\n"
          "            java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);\n"
          "        }\n        return movies.findAllBy(page);"),),
        r"MovieService\.page is slower",
    ),
    "a-fifth": Change((_searches(SEARCHES * 6 // 5),), r"MovieJson\.(weight|of) is slower"),
}  # fmt: skip


class Sampled(msgspec.Struct, frozen=True, kw_only=True):
    """A profiled window. `file`: its profile's name."""

    side: str
    file: str
    record: Record


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """All that was measured in a round: what is said of it can be found again with other rules."""

    cell: Cell
    clock: str
    packages: frozenset[str]
    seconds: float  # that all profiled windows took
    profiled: tuple[Sampled, ...]
    timed: dict[str, dict[str, list[Window]]]  # change -> side (`a`, `b`) -> its windows
    touched: dict[str, Touched]  # change -> its methods


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """What a round's comparisons named first, and where it was measured."""

    at: datetime
    machine: str  # its processor's name
    commit: str  # of Telar: the base is planted in it
    first: dict[str, str]  # change -> the first line


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=tuple(CHANGES), default=tuple(CHANGES))
    parser.add_argument("--clock", default=profiled.TICKS, help="async-profiler's event (%(default)s)")
    said = parser.parse_args()
    catalog = load(ROOT)
    engine = EmbeddedEngine(catalog)
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
                if not any((said.out / f"{n}" / each).exists() for each in (MEASURED, SAID)):
                    of_round(catalog, engine, plan, planned, said.out / f"{n}", said.clock)
        finally:
            engine.close()
    tell(said.out)


def commits(changes: Sequence[str]) -> dict[str, str]:
    """Service -> its commit."""
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
    """All services up and warm, their windows, kept."""
    shutil.rmtree(folder, ignore_errors=True)  # of a round that didn't end
    with ExitStack() as all_of_them:
        up: dict[str, CellRun] = {}
        for name, run in planned.items():
            up[name] = CellRun(
                catalog,
                engine,
                plan,
                run,
                session="named",
                folder=folder / "logs" / name,
                progress=lambda _: None,
                supersede=lambda *_: None,
                shift=SHIFT * len(up),
            )
            all_of_them.callback(up[name].close)
            failed = up[name].begin()
            if failed and failed.stopped:
                raise SystemExit(f"{name}: {failed.stopped.phase}: {failed.stopped.error}")
            print(f"{name}: up and warm", flush=True)
        order = (*up, *reversed(up))  # what drifts falls on all alike
        made = profiled.sample(up, planned, folder / PROFILES, order=order, clock=clock)
        touched = {name: _touched(catalog, up, name, made.windows) for name in up if name != BASE}
        methods = {name: (*sorted(own.changed), *sorted(own.called)) for name, own in touched.items()}
        for name, own in methods.items():
            if len(own) > timing.MOST:
                raise SystemExit(f"{name}: {len(own)} methods: no more than {timing.MOST} are timed")
        calls: dict[str, dict[str, list[Window]]] = {}
        for name, own in methods.items():
            calls[name] = timing.measure(
                {"a": up[BASE], "b": up[name]}, {"a": planned[BASE], "b": planned[name]}, own
            )
            measured = Round(
                cell=planned[BASE].cell,
                clock=clock,
                packages=made.packages,
                seconds=made.seconds,
                profiled=tuple(Sampled(side=w.side, file=w.file.name, record=w.record) for w in made.windows),
                timed=calls,
                touched={each: touched[each] for each in calls},
            )
            # After each change: a round that is ended early keeps what it has.
            (folder / MEASURED).write_bytes(msgspec.json.encode(measured))
    shutil.rmtree(folder / "logs")
    for name, first_line in said_of(folder).first.items():
        print(f"{'right' if is_right(name, first_line) else 'WRONG'}  {name}: {first_line}", flush=True)


def _touched(
    catalog: Catalog, up: Mapping[str, CellRun], name: str, windows: Sequence[profiled.Sampled]
) -> Touched:
    """As a comparison of these two alone would find it."""
    runs = {"a": up[BASE], "b": up[name]}
    stacks = summed([each for each in windows if each.side in (BASE, name)])
    differing = libraries.differing(*(profiled.own_jars(timing.pid_of(run)) for run in runs.values()))
    return touched_methods(catalog, runs, stacks, differing)


def is_right(change: str, said: str) -> bool:
    return bool(re.match(CHANGES[change].right, said))


def judged(folder: Path) -> dict[str, Why]:
    """What is said of each change of a round that was measured."""
    made = msgspec.json.decode((folder / MEASURED).read_bytes(), type=Round)
    windows: dict[str, list[why.Window]] = defaultdict(list)
    for each in made.profiled:
        windows[each.side].append(window(folder, each))
    return {name: _judged(made, windows[BASE], windows[name], name) for name in made.touched}


def window(folder: Path, sampled: Sampled) -> why.Window:
    """Of a round that was measured into this folder."""
    record = sampled.record
    assert record.load, "a window that didn't stop has it"
    assert record.series, "and this"
    start = record.series.start
    return record, profile.read(folder / PROFILES / sampled.file, start, start + record.load.seconds)


def _judged(made: Round, base: Sequence[why.Window], head: Sequence[why.Window], name: str) -> Why:
    found = why.explain(
        made.cell, base, head, {}, packages=made.packages, clock=made.clock, seconds=made.seconds
    )
    touched = made.touched[name]
    calls = made.timed[name]
    compared = timed.compare(calls["a"], calls["b"], called=touched.called)
    return msgspec.structs.replace(found, timed=tuple(compared))


def said_of(folder: Path) -> Said:
    """Judged again where all that was measured is there, and kept."""
    if not (folder / MEASURED).exists():
        return msgspec.json.decode((folder / SAID).read_bytes(), type=Said)
    record = msgspec.json.decode((folder / MEASURED).read_bytes(), type=Round).profiled[0].record
    said = Said(
        at=datetime.fromtimestamp(record.started, UTC),
        machine=record.provenance.machine.cpu_model,
        commit=record.provenance.commit,
        first={name: published.first(found) for name, found in judged(folder).items()},
    )
    (folder / SAID).write_bytes(msgspec.json.format(msgspec.json.encode(said), indent=1) + b"\n")
    return said


def tell(out: Path) -> None:
    by_change: dict[str, list[str]] = defaultdict(list)
    for folder in sorted({path.parent for name in (MEASURED, SAID) for path in out.glob(f"*/{name}")}):
        for name, said in said_of(folder).first.items():
            by_change[name].append(said)
    print("\n| change | right | the others |\n|---|--:|---|")
    for name, lines in by_change.items():
        wrong = [each for each in lines if not is_right(name, each)]
        print(f"| {name} | {len(lines) - len(wrong)} of {len(lines)} | {'; '.join(wrong)} |")


if __name__ == "__main__":
    main()

"""The profiled windows of a comparison: whether there are any, and what is kept of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import msgspec

from telar.analyse import stacks as stacks_of
from telar.analyse import threads, timed
from telar.analyse import why as whys
from telar.analyse.stacks import Stack
from telar.analyse.timed import Timed
from telar.analyse.why import Why
from telar.build import libraries, methods
from telar.build.libraries import Libraries
from telar.catalog.kinds import kind_of
from telar.catalog.types import Catalog
from telar.cli.common import console
from telar.errors import ConfigError, Interrupted, RunError, TelarError
from telar.plan.cells import Plan, PlannedRun
from telar.publish import why as published
from telar.run.http import profiled
from telar.run.http import timed as timing
from telar.run.http.cell import CellRun
from telar.store.files import Session, write_atomically
from telar.tools import components, git
from telar.words import many

KNOWN = "why.json"  # in a session's folder
PROFILED = "http"  # the kind of systems whose windows are profiled
ENTERED = 0.01  # of all samples: what a library that differs needs below that isn't worth a look


def require_possible(c: Catalog, plan: Plan) -> None:
    """Raises ConfigError where nothing of the plan can be profiled."""
    for cell in (run.cell for run in plan.runs):
        kind = kind_of(c, cell.label)
        if kind != PROFILED:
            raise ConfigError(
                f"--why: {cell.label} is of the kind {kind}, whose forks end with their measurement; "
                "profiled are windows on a service that stays up",
                hint="leave --why out; JMH has profilers of its own (-prof)",
            )


class Explaining:
    """What happens after a fork's last window, while its sides are still up (run/pair.py).

    `ended()`: whether the comparison is decided.
    """

    def __init__(
        self,
        catalog: Catalog,
        session: Session,
        *,
        ended: Callable[[], bool],
    ) -> None:
        self._catalog, self._session, self._ended = catalog, session, ended
        self._found: dict[str, Why] = {}

    def __call__(self, sides: Mapping[str, object], windows: Sequence[PlannedRun]) -> None:
        head = next(w for w in windows if w.pair and w.pair.side == "b")
        if not (self._is_last(head) or self._ended()):
            return
        try:
            self._found[head.cell.name] = self._explained(head, sides, windows)
        except Interrupted:
            raise
        except (TelarError, ValueError) as error:  # the comparison's own numbers are whole
            said = error.message if isinstance(error, TelarError) else str(error)
            self._found[head.cell.name] = Why(variant=head.cell.label, cell=head.cell.name, refused=said)

    def found(self) -> tuple[Why, ...]:
        """All, in the order of the plan; kept in the session's folder, too."""
        heads = {r.cell.name: r.cell.label for r in self._session.plan.runs if r.pair and r.pair.side == "b"}
        decided = "the comparison was decided while another variant was measured"
        found = tuple(
            self._found.get(cell, Why(variant=variant, cell=cell, refused=decided))
            for cell, variant in heads.items()
        )
        write_atomically(self._session.folder / KNOWN, msgspec.json.encode(found) + b"\n")
        return found

    def _explained(self, head: PlannedRun, sides: Mapping[str, object], windows: Sequence[PlannedRun]) -> Why:
        variant, pair = head.cell.label, head.pair
        assert pair
        console.print(f"{variant}: two more windows a side, under a profiler", style="dim", highlight=False)
        kept = self._session.folder / published.FOLDER / head.cell.name
        loads: dict[str, PlannedRun] = {w.pair.side: w for w in windows if w.pair}  # of each side the last
        same = [r for r in self._session.records() if r.pair and r.pair.fork == pair.fork]
        made = profiled.sample(sides, loads, kept, clock=profiled.clock_for(same))
        own = {side: [(w.record, w.profile) for w in made.windows if w.side == side] for side in ("a", "b")}
        found = whys.explain(
            head.cell,
            own["a"],
            own["b"],
            {side: [r for r in same if r.pair and r.pair.side == side] for side in ("a", "b")},
            packages=made.packages,
            clock=made.clock,
            seconds=made.seconds,
        )
        page = published.flame(
            *whys.per_request(own["a"], own["b"]),
            f"{variant}: CPU-ns per request, head against base",
            kept / "flame.html",
        )
        one, other = (
            threads.of_side(
                [w.record for w in made.windows if w.side == side],
                [sample for w in made.windows if w.side == side for sample in w.scheduler],
            )
            for side in ("a", "b")
        )
        found = msgspec.structs.replace(
            found, flame=str(page.relative_to(self._session.folder)), threads=(one, other)
        )
        runs = {side: run for side, run in sides.items() if isinstance(run, CellRun)}
        if not runs:
            return found
        stacks = summed(made.windows)
        differing = libraries.differing(
            *(profiled.own_jars(timing.pid_of(runs[side])) for side in ("a", "b"))
        )
        found = msgspec.structs.replace(found, libraries=differing.names)
        try:
            return msgspec.structs.replace(found, timed=tuple(self._timed(runs, loads, stacks, differing)))
        except Interrupted:
            raise
        except TelarError as error:  # what was profiled is whole
            return msgspec.structs.replace(found, untimed=error.message)

    def _timed(
        self,
        runs: Mapping[str, CellRun],
        loads: Mapping[str, PlannedRun],
        stacks: Mapping[Stack, float],
        differing: Libraries,
    ) -> list[Timed]:
        """Of the methods that differ between two commits, and those of the libraries that differ; none where
        neither does. `stacks`: samples of each, by which those are chosen that cost most. Raises TelarError
        where they can't be timed.
        """
        base, head = (runs[side].stack.cell for side in ("a", "b"))
        if base.revision == head.revision and not differing.names:
            return []
        if min(int(cell.jdk) for cell in (base, head)) < timing.FIRST:
            raise RunError(f"the JVM times methods from JDK {timing.FIRST} on")
        if not self._catalog.file.jvm.recording:
            raise RunError("the JVM's recording is off, which would have the times")
        touched = touched_methods(self._catalog, runs, stacks, differing)
        if not touched.changed:
            also = " and has no samples in a library that differs" if differing.names else ""
            raise RunError(f"the change touches no method of the service's own classes{also}")
        busy = dict[str, float]()
        for stack, samples in stacks.items():
            for method in set(stack):
                busy[method] = busy.get(method, 0.0) + samples

        def most(found: Collection[str]) -> list[str]:
            return sorted(found, key=lambda m: (-busy.get(m.replace("::", "."), 0), m))

        wanted = [*most(touched.changed), *most(touched.called)]
        console.print(
            f"{many(len(touched.changed), 'method')} of the change and {len(touched.called)} that they call, "
            "timed by the JVM",
            style="dim",
            highlight=False,
        )
        made = timing.measure(runs, loads, wanted)
        found = timed.compare(made["a"], made["b"], called=touched.called)
        if not found:
            raise RunError("no method of the change was called in these windows")
        return found

    def _is_last(self, head: PlannedRun) -> bool:
        """Whether no other fork of its cell is still to come."""
        runs = self._session.plan.runs
        forks = [r.pair.fork for r in runs if r.pair and r.pair.side == "b" and r.cell.name == head.cell.name]
        return head.pair is not None and head.pair.fork == max(forks)


def touched_methods(
    c: Catalog, runs: Mapping[str, CellRun], stacks: Mapping[Stack, float], differing: Libraries
) -> methods.Touched:
    """Of two services that are up (`a`, `b`), the methods in which their commits differ, and those of their
    own packages that these call. Of the libraries that differ, the methods that are called from elsewhere,
    by `stacks`, the samples of both: which of a library's methods were changed isn't known here.
    """
    jdk = components.ensure("jdk", lambda _: None).path
    # The checkout as it is comes last for git; its lines are the other side's then.
    sides = sorted(("a", "b"), key=lambda side: not runs[side].stack.cell.revision)
    first, second = (runs[side].stack.cell.revision for side in sides)
    changed = git.lines_changed(c.home, first, second, methods.SOURCES) if first != second else {}
    entered = stacks_of.entered(stacks, differing.classes, least=ENTERED)
    found = {"::".join(method.rsplit(".", 1)) for method in entered}
    called, packages = set[str](), set[str]()
    for place, side in enumerate(sides):
        pid = timing.pid_of(runs[side])
        lines = {path: own[place] for path, own in changed.items() if own[place]}
        own = methods.touched(jdk / "bin" / "javap", profiled.own_jars(pid), lines)
        found |= own.changed
        called |= own.called
        packages |= profiled.own_packages(pid)
    known = {m for m in called - found if m.partition("::")[0].rpartition(".")[0] in packages}
    return methods.Touched(frozenset(found), frozenset(known))


def summed(windows: Sequence[profiled.Sampled]) -> Counter[Stack]:
    """The samples of all, those of cut stacks under their callers."""
    found = Counter[Stack]()
    for own in stacks_of.mended([w.profile.cpu for w in windows]):
        found.update(own)
    return found


def read(folder: Path) -> tuple[Why, ...]:
    """What was found in this session. Raises ConfigError where it was never asked."""
    path = folder / KNOWN
    try:
        return msgspec.json.decode(path.read_bytes(), type=tuple[Why, ...])
    except OSError as error:
        raise ConfigError(
            f"{folder}: no window of this session was profiled",
            hint="telar ab --why profiles",
        ) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}", hint="telar ab wrote it; was it changed since?") from error

"""What `telar ab`, `attribute` and `bisect` share: sides from words, pairs of cells, a session of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from telar.analyse import again, verdicts
from telar.analyse.again import Question
from telar.analyse.budget import LEAST, Design, design
from telar.analyse.verdicts import Compared
from telar.analyse.why import Why
from telar.build import sources
from telar.catalog.types import Catalog
from telar.cli.common import console, root, wishes
from telar.cli.engines import engine_for
from telar.cli.explaining import Explaining
from telar.plan.cells import Cell, Plan, make_plan
from telar.plan.pairs import pair_runs
from telar.plan.sides import Side, cells_of, parse
from telar.publish.columns import metric_file
from telar.run import machine
from telar.run import session as sessions
from telar.run.progress import Progress
from telar.store import floors
from telar.store.files import Session, read_record
from telar.store.files import sessions as all_sessions
from telar.store.floors import Floors
from telar.store.record import Record
from telar.tools import git

LATE = 1.5  # times as long as was planned
SUITE = "pull-request"  # where the user names none
F = TypeVar("F", bound=Callable[..., Any])
Names = tuple[str, str]  # of the cells of base and head


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    session: Session
    records: list[Record]
    compared: list[Compared]
    minutes: float
    asked: int = 1  # how often the same was asked here, this time included
    why: tuple[Why, ...] = ()  # of the variants whose windows were profiled


def budget_option(default: str, what: str) -> Callable[[F], F]:
    return click.option("--budget", default=default, help=f"{what}, e.g. 5m, 1h.  [default: {default}]")


def known_floors(c: Catalog) -> Floors:
    """A guest's own, and those that come with Telar: what metrics are like elsewhere."""
    own = floors.read(c.data / floors.FLOORS)
    if c.guest is None:
        return own
    shipped = floors.read(root() / "benchmarks-data" / floors.FLOORS)
    return Floors(calibrations=(*own.calibrations, *shipped.calibrations))


def side(c: Catalog, option: str, words: Sequence[str]) -> Side:
    """What the words name. Of a commit, its own telar.toml says which driver versions there are, too."""
    own = c
    for name in (word for word in words if "=" not in word):
        own = sources.with_versions(own, git.commit_of(c.home, name))
    return parse(own, option, words, lambda name: git.commit_of(c.home, name))


def cells(c: Catalog, said: dict[str, Any], *sides: Side) -> tuple[Plan, list[Cell]]:
    """The suite's cells once, and the plan that they come from. Where each side names a variant, the suite's
    are none of the question."""
    named = [side.full for side in sides]
    only = said["only"] or (tuple(named[:1]) if all(named) else ())
    asked = {**said, "suite": said["suite"] or SUITE, "only": only, "repeat": 1}
    once = make_plan(c, wishes(c, **asked))
    return once, [run.cell for run in once.runs]


def plan_of(
    c: Catalog, once: Plan, pairs: Sequence[tuple[Cell, Cell]], budget: float, forks: int | None
) -> tuple[Plan, Design]:
    """A plan for pairs of cells; of those that are the same, one. `budget`: seconds for each pair of
    cells.
    """
    distinct = list({(a.name, b.name): (a, b) for a, b in pairs}.values())
    designed = design(c, once, distinct[0][0], budget, known_floors(c), machine.machine(""))
    designed = msgspec.structs.replace(designed, forks=forks or designed.forks)
    runs = pair_runs(
        distinct, forks=designed.forks, windows=designed.windows, seed=once.seed, warmups=once.warmups
    )
    return msgspec.structs.replace(once, runs=tuple(runs)), designed


def pairs_for(base: Side, head: Side, found: Sequence[Cell]) -> list[tuple[Cell, Cell]]:
    return cells_of(base, head, found)


def measure(
    c: Catalog,
    name: str,
    plan: Plan,
    designed: Design,
    kept: Path,
    *,
    verbose: bool,
    enough: Callable[[list[Compared]], bool],
    why: bool = False,
) -> Measured:
    """Runs a session of pairs until `enough` says so of what is known, or its end; then profiles, where
    `why` says so. Raises what a run raises.
    """
    engine = engine_for(c, plan.runs[0].cell.engine)
    sessions.require_disk(kept)
    with sessions.alone(c):
        pass  # what another telar keeps from beginning leaves no session behind
    session = Session.begin(kept, name, plan)
    planned = dict.fromkeys(_names(plan), designed.forks * designed.windows)
    console.print(
        f"[bold]{name}[/bold]: {len(planned)} comparisons, each with {designed.forks} forks of "
        f"{designed.windows} pairs, {engine.name} engine, {session.folder}",
        soft_wrap=True,
        highlight=False,
    )
    known, started = known_floors(c), time.monotonic()
    here = machine.machine("")
    if designed.forks == 1 and any(known.calibration(run.cell, here) is None for run in plan.runs):
        console.print(
            "its noise was never measured on such a machine, and one fork shows large changes alone: "
            "telar calibrate, or a longer --budget",
            style="yellow",
        )

    earlier = _asked_before(kept, session, name)

    def asked(records: Sequence[Record]) -> int:
        """Both sides' bytes are known once each has a window."""
        return 1 + earlier.count(again.question(records))

    def compared(*, ended: bool) -> list[Compared]:
        records = session.records()
        rules = again.stricter(c, asked(records))
        return verdicts.compare(rules, records, known, planned, ended=ended)

    def done() -> bool:
        found = compared(ended=False)
        if len(found) < len(planned):
            return False
        return enough(found) or is_over(session.records(), found, designed)

    progress = Progress(console, c, plan, verbose=verbose)
    explaining = Explaining(c, session, ended=done) if why else None
    records = sessions.run(c, engine, session, progress, enough=done, after=explaining)
    return Measured(
        session=session,
        records=records,
        compared=compared(ended=True),
        minutes=(time.monotonic() - started) / 60,
        asked=asked(records),
        why=explaining.found() if explaining else (),
    )


def is_over(records: Sequence[Record], compared: Sequence[Compared], designed: Design) -> bool:
    """Whether services took far longer to warm up than was foreseen, and each comparison has its least pairs.

    That it ends then isn't chosen by what was measured, so its verdict stands as that of any shorter session.
    """
    if records[0].kind != "http":  # of which each window is as long as foreseen
        return False
    seconds = max(r.finished for r in records) - min(r.started for r in records)
    late = seconds > LATE * designed.seconds * len(compared)
    return late and all(c.pairs + c.left_out >= LEAST for c in compared)


def _asked_before(kept: Path, session: Session, name: str) -> list[Question]:
    """What each earlier session of this kind asked: its first window of each cell says it."""
    found = []
    for other in all_sessions(kept):
        if other.folder != session.folder and other.folder.name.endswith(f"-{name}"):
            runs = {(r.pair.side, r.cell.name): r.name for r in reversed(other.plan.runs) if r.pair}
            found.append(
                again.question(read_record(other.record_path(n)) for n in runs.values() if other.has(n))
            )
    return found


def surest(c: Catalog, compared: Compared) -> str | None:
    """Of the metrics whose changes matter and that each window measures, that whose effect is the most of
    its errors.
    """
    every = (*compared.verdicts, *compared.beside)
    told = {v.metric: v.log for v in every if v.matters and not metric_file(c, v.metric).once}
    sure = {metric: abs(log[0]) / log[1] for metric, log in told.items() if log and log[1] > 0}
    return max(sure, key=lambda metric: sure[metric], default=None)


def _names(plan: Plan) -> list[Names]:
    forks: dict[int, dict[str, str]] = {}
    for run in plan.runs:
        if run.pair:
            forks.setdefault(run.pair.fork, {})[run.pair.side] = run.cell.name
    return list(dict.fromkeys((own["a"], own["b"]) for own in forks.values()))

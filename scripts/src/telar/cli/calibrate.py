"""`telar calibrate`: measures how much nothing differs from nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from telar.analyse.budget import CALIBRATED
from telar.analyse.budget import calibration as design
from telar.analyse.calibration import LEAST_FORKS, LEAST_PAIRS, alike
from telar.analyse.calibration import calibrate as calibrated
from telar.catalog.types import Catalog
from telar.cli import comparing
from telar.cli.common import (
    catalog,
    cell_options,
    console,
    data_folder,
    json_option,
    print_json,
    root,
    seconds_of,
)
from telar.cli.engines import engine_for
from telar.errors import ConfigError, RunError
from telar.gates import judged_again
from telar.plan.cells import require_known
from telar.plan.pairs import pair_runs
from telar.publish import document
from telar.publish.calibration import markdown, print_calibration
from telar.run import session as sessions
from telar.run.progress import Progress
from telar.store import floors
from telar.store.files import Session
from telar.store.files import sessions as all_sessions
from telar.store.record import Record

BUDGET = "25m"


@click.command()
@cell_options
@comparing.budget_option(BUDGET, "Time to spend on each variant, where --repeat doesn't say more")
@click.option(
    "--windows", type=click.IntRange(2, 1000), help=f"Pairs of windows in a round.  [default: {CALIBRATED}]"
)
@click.option("--resume", is_flag=True, help="Go on with the last calibration, or only reckon again.")
@click.option(
    "--add",
    "added",
    metavar="SESSION",
    multiple=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Earlier A/A pairs that count, too: a calibration, or telar ab of one build against itself.",
)
@click.option(
    "--write", is_flag=True, help="Keep the floors in benchmarks-data/reference/, and in docs/noise.md."
)
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@click.option("--verbose", "-v", is_flag=True, help="Print each command before it runs.")
@json_option
def calibrate(
    budget: str,
    windows: int | None,
    resume: bool,
    added: tuple[Path, ...],
    write: bool,
    data: Path | None,
    verbose: bool,
    as_json: bool,
    **said: Any,
) -> None:
    """Runs A/A pairs: one build against itself, both sides alive and warm, measured in turns.

    What differs between two that are the same is this machine's noise. From it follow each metric's tier and
    the smallest effect that so many pairs would show. Without more words the cells are those that telar ab
    compares by default, and with --write it knows their noise from then on. Each round has a pair of fresh
    JVMs of each cell (a fork): as many rounds as the budget holds. The more forks, the surer: with --add
    those of earlier sessions on this machine count as well.

    \b
    Examples:
      telar calibrate --write
      telar calibrate --only spring-mysql-blocking-virtual --write
      telar calibrate --only 'quarkus-mysql-*' --repeat 5 --windows 4
      telar calibrate --resume --write
      telar calibrate --resume --add benchmarks-data/local/20261121-071806-calibrate --write
    """
    c = catalog()
    console.stderr = as_json  # stdout is the machine's then
    kept = data_folder(data)
    session = (
        _resumed(kept, {**said, "windows": windows, "budget": budget != BUDGET})
        if resume
        else _new(c, kept, windows, {**said, "budget": budget})
    )
    plan = session.plan
    require_known(c, plan, session.folder / "plan.json")
    engine = engine_for(c, plan.runs[0].cell.engine)
    console.print(
        f"[bold]calibrate[/bold]: {len(plan.runs)} windows, {_minutes(c, session)}, {engine.name} engine, "
        f"{session.folder}",
        soft_wrap=True,
        highlight=False,
    )
    records = sessions.run(c, engine, session, Progress(console, c, plan, verbose=verbose))
    found = calibrated(c, records, _earlier(c, session, records, added))
    own = floors.Floors(calibrations=tuple(found))
    floors.write(session.folder / "floors.json", own)
    if as_json:
        print_json(own)
    for each in () if as_json else found:
        print_calibration(c, console, each)
    if found and not write:
        console.print("\ntelar ab doesn't know this yet: telar calibrate --resume --write")
    if write and found:
        path = c.data / floors.FLOORS
        known = floors.read(path)
        for each in found:
            known = known.including(each)
        floors.write(path, known)
        console.print(f"\nkept in {path}")
        page = root() / "docs" / "noise.md"
        if page.exists():  # where Telar itself is developed
            document.replace(page, "floors", markdown(c, known.calibrations))
            console.print(f"as a table in {page}")
    without = {r.cell.name for r in plan.runs} - {each.cell.name for each in found}
    if without:
        raise RunError(
            f"fewer than {LEAST_PAIRS} sound pairs in {LEAST_FORKS} forks of " + ", ".join(sorted(without)),
            hint=f"telar report {session.folder} says which gates failed",
        )


def _earlier(
    c: Catalog, session: Session, records: Sequence[Record], folders: Sequence[Path]
) -> list[list[Record]]:
    found: list[list[Record]] = []
    counted = {session.folder.resolve()}
    for folder in folders:
        if folder.resolve() in counted:
            raise ConfigError(f"--add {folder}: is counted already")
        counted.add(folder.resolve())
        own = judged_again(Session(folder).records(), c)
        if not any(alike(record, own) for record in records):
            raise ConfigError(
                f"--add {folder}: holds no pairs of one build against itself of "
                + (", ".join(sorted({r.cell.label for r in records})) or "any cell here")
                + " on this machine, with latencies that count from the same moment"
            )
        found.append(own)
    return found


def _new(c: Catalog, kept: Path, windows: int | None, said: dict[str, Any]) -> Session:
    """Of the cells that telar ab takes by default, unless a suite is said."""
    rounds = said["repeat"]
    if rounds is not None and rounds < LEAST_FORKS:
        raise ConfigError(
            f"--repeat {rounds}: what JVMs differ by takes at least {LEAST_FORKS} rounds to be seen"
        )
    once, found = comparing.cells(c, said)
    designed = design(c, once, found[0], seconds_of(said["budget"]), forks=rounds, windows=windows)
    runs = pair_runs(
        [(cell, cell) for cell in found],
        forks=designed.forks,
        windows=designed.windows,
        seed=once.seed,
        warmups=once.warmups,
    )
    sessions.require_disk(kept)
    with sessions.alone(c):
        pass  # what another telar keeps from beginning leaves no session behind
    return Session.begin(kept, "calibrate", msgspec.structs.replace(once, runs=tuple(runs)))


def _minutes(c: Catalog, session: Session) -> str:
    """How long what is left of it takes, as far as that can be known."""
    plan = session.plan
    left = [run for run in plan.runs if run.pair and not session.has(run.name)]
    forks = {run.pair.fork: run.cell for run in left if run.pair}
    if not forks:
        return "all of them done"
    windows = max(run.pair.window for run in plan.runs if run.pair)
    seconds = sum(design(c, plan, cell, 0, forks=1, windows=windows).seconds for cell in forks.values())
    return f"about {seconds / 60:.0f} minutes"


def _resumed(kept: Path, said: dict[str, Any]) -> Session:
    if any(v for k, v in said.items() if k != "seed"):
        raise ConfigError(
            "--resume goes on with the last calibration as it was planned: say nothing else with it"
        )
    found = [s for s in all_sessions(kept) if s.folder.name.endswith("-calibrate")]
    if not found:
        raise ConfigError(f"there is no calibration below {kept}", hint="telar calibrate SUITE makes one")
    return found[-1]

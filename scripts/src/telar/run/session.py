"""A session: the runs of a plan, one after the other, resumable, and never two at once on a machine."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import IO

import msgspec

from telar.catalog.types import Catalog
from telar.errors import EnvironmentProblem, Interrupted, TelarError
from telar.gates import judged_again
from telar.plan.cells import Plan, PlannedRun
from telar.run import reaper
from telar.run.engine import Engine
from telar.run.http.again import failed_gates, passes
from telar.run.kinds import run_of
from telar.run.pair import SHIFT, After, fork, side_folder
from telar.run.progress import Progress
from telar.store.files import Session
from telar.store.record import Record, Superseded
from telar.tools.ports import require_free
from telar.tools.processes import see

NEEDED_MIB = 1024  # for a run's own database, logs and raw results
REAPING = 90.0  # seconds in which what a killed Telar left is ended
POLL = 0.2


def run(
    catalog: Catalog,
    engine: Engine,
    session: Session,
    progress: Progress,
    *,
    enough: Callable[[], bool] = lambda: False,
    after: After | None = None,
    again: bool = False,
) -> list[Record]:
    """Makes every run of the session's plan that is left, and gives all records. `again`: those, too, that
    the machine alone has disturbed; each keeps its record until it has the new one.

    A run that fails leaves a record that says why, and the session goes on. `enough` is asked after each
    record whether the rest is still wanted; `after` gets each fork's sides while they are still up, after
    its last window (run/pair.py). Raises what the user must act on before anything can run (tools,
    ports, disk), and Interrupted.
    """
    plan = session.plan
    disturbed = disturbed_runs(catalog, session) if again else []
    todo = sorted([*left(session), *disturbed], key=lambda planned: planned.position)
    for number, windows in _cut_short(session).items():
        # What is left would be measured on other JVMs than what is there.
        progress.say(f"fork {number} was cut short after {windows} windows, and stays so")
    if not todo:
        return judged_again(session.records(), catalog)
    for planned in todo:
        run_of(catalog, planned.cell)  # what nothing runs is named before anything is built
    session.records()  # a damaged one is named before hours of measuring, not after
    with (
        alone(catalog) as lock,
        reaper.watching(session.folder, engine.label, lock.fileno()),
        progress.commands(),
    ):
        _clear_unfinished(session)
        engine.require()  # before the ports: they may be taken by what belongs to another engine
        require_processors(catalog, plan)
        require_ports(catalog, pairs=any(r.pair for r in todo))
        try:
            with progress.preparing(len(todo)):
                engine.prepare([r.cell for r in todo], progress.say)
            for _, group in groupby(todo, key=_fork):
                runs = list(group)
                require_disk(session.folder)
                if runs[0].pair:
                    _run_fork(catalog, engine, plan, runs, session, progress, enough, after)
                else:
                    _run_one(catalog, engine, plan, runs[0], session, progress)
                if enough():
                    break
                engine.mend(progress.say)
        finally:
            engine.close()
    return judged_again(session.records(), catalog)


def left(session: Session) -> list[PlannedRun]:
    """The runs that are still to be made; none of a comparison that has its verdict.

    What is missing of a fork that has a record stays so: it would be measured on other JVMs.
    """
    if _answered(session):
        return []
    runs = session.plan.runs
    begun = {r.pair.fork for r in runs if r.pair and session.has(r.name)}
    return [r for r in runs if not session.has(r.name) and not (r.pair and r.pair.fork in begun)]


def disturbed_runs(catalog: Catalog, session: Session) -> list[PlannedRun]:
    """Those of which all that was wrong may be over by now, by the rules by which a window is measured again.
    None of a pair: it would be measured on other JVMs than the rest of its fork. None that wasn't warm: that
    is the service's own, and fresh services begin cold.
    """
    planned = {r.position: r for r in session.plan.runs if r.pair is None}
    records = [each for each in session.contents() if isinstance(each, Record) and each.position in planned]
    return [
        planned[record.position]
        for record in judged_again(records, catalog)
        if not record.stopped
        and "warm" not in failed_gates(record)
        and passes(record, planned[record.position], catalog.file.again)
    ]


def _answered(session: Session) -> bool:
    """Whether it is a comparison that has come to its end, be it before its last window."""
    return (session.folder / "verdict.json").exists()


def _cut_short(session: Session) -> dict[int, int]:
    """Forks of which only some windows have a record -> how many."""
    if _answered(session):
        return {}
    there = [(r.pair.fork, session.has(r.name)) for r in session.plan.runs if r.pair]
    partly = {fork for fork, has in there if has} & {fork for fork, has in there if not has}
    return {fork: there.count((fork, True)) for fork in sorted(partly)}


@contextlib.contextmanager
def gone_if_refused(session: Session) -> Iterator[None]:
    """For a new session: where it ends in an error before it has left anything, its plan goes, too."""
    try:
        yield
    except Interrupted:
        raise  # to be gone on with
    except TelarError:
        session.remove_if_empty()
        raise


def _run_one(
    catalog: Catalog,
    engine: Engine,
    plan: Plan,
    planned: PlannedRun,
    session: Session,
    progress: Progress,
) -> None:
    with progress.runs([planned]) as say:
        folder = session.log_folder(planned.name)
        shutil.rmtree(folder, ignore_errors=True)  # of an earlier attempt
        old = next(session.contents(f"{planned.name}.json"), None)
        record = run_of(catalog, planned.cell)(
            catalog,
            engine,
            plan,
            planned,
            session=session.id,
            folder=folder,
            progress=lambda phase: say(planned, phase),
            supersede=session.supersede,
        ).execute()
        if isinstance(old, Record):
            was = Superseded(run_id=old.run_id, gates=failed_gates(old))
            earlier = (*old.superseded, was, *record.superseded)
            record = msgspec.structs.replace(record, superseded=earlier)
            session.set_aside(old, planned)
        session.add(planned.name, record)
        progress.done(record)


def _fork(planned: PlannedRun) -> tuple[str, int]:
    """What is run together: the windows of a fork, else one run."""
    return ("fork", planned.pair.fork) if planned.pair else ("run", planned.position)


def _run_fork(
    catalog: Catalog,
    engine: Engine,
    plan: Plan,
    windows: list[PlannedRun],
    session: Session,
    progress: Progress,
    enough: Callable[[], bool],
    after: After | None,
) -> None:
    pair = windows[0].pair
    assert pair
    folder = session.log_folder(f"fork-{pair.fork:03d}")
    for side in ("a", "b"):
        shutil.rmtree(side_folder(folder, side), ignore_errors=True)  # of an attempt that was interrupted
    with progress.runs(windows) as say:
        windows_of = fork(
            catalog,
            engine,
            plan,
            windows,
            session=session.id,
            folder=folder,
            progress=say,
            supersede=session.supersede,
            enough=enough,
            after=after,
        )
        with contextlib.closing(windows_of):  # also what is raised here ends both sides' services
            for planned, record in windows_of:
                session.add(planned.name, record)
                progress.done(record)


def _clear_unfinished(session: Session) -> None:
    """Records that a Telar was writing when it was killed; whole ones have their own name."""
    for aside in (session.folder / "records").glob(".*"):
        aside.unlink()


def require_processors(catalog: Catalog, plan: Plan) -> None:
    """Raises EnvironmentProblem when this machine is smaller than the plan's runner says."""
    name = plan.runs[0].cell.runner
    here, needed = os.cpu_count() or 1, catalog.file.runner[name].processors
    if here < needed:
        raise EnvironmentProblem(
            f"the runner {name} has {needed} processors, this machine {here}",
            hint="telar list runners; choose one with --runner",
        )


def require_ports(catalog: Catalog, *, pairs: bool) -> None:
    """Raises EnvironmentProblem, naming who is there, unless the apps' ports are free."""
    for shift in (0, SHIFT) if pairs else (0,):
        require_free(catalog.file.ports.app + shift, "every app")
        require_free(catalog.file.ports.metrics + shift, "every app's metrics")


def require_disk(folder: Path) -> None:
    """Raises EnvironmentProblem when a run might not fit."""
    folder.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(folder).free // 1024**2
    if free < NEEDED_MIB:
        raise EnvironmentProblem(
            f"only {free} MiB free below {folder}; a run may need {NEEDED_MIB}",
            hint="free some room, or put results elsewhere with --data",
        )


@contextlib.contextmanager
def alone(catalog: Catalog) -> Iterator[IO[str]]:
    """Holds this machine for measuring: a second `telar run` would change both runs' numbers."""
    path = Path(tempfile.gettempdir()) / "telar-run.lock"
    with _opened(path) as file:
        _take(file, path)
        file.truncate(0)
        os.pwrite(file.fileno(), f"{os.getpid()} in {catalog.root}".encode(), 0)
        try:
            yield file
        finally:
            file.truncate(0)


def _take(file: IO[str], path: Path) -> None:
    """Locks it; waits only where its holder is dead, whose reaper has it until nothing is left of it."""
    until = time.monotonic() + REAPING
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except OSError as error:
            who = path.read_text().strip() or "unknown"
            if _runs(who):
                raise EnvironmentProblem(
                    f"another telar is measuring on this machine (process {who})",
                    hint="wait until it is done: two at once would spoil both",
                ) from error
            if time.monotonic() > until:
                raise EnvironmentProblem(
                    f"a telar was killed (process {who}), and what it started is still being ended",
                    hint="see reaper.log in the folder of its session",
                ) from error
        time.sleep(POLL)


def _runs(who: str) -> bool:
    """Whether the holder that wrote this into the lock still runs; true where that isn't known."""
    pid = who.partition(" ")[0]
    if not pid.isdigit():
        return True
    process = see(int(pid))
    return process is not None and process.is_running


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    try:
        with path.open("a+") as file:
            yield file
    except PermissionError as error:
        raise TelarError(f"{path}: belongs to another user", hint="remove it if no telar runs") from error

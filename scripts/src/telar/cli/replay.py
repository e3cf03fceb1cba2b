"""`telar replay`: runs the cell of a record again, and puts old and new side by side."""

from __future__ import annotations

from pathlib import Path

import click

from telar.catalog.suite import WarmupFile
from telar.cli.common import catalog, console, data_folder, json_option, print_json
from telar.cli.engines import engine_for
from telar.errors import ConfigError, RunError, StoreError
from telar.gates import judged_again
from telar.plan.cells import Plan, PlannedRun, require_known
from telar.publish import replay as replays
from telar.run import session as sessions
from telar.run.progress import Progress
from telar.store import floors
from telar.store.files import Session, read_record
from telar.store.find import find
from telar.store.record import Planned, Record
from telar.words import many


@click.command()
@click.argument("run_id")
@click.option("--repeat", type=click.IntRange(min=1), default=1, help="How often.  [default: 1]")
@click.option(
    "--data", type=click.Path(path_type=Path, file_okay=False), help="Where the new session is kept."
)
@click.option("--verbose", "-v", is_flag=True, help="Print each command before it runs.")
@json_option
def replay(run_id: str, repeat: int, data: Path | None, verbose: bool, as_json: bool) -> None:
    """Runs exactly the cell of a record again, with its warm-up and its seeds, and compares the two.

    What differs in code, machine or settings comes first: it explains. RUN_ID is a run's id, its beginning,
    or a record's file; records are looked for below benchmarks-data/, and where --data says.

    \b
    Examples:
      telar replay 0f3a
      telar replay 0f3a --repeat 3
      telar replay benchmarks-data/local/20261121-071500-smoke/records/001.json --json
    """
    c = catalog()
    console.stderr = as_json  # stdout is the machine's then
    own, kept = c.data, data_folder(data)
    path = find(run_id, own, *([] if kept.is_relative_to(own) else [kept]))
    (old,) = judged_again([read_record(path)], c)
    known = floors.read(own / floors.FLOORS)
    plan = plan_of(old, path, repeat)
    require_known(c, plan, path)
    engine = engine_for(c, old.cell.engine)
    sessions.require_disk(kept)
    with sessions.alone(c):
        pass  # what another telar keeps from beginning leaves no session behind
    session = Session.begin(kept, "replay", plan)
    console.print(
        f"[bold]replay[/bold] of {path}: {many(repeat, 'run')}, {engine.name} engine, {session.folder}"
    )
    new = sessions.run(c, engine, session, Progress(console, c, plan, verbose=verbose))
    found = replays.compare(c, old, new, known.of(old.cell, old.provenance.machine))
    if as_json:
        print_json(found)
    else:
        console.print()
        replays.print_replay(c, console, found)
        console.print(f"\nrecords: {session.folder / 'records'}")
    failed = [r for r in new if r.stopped]
    if failed:
        raise RunError(
            f"{len(failed)} of {len(new)} runs failed",
            hint=f"each record says why: {session.folder / 'records'}",
        )


def plan_of(record: Record, path: Path, repeat: int) -> Plan:
    """The plan that makes this run again, so many times: each with the same requests in the same order."""
    planned = record.planned or _planned_beside(path, record)
    warmup = _warmup(planned) if planned.warmup_workload else None
    runs = (
        PlannedRun(position=n, repetition=record.repetition, cell=record.cell, warmup=warmup)
        for n in range(1, repeat + 1)
    )
    return Plan(suite=record.suite, seed=planned.seed, runs=tuple(runs))


def _warmup(planned: Planned) -> WarmupFile:
    return WarmupFile(
        workload=planned.warmup_workload,
        rate=planned.warmup_rate,
        seconds=planned.warmup_seconds,
        requests=planned.warmup_requests,
    )


def _planned_beside(path: Path, record: Record) -> Planned:
    """What the session's own file says, of a record that is older than its field for that."""
    try:
        plan = Session(path.resolve().parent.parent).plan
        warmup = plan.warmups[record.cell.workload]
        assert warmup, "format 1 is older than runs without one"
    except (StoreError, KeyError) as error:
        raise ConfigError(
            f"{path}: does not say how it was warmed up, nor does a plan.json of its session",
            hint="records of format 1 need the plan.json that was written with them",
        ) from error
    return Planned(
        seed=plan.seed,
        warmup_workload=warmup.workload,
        warmup_rate=warmup.rate,
        warmup_seconds=warmup.seconds,
        warmup_requests=warmup.requests,
    )

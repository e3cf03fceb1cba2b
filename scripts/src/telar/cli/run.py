"""`telar run`: runs a suite, keeps its records, prints its table."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click
import msgspec

from telar.catalog.types import Catalog, EngineName
from telar.cli.common import (
    catalog,
    cell_options,
    console,
    data_folder,
    json_option,
    print_json,
    wishes,
)
from telar.errors import ConfigError, RunError
from telar.plan.cells import Plan, make_plan, require_known
from telar.publish import report as reports
from telar.run import session as sessions
from telar.run.engine import Engine
from telar.run.progress import Progress
from telar.store.files import Session
from telar.store.files import sessions as all_sessions
from telar.words import many


@click.command()
@cell_options
@click.option("--plan", "planned", type=click.Path(path_type=Path, dir_okay=False),
              help="A plan that telar plan --to wrote, instead of a suite.")  # fmt: skip
@click.option("--resume", is_flag=True, help="Go on with the last session: its first cell without a record.")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@click.option("--verbose", "-v", is_flag=True, help="Print each command before it runs.")
@json_option
def run(
    planned: Path | None, resume: bool, data: Path | None, verbose: bool, as_json: bool, **said: Any
) -> None:
    """Runs a suite: sets up what it needs, runs each cell, writes records and a report.

    \b
    Examples:
      telar run quickstart
      telar run smoke --only 'spring-mysql-*' --jdk 21,25
      telar run smoke --only spring-mysql-blocking-virtual --driver mysql=8.0.33,9.7.0
      telar run thesis --only 'spring-mysql-blocking-*'
      telar run --plan plans/job-1.json
      telar run --resume
    """
    c = catalog()
    console.stderr = as_json  # stdout is the machine's then
    if resume:
        session = _resumed(data_folder(data), {**said, "plan": planned})
    else:
        session = _new(
            c, data_folder(data), _planned(planned, said) if planned else make_plan(c, wishes(c, **said))
        )
    plan = session.plan
    require_known(c, plan, session.folder / "plan.json")
    engine = engine_for(c, plan.runs[0].cell.engine)
    runs = many(len(plan.runs), "run")
    console.print(f"[bold]{plan.suite}[/bold]: {runs}, {engine.name} engine, {session.folder}")
    records = sessions.run(c, engine, session, Progress(console, c, plan, verbose=verbose))
    written = reports.write(c, session.folder, records)
    if as_json:
        print_json(records)
    else:
        console.print()
        reports.print_tables(c, console, records)
        console.print("\n" + "\n".join(f"{what}: {path}" for what, path in written.items()))
    failed = [r for r in records if r.stopped]
    if failed:
        raise RunError(
            f"{len(failed)} of {len(records)} runs failed: " + ", ".join(r.cell.variant for r in failed),
            hint=f"each record says why: {session.folder / 'records'}",
        )


def engine_for(c: Catalog, name: EngineName) -> Engine:
    # Each engine's module brings what only it needs.
    if name == "compose":
        from telar.run.compose import ComposeEngine  # noqa: PLC0415

        return ComposeEngine(c)
    from telar.run.embedded import EmbeddedEngine  # noqa: PLC0415

    return EmbeddedEngine(c)


def _planned(path: Path, said: dict[str, Any]) -> Plan:
    if any(v for k, v in said.items() if k != "seed"):
        raise ConfigError("--plan says all that is to be run: say nothing else with it")
    return read_plan(path)


def read_plan(path: Path) -> Plan:
    """Raises ConfigError when it isn't a plan."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Plan)
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: {error}", hint="telar plan --to FOLDER writes plans") from error


def _new(c: Catalog, data: Path, plan: Plan) -> Session:
    sessions.require_disk(data)
    with sessions.alone(c):
        pass  # a session that another telar keeps from beginning isn't one that `--resume` should go on with
    name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-{plan.suite}"
    return Session.create(data / name, plan)


def _resumed(data: Path, said: dict[str, Any]) -> Session:
    if any(v for k, v in said.items() if k != "seed"):
        raise ConfigError(
            "--resume goes on with the last session as it was planned: say nothing else with it"
        )
    found = [s for s in all_sessions(data) if all(r.pair is None for r in s.plan.runs)]
    if not found:
        raise ConfigError(
            f"there is no session below {data} to go on with", hint="telar run SUITE starts one"
        )
    return found[-1]

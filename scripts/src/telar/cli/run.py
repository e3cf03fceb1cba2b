"""`telar run`: runs a suite, keeps its records, prints its table."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import click
import msgspec

from telar.analyse import budgets
from telar.catalog.types import Catalog
from telar.cli import answer, shown
from telar.cli.common import (
    catalog,
    cell_options,
    console,
    data_folder,
    json_option,
    print_json,
)
from telar.cli.engines import engine_for
from telar.errors import ConfigError, RegressionFound, RunError
from telar.plan.cells import Plan, require_known
from telar.plan.stored import plan_in
from telar.publish import budgets as published_budgets
from telar.run import session as sessions
from telar.run.progress import Progress
from telar.store.files import Session
from telar.store.files import sessions as all_sessions
from telar.words import many


@click.command()
@cell_options
@click.option("--plan", "planned", type=click.Path(path_type=Path, dir_okay=False),
              help="A plan that telar plan --to wrote, instead of a suite.")  # fmt: skip
@click.option("--resume", is_flag=True, help="Go on with the last session: its first cell without a record.")
@click.option(
    "--again", is_flag=True, help="With --resume: also the runs that the machine alone disturbed, once more."
)
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@click.option("--verbose", "-v", is_flag=True, help="Print each command before it runs.")
@json_option
def run(
    planned: Path | None,
    resume: bool,
    again: bool,
    data: Path | None,
    verbose: bool,
    as_json: bool,
    **said: Any,
) -> None:
    """Runs a suite: sets up what it needs, runs each cell, writes records and a report.

    A suite that compares, like quickstart, warms both its sides, measures them in turns and ends in a
    verdict. It never ends with 8 for that, as telar ab does: neither side is a change of yours. It does for
    a budget that is broken (docs/budgets.md).

    \b
    Examples:
      telar run quickstart
      telar run smoke --only 'spring-mysql-*' --jdk 21,25
      telar run smoke --only spring-mysql-blocking-virtual --driver mysql=8.0.33,9.7.0
      telar run thesis --only 'spring-mysql-blocking-*'
      telar run smoke --only spring-mysql-blocking-virtual --flags=-XX:+UseG1GC --flags=-XX:+UseZGC
      telar run --plan plans/job-1.json
      telar run --resume
      telar run --resume --again
    """
    if again and not resume:
        raise ConfigError("--again is of a session that there is: telar run --resume --again")
    c = catalog()
    console.stderr = as_json  # stdout is the machine's then
    kept = data_folder(data)
    if resume:
        session, new = _resumed(c, kept, {**said, "plan": planned}, again=again), False
    else:
        session, new = _new(c, kept, _planned(planned, said) if planned else answer.planned(c, said)), True
    plan = session.plan
    require_known(c, plan, session.folder / "plan.json")
    c = answer.patient(c, plan.suite)
    engine = engine_for(c, plan.runs[0].cell.engine)
    progress = Progress(console, c, plan, verbose=verbose)
    console.print(
        f"[bold]{plan.suite}[/bold]: {_about(plan)}, about {progress.expected()}, {engine.name} engine, "
        f"{session.folder}",
        soft_wrap=True,
        highlight=False,
    )
    paired = any(r.pair for r in plan.runs)
    enough = answer.until_decided(c, session) if paired else lambda: False
    with sessions.gone_if_refused(session) if new else contextlib.nullcontext():
        records = sessions.run(c, engine, session, progress, enough=enough, again=again)
    if comparison := answer.of_session(c, session, records):
        answer.keep(c, session, comparison)
    if as_json:
        print_json(shown.for_machines(c, session, records) or records)
        shown.write(c, session, records, comparison)
    else:
        shown.show(c, session, records)
        if disturbed := sessions.disturbed_runs(c, session):
            was, them = ("was", "it") if len(disturbed) == 1 else ("were", "them")
            console.print(
                f"\n{many(len(disturbed), 'run')} {was} disturbed by the machine alone. "
                f"To make {them} again: telar run --resume --again",
                soft_wrap=True,
            )
    failed = [r for r in records if r.stopped]
    if failed:
        raise RunError(
            f"{len(failed)} of {len(records)} runs failed: " + ", ".join(r.cell.label for r in failed),
            hint=f"each record says why: {session.folder / 'records'}",
        )
    if broken := [each for each in budgets.judge(c, records) if each.word == "broken"]:
        what = dict.fromkeys(f"{published_budgets.title(c, e)} of {e.cell.label}" for e in broken)
        raise RegressionFound(f"{many(len(broken), 'budget')} broken: {', '.join(what)}")
    if not as_json and (suite := c.file.suite.get(plan.suite)) and suite.next:
        console.print("\nWhat to try next:")
        for line in suite.next:
            console.print(f"  {line}", markup=False, highlight=False, soft_wrap=True)


def _about(plan: Plan) -> str:
    forks = {r.pair.fork for r in plan.runs if r.pair}
    if not forks:
        return many(len(plan.runs), "run")
    sides = dict.fromkeys(r.cell.label for r in plan.runs)
    return f"{' and '.join(sides)}, {many(len(plan.runs), 'window')} in turns, {many(len(forks), 'fork')}"


def _planned(path: Path, said: dict[str, Any]) -> Plan:
    if any(v for k, v in said.items() if k != "seed"):
        raise ConfigError("--plan says all that is to be run: say nothing else with it")
    return read_plan(path)


def read_plan(path: Path) -> Plan:
    """Raises ConfigError when it isn't a plan."""
    try:
        return plan_in(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: {error}", hint="telar plan --to FOLDER writes plans") from error


def _new(c: Catalog, data: Path, plan: Plan) -> Session:
    sessions.require_disk(data)
    with sessions.alone(c):
        pass  # a session that another telar keeps from beginning isn't one that `--resume` should go on with
    return Session.begin(data, plan.suite, plan)


def _resumed(c: Catalog, data: Path, said: dict[str, Any], *, again: bool) -> Session:
    """The newest session that has runs to be made, and that the catalogue still knows; else the newest."""
    if any(v for k, v in said.items() if k != "seed"):
        raise ConfigError(
            "--resume goes on with the last session as it was planned: say nothing else with it"
        )
    own = [s for s in all_sessions(data) if _of_run(s)]
    if not own:
        raise ConfigError(
            f"there is no session below {data} to go on with", hint="telar run SUITE starts one"
        )
    unfinished = [s for s in reversed(own) if sessions.left(s) or (again and sessions.disturbed_runs(c, s))]
    for session in unfinished:
        try:
            require_known(c, session.plan, session.folder / "plan.json")
        except ConfigError as error:
            if session is unfinished[-1]:
                raise
            console.print(f"passed over: {error.message}", style="yellow", soft_wrap=True, markup=False)
        else:
            return session
    return own[-1]


def _of_run(session: Session) -> bool:
    """Whether `telar run` made it: other commands go on with theirs themselves, or never do."""
    plan = session.plan
    return all(r.pair is None for r in plan.runs) or session.id.endswith(f"-{plan.suite}")

"""`telar watchdog`: whether the history goes on as it should."""

from __future__ import annotations

import time
from pathlib import Path

import click

from telar.cli.common import catalog, console, json_option, print_json
from telar.github import watchdog as issues
from telar.github.api import GitHub
from telar.plan.pipeline import words
from telar.publish.standing import Now
from telar.publish.watch import watch
from telar.store.published import Published


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--issues", "to_github", is_flag=True, help="Open, update and close GitHub issues.")
@click.option(
    "--only",
    envvar="TELAR_VARIANTS",
    default="",
    help="Variants that nights run in place of the suite's.  [default: $TELAR_VARIANTS]",
)
@json_option
def watchdog(folder: Path, to_github: bool, only: str, as_json: bool) -> None:
    """Looks through a published history for what is late, frozen, empty or orphaned, and for a machine that
    changed.

    \b
    Examples:
      telar watchdog public/
      telar watchdog gh-pages/ --issues       # in a workflow
    """
    console.stderr = as_json
    alarms = watch(catalog(), Published(folder).now(Now), time.time(), words(only))
    done = issues.sync(GitHub.here(), alarms) if to_github else None
    if as_json:
        print_json({"alarms": alarms, "issues": done})
        return
    for alarm in alarms:
        console.print(f"[bold]{alarm.title}[/bold]")
        for line in alarm.lines:
            console.print(f"  {line}", markup=False, soft_wrap=True)
    if not alarms:
        console.print("the history goes on as it should")
    if done:
        console.print(
            f"issues: {len(done.opened)} opened, {len(done.written)} updated, {len(done.closed)} closed"
        )

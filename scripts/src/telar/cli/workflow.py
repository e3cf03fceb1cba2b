"""`telar workflow`: what the workflows of .github/ ask, so that nothing is decided in YAML."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import click

from telar.build.changed import changed as changed_between
from telar.cli.comment import read_event
from telar.cli.common import catalog, console, json_option, print_json, seconds_of
from telar.cli.comparing import SUITE
from telar.cli.plan import durations_in, split
from telar.cli.publish import url_of
from telar.errors import ConfigError
from telar.github import commands
from telar.github.api import GitHub
from telar.plan import pipeline
from telar.publish import branch as branches
from telar.store.published import Published

event_option = click.option(
    "--event", "event_file", type=click.Path(path_type=Path, dir_okay=False), envvar="GITHUB_EVENT_PATH",
    help="The event's file.  [default: $GITHUB_EVENT_PATH]",
)  # fmt: skip


@click.group()
def workflow() -> None:
    """What the workflows of .github/ ask: each decision of the pipeline, to be tried by hand.

    \b
    Examples:
      telar workflow plan --to plans/
      telar workflow changed --base origin/main --head HEAD
    """


@workflow.command()
@event_option
@click.option("--name", envvar="GITHUB_EVENT_NAME", default="push", help="[default: $GITHUB_EVENT_NAME]")
@click.option(
    "--only",
    envvar="TELAR_VARIANTS",
    default="",
    help="Variants that pushes and nights run in place of the suite's.",
)
@click.option("--runners", envvar="TELAR_RUNNERS", type=click.IntRange(1, 256), default=1,
              help="Machines that carry the label.  [default: $TELAR_RUNNERS or 1]")  # fmt: skip
@click.option("--budget", help="Time of a job.  [default: telar.toml's]")
@click.option("--remote", help="Whose published history says how long runs took.")
@click.option("--branch", default="gh-pages", help="Of that remote.  [default: gh-pages]")
@click.option("--to", "folder", type=click.Path(path_type=Path, file_okay=False), required=True,
              help="Where the jobs' plans go.")  # fmt: skip
def plan(
    event_file: Path | None,
    name: str,
    only: str,
    runners: int,
    budget: str | None,
    remote: str | None,
    branch: str,
    folder: Path,
) -> None:
    """Plans what an event asks for, as jobs; says them to the workflow as its output `jobs`.

    \b
    Examples:
      telar workflow plan --to plans/
      telar workflow plan --name schedule --runners 3 --remote origin --to plans/
    """
    console.stderr = False
    c = catalog()
    inputs = _inputs(event_file) if name == "workflow_dispatch" else {}
    made = pipeline.asked(c, name, inputs, only, time.time())
    console.print(made.why, soft_wrap=True, markup=False)
    seconds = seconds_of(budget or c.file.pipeline.budget)
    jobs = split(c, made.plan, folder, runners, seconds, _durations(remote, branch), as_json=False)
    _output("jobs", "[" + ",".join(str(job.number) for job in jobs) + "]")


@workflow.command()
@click.option("--base", required=True, metavar="COMMIT")
@click.option("--head", required=True, metavar="COMMIT")
@click.option("--suite", default=SUITE, help=f"[default: {SUITE}]")
@json_option
def changed(base: str, head: str, suite: str, as_json: bool) -> None:
    """Names the variants to compare for a change; says them as the outputs `base`, `head` and `variants`, and
    as `drivers` those whose version it moves (NAME=VERSION).

    The base is the commit where the two parted, so that what came to main in the meantime isn't told of the
    change.

    \b
    Examples:
      telar workflow changed --base origin/main --head HEAD
    """
    found = changed_between(catalog(), suite, base, head)
    _output("base", found.base)
    _output("head", found.head)
    _output("variants", ",".join(found.variants))
    _output("drivers", ",".join(f"{name}={version}" for name, version in found.drivers.items()))
    if as_json:
        print_json(found)
        return
    nothing = "no app runs otherwise: there is nothing to compare"
    console.print(", ".join(found.variants) or nothing, markup=False)
    for name, commit in found.absent.items():
        console.print(f"not compared: {commit[:12]} has no {name}", soft_wrap=True, markup=False)
    for path in found.unseen:
        said = f"not measured: {path}, which is this checkout's on both sides"
        console.print(said, soft_wrap=True, markup=False)


@workflow.command()
@event_option
def command(event_file: Path | None) -> None:
    """Does what a maintainer's comment on a pull request says: /telar run SUITE.

    \b
    Examples:
      telar workflow command --event event.json
    """
    console.print(commands.obey(catalog(), GitHub.here(), read_event(_given(event_file))), markup=False)


def _durations(remote: str | None, branch: str) -> dict[str, float]:
    """Of a history that may not have begun yet."""
    if remote is None:
        return {}
    with branches.reading(url_of(catalog(), remote), branch) as checkout:
        return durations_in(Published(checkout.folder, checkout.want)) if checkout else {}


def _inputs(event_file: Path | None) -> dict[str, Any]:
    found = read_event(_given(event_file)).get("inputs") or {}
    if not isinstance(found, dict):
        raise ConfigError(f"{event_file}: its inputs are no table")
    return found


def _given(event_file: Path | None) -> Path:
    if event_file is None:
        raise ConfigError("neither --event nor $GITHUB_EVENT_PATH is set", hint="this is for a workflow")
    return event_file


def _output(name: str, value: str) -> None:
    """For the steps that follow; outside of a workflow nobody asks."""
    if path := os.environ.get("GITHUB_OUTPUT"):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{name}={value}\n")

"""`telar workflow`: what the workflows of .github/ ask, so that nothing is decided in YAML."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import click
import msgspec

from telar.build import alone
from telar.build.changed import Changed
from telar.build.changed import changed as changed_between
from telar.catalog.load import known
from telar.catalog.types import Catalog
from telar.cli.comment import event_option, given, read_event, workflows
from telar.cli.common import catalog, console, json_option, print_json, seconds_of
from telar.cli.comparing import SUITE
from telar.cli.plan import durations_in, split
from telar.cli.publish import url_of
from telar.errors import ConfigError, Refused
from telar.github import commands, pull_request
from telar.github import searches as nights
from telar.github import subject as subjects
from telar.github import waiting as waits
from telar.github.api import GitHub
from telar.plan import pipeline
from telar.plan.sides import Side
from telar.publish import branch as branches
from telar.store.published import Published
from telar.tools import git


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
    event: Path | None,
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
    inputs = _inputs(event) if name == "workflow_dispatch" else {}
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
    """Names the variants to compare for a change; says them as the outputs `base`, `head` and `variants`, as
    `drivers` those whose version it moves (NAME=VERSION), and as `factors` how many things it changes that
    can be measured separately (versions that build files bump, drivers): empty for one, and for too many.

    The base is the commit where the two parted, so that what came to main in the meantime isn't said of the
    change.

    \b
    Examples:
      telar workflow changed --base origin/main --head HEAD
    """
    c = catalog()
    found = changed_between(c, suite, base, head)
    _output("base", found.base)
    _output("head", found.head)
    _output("variants", ",".join(found.variants))
    _output("drivers", _driver_words(found))
    _output("factors", _factors(c, found) if found.variants else "")
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


def _driver_words(found: Changed) -> str:
    """NAME=VERSION of each driver whose version the change moves."""
    return ",".join(f"{name}={version}" for name, version in found.drivers.items())


@workflow.command()
@event_option
@click.option("--url", envvar="TELAR_RUN_URL", default="", help="Of this run, for the status.")
def subject(event: Path | None, url: str) -> None:
    """Says what a finished build of a pull request asks to be compared, as the outputs `number`, `base`,
    `head`, `suite`, `variants`, `drivers` and `factors` (as `telar workflow changed` says them); sets
    the status to pending. No `number`: there is nothing to do; no `variants`: nothing to measure.

    \b
    Examples:
      telar workflow subject --event event.json
    """
    c, github = catalog(), GitHub.here()
    asked = subjects.subject(github, read_event(given(event)), workflows().build)
    if asked is None:
        console.print("no open pull request asks for anything: nothing to do")
        return
    suite = asked.suite or SUITE
    known("suite", suite, c.file.suite)
    tip = _fetched(c, asked.number)
    if tip != asked.head:
        console.print(f"pull request {asked.number} has moved on: its next build is compared")
        return
    found = changed_between(c, suite, "HEAD", tip)
    built = asked.build.conclusion == "success"
    variants = found.variants if built else ()
    if variants:
        line = "waiting for a maintainer's approval, then for the machine"
        pull_request.say(github, tip, "pending", line, url or asked.build.url)
    for name, value in {
        "number": str(asked.number),
        "base": found.base,
        "head": tip,
        "suite": suite,
        "variants": ",".join(variants),
        "drivers": _driver_words(found) if variants else "",
        "factors": _factors(c, found) if variants else "",
    }.items():
        _output(name, value)
    console.print(f"pull request {asked.number}: {', '.join(variants) or 'nothing to measure'}", markup=False)


def _factors(c: Catalog, found: Changed) -> str:
    base = Side(revision=found.base)
    head = Side(revision=found.head if found.builds else found.base, drivers=found.drivers)
    count = len(alone.of(c, base, head))
    return str(count) if alone.LEAST <= count <= alone.MOST else ""


@workflow.command()
@click.argument("number", type=click.IntRange(1))
def fetch(number: int) -> None:
    """Brings a pull request's commits here, as data, under the name refs/telar/head.

    \b
    Examples:
      telar workflow fetch 17
    """
    c = catalog()
    console.print(f"refs/telar/head is {_fetched(c, number)}", markup=False)


@workflow.command()
@event_option
def command(event: Path | None) -> None:
    """Does what a maintainer's comment on a pull request says: /telar run SUITE.

    \b
    Examples:
      telar workflow command --event event.json
    """
    console.print(commands.obey(catalog(), GitHub.here(), read_event(given(event))), markup=False)


@workflow.command()
@event_option
def merge(event: Path | None) -> None:
    """Sets the status telar/verdict of a merge queue's commit: each pull request in it had its own before.

    \b
    Examples:
      telar workflow merge --event event.json
    """
    said = read_event(given(event))
    try:
        head = str(said["merge_group"]["head_sha"])
    except (KeyError, TypeError) as error:
        raise Refused("the event isn't one of a merge queue") from error
    pull_request.say(GitHub.here(), head, "success", "judged on each pull request before the queue", "")
    console.print(f"{head[:12]}: each of its pull requests was judged", markup=False)


@workflow.command()
def waiting() -> None:
    """Says in the status of each pull request whose comparison waits what it waits for, and since when.

    \b
    Examples:
      telar workflow waiting
    """
    files = workflows()
    for each in waits.say(GitHub.here(), files.compare, files.machine, time.time()):
        console.print(f"{each.head[:12]}: {each.line}", markup=False, soft_wrap=True)


@workflow.command()
def searches() -> None:
    """Names the ranges of commits that open issues ask to be searched, as the output `searches` (JSON).

    \b
    Examples:
      telar workflow searches
    """
    found = nights.wanted(GitHub.here())
    _output("searches", msgspec.json.encode(found).decode())
    for each in found:
        said = f"issue {each.issue}: {each.search.good[:12]}..{each.search.bad[:12]} of {each.search.variant}"
        console.print(said, markup=False)
    if not found:
        console.print("no open issue asks for a search")


@workflow.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
def found(folder: Path) -> None:
    """Writes on its issue what each search found: FOLDER has ISSUE.json of `telar bisect --json`, and
    ISSUE.txt.

    \b
    Examples:
      telar workflow found searches/
    """
    said = nights.tell(GitHub.here(), folder)
    console.print(f"said on {', '.join(f'issue {n}' for n in said) or 'no issue'}", markup=False)


def _fetched(c: Catalog, number: int) -> str:
    return git.fetch(c.home, "origin", f"refs/pull/{number}/head", "refs/telar/head")


def _durations(remote: str | None, branch: str) -> dict[str, float]:
    """Of a history that may not have begun yet."""
    if remote is None:
        return {}
    with branches.reading(url_of(catalog(), remote), branch) as checkout:
        return durations_in(Published(checkout.folder, checkout.want)) if checkout else {}


def _inputs(event: Path | None) -> dict[str, Any]:
    found = read_event(given(event)).get("inputs") or {}
    if not isinstance(found, dict):
        raise ConfigError(f"{event}: its inputs are no table")
    return found


def _output(name: str, value: str) -> None:
    """For the steps that follow; outside of a workflow they aren't asked for."""
    if path := os.environ.get("GITHUB_OUTPUT"):
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{name}={value}\n")

"""`telar comment`: the verdict on a pull request, written where the pull request is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
import msgspec

from telar.cli.common import catalog, console, json_option, print_json
from telar.errors import ConfigError
from telar.github import pull_request, runs
from telar.github.api import GitHub
from telar.github.pull_request import Workflows

event_option = click.option(
    "--event", type=click.Path(path_type=Path, dir_okay=False), envvar="GITHUB_EVENT_PATH",
    help="The event's file.  [default: $GITHUB_EVENT_PATH]",
)  # fmt: skip


@click.command()
@event_option
@click.option("--run", "number", type=int, envvar="GITHUB_RUN_ID",
              help="The run that compared.  [default: $GITHUB_RUN_ID]")  # fmt: skip
@json_option
def comment(event: Path | None, number: int | None, as_json: bool) -> None:
    """Writes a pull request's verdict as its comment, and sets its status telar/verdict.

    For a job of the run that compared, which main's workflow started. What GitHub says of the run decides
    whether its verdict is believed: the workflow's file, the branch, the job, the machine, the approval. With
    the event of a label (telar-accept), it is written again from the last run.

    \b
    Examples:
      telar comment                      # in a workflow: .github/workflows/bench-compare.yml
      telar comment --event event.json --run 1234567890
    """
    console.stderr = as_json
    said, github, files = read_event(given(event)), GitHub.here(), workflows()
    if isinstance(said, dict) and "workflow_run" in said:
        if number is None:
            raise ConfigError("neither --run nor $GITHUB_RUN_ID is set", hint="this is for a workflow")
        run = runs.get(github, number)
    else:
        found = runs.latest(github, files.compare, pull_request.head_of(said))
        if found is None:
            console.print("no comparison of this pull request has ended yet: nothing to say")
            return
        run = found
    done = pull_request.answer(catalog(), github, run, files)
    if as_json:
        print_json(done)
    elif done.pull_request is None:
        console.print("no open pull request has what was compared as its head any more: nothing to say")
    else:
        console.print(f"pull request {done.pull_request}: {done.state}")


def workflows() -> Workflows:
    """Telar's own, or the files that a guest's owner says (TELAR_BUILD_WORKFLOW, TELAR_COMPARE_WORKFLOW)."""
    own = Workflows()
    return Workflows(
        build=_path(os.environ.get("TELAR_BUILD_WORKFLOW") or own.build),
        compare=_path(os.environ.get("TELAR_COMPARE_WORKFLOW") or own.compare),
        machine=runs.machine(),
    )


def _path(said: str) -> str:
    """`bench.yml`, its path, or `OWNER/NAME/.github/workflows/bench.yml@refs/heads/main`."""
    return runs.FOLDER + said.partition("@")[0].rpartition("/")[2]


def given(event: Path | None) -> Path:
    if event is None:
        raise ConfigError(
            "neither --event nor $GITHUB_EVENT_PATH is set", hint="this command is for a workflow"
        )
    return event


def read_event(path: Path) -> Any:
    try:
        return msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise ConfigError(f"{path}: {error}") from error

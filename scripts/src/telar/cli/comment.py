"""`telar comment`: the verdict on a pull request, written where the pull request is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import msgspec

from telar.cli.common import catalog, console, json_option, print_json
from telar.errors import ConfigError
from telar.github import pull_request
from telar.github.api import GitHub
from telar.github.pull_request import Run


@click.command()
@click.option("--event", type=click.Path(path_type=Path, dir_okay=False), envvar="GITHUB_EVENT_PATH",
              help="The event's file.  [default: $GITHUB_EVENT_PATH]")  # fmt: skip
@json_option
def comment(event: Path | None, as_json: bool) -> None:
    """Writes a pull request's verdict as its comment, and sets its status telar/verdict.

    For a workflow on `workflow_run`, after the pull request's own: what that one left is taken from GitHub
    and checked as something that an attacker wrote. The comment is one: it is written anew each time. With
    the event of a label that was set (telar-accept), it is written again from the last run.

    \b
    Examples:
      telar comment                      # in a workflow: .github/workflows/bench-comment.yml
      telar comment --event event.json
    """
    console.stderr = as_json
    if event is None:
        raise ConfigError(
            "neither --event nor $GITHUB_EVENT_PATH is set", hint="this command is for a workflow"
        )
    found, github = read_event(event), GitHub.here()
    if isinstance(found, dict) and "workflow_run" in found:
        run: Run | None = pull_request.run_of(found)
    else:
        run = pull_request.last_run(github, found)
    if run is None:
        console.print("no run of this pull request has ended yet: nothing to say")
        return
    done = pull_request.answer(catalog(), github, run)
    if as_json:
        print_json(done)
    elif done.pull_request is None:
        console.print(f"no open pull request has {run.head[:12]} as its head any more: nothing to say")
    else:
        console.print(f"pull request {done.pull_request}: {done.state}")


def read_event(path: Path) -> Any:
    try:
        return msgspec.json.decode(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{path}: can't be read: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise ConfigError(f"{path}: {error}") from error

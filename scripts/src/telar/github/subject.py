"""What a finished build of a pull request asks to be compared: found out by main, from GitHub and git
alone.
"""

from __future__ import annotations

from typing import Any

import msgspec

from telar.errors import Refused
from telar.github import pull_request, runs
from telar.github.api import GitHub
from telar.github.runs import Run

LEFT_ALONE = (
    "cancelled",
    "skipped",
    "action_required",
)  # a newer push came, or a maintainer has to allow it first


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    head: str
    suite: str  # empty: the default one
    build: Run


def subject(github: GitHub, event: Any, path: str) -> Subject | None:
    """The pull request that a `workflow_run` event is about; None where there is nothing to say. Raises
    Refused where the event is of another workflow.
    """
    try:
        number = int(event["workflow_run"]["id"])
    except (KeyError, TypeError, ValueError) as error:
        raise Refused("the event isn't one of a finished workflow run") from error
    build = runs.build_of(github, number, path)
    if build.conclusion in LEFT_ALONE:
        return None
    own = pull_request.open_with(github, build)
    if own is None:
        return None
    return Subject(
        number=int(own["number"]),
        head=str(own["head"]["sha"]),
        suite=build.asked[0] if build.asked else "",
        build=build,
    )

"""What maintainers say in a pull request's comments: `/telar run SUITE`."""

from __future__ import annotations

import re
from typing import Any

from telar.catalog.load import known
from telar.catalog.types import Catalog
from telar.errors import Refused
from telar.github.api import GitHub
from telar.github.runs import BUILD

MAINTAINERS = ("OWNER", "MEMBER", "COLLABORATOR")
_COMMAND = re.compile(r"/telar run ([a-z0-9-]{1,60})")


def obey(catalog: Catalog, github: GitHub, event: Any) -> str:
    """Starts the run that an `issue_comment` event asks for, and says what was done. Raises Refused for who
    may not ask, ConfigError for a suite that there isn't."""
    try:
        body = str(event["comment"]["body"])
        who = str(event["comment"]["author_association"])
        number = int(event["issue"]["number"])
        is_pull_request = "pull_request" in event["issue"]
        branch = str(event["repository"]["default_branch"])
    except (KeyError, TypeError, ValueError) as error:
        raise Refused("the event isn't one of a comment") from error
    line = body.strip().splitlines()[0].strip() if body.strip() else ""
    said = _COMMAND.fullmatch(line)
    if said is None or not is_pull_request:
        return "nothing is asked for"
    if who not in MAINTAINERS:
        raise Refused("only who maintains this repository may start a run")
    known("suite", said[1], catalog.file.suite)
    inputs = {"pull_request": str(number), "suite": said[1]}
    github.post(f"actions/workflows/{BUILD}/dispatches", {"ref": branch, "inputs": inputs})
    return f"pull request {number}: the suite {said[1]} was started"

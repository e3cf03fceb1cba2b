"""What a comparison waits for, said in its pull request's status: a maintainer, or a machine that may be
off.
"""

from __future__ import annotations

import calendar
import time
from collections.abc import Iterator
from typing import Final

import msgspec

from telar.github import pull_request, runs
from telar.github.api import GitHub
from telar.github.runs import Job, Machine

PATIENCE: Final = 30 * 60  # seconds after which a machine that doesn't take a job is worth a word
LOOKED_AT: Final = 100  # of the newest runs


class Waiting(msgspec.Struct, frozen=True, kw_only=True):
    head: str
    line: str


def say(github: GitHub, path: str, where: Machine, now: float) -> list[Waiting]:
    """Sets the statuses that say something new; these. `now`: seconds since 1970."""
    said: list[Waiting] = []
    for found, url in _waiting(github, path, where, now):
        status = github.get(f"commits/{found.head}/status")
        lines = [s["description"] for s in status["statuses"] if s["context"] == pull_request.CONTEXT]
        if found.line not in lines:
            pull_request.say(github, found.head, "pending", found.line, url)
            said.append(found)
    return said


def _waiting(github: GitHub, path: str, where: Machine, now: float) -> Iterator[tuple[Waiting, str]]:
    name = path.removeprefix(runs.FOLDER)
    listed = github.get(f"actions/workflows/{name}/runs", event="workflow_run", per_page=LOOKED_AT)
    for each in listed["workflow_runs"]:
        run = None if each["status"] == "completed" else runs.run_of(each)
        number = runs.build_number(run) if run else None
        if run is None or number is None:
            continue
        job = next((j for j in runs.jobs(github, run.id) if j.name.endswith(runs.JOB)), None)
        own = pull_request.open_with(github, runs.get(github, number))
        line = _line(job, where, now) if job else ""
        if own is not None and line:
            yield Waiting(head=str(own["head"]["sha"]), line=line), run.url


def _line(job: Job, where: Machine, now: float) -> str:
    since = calendar.timegm(time.strptime(job.created, "%Y-%m-%dT%H:%M:%SZ"))
    words = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(since))
    if job.status == "waiting":
        return f"waits for a maintainer's approval since {words}"
    if job.status in ("queued", "pending") and now - since > PATIENCE:
        return f"no machine has taken it since {words}: is one with {', '.join(where.labels)} online?"
    return ""

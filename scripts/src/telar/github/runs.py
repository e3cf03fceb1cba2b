"""Which run of which workflow this is, by what GitHub's API says of it: never by what a run says of itself.

A pull request brings its own copy of a workflow's file, and GitHub runs that copy: its name, its jobs and its
artifacts are a stranger's. A workflow that starts on `workflow_run` is always the default branch's. So a
verdict is taken from such a run alone, and only where its job `compare` ended well, on the machine that
measures, after a maintainer's approval.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from telar.errors import ConfigError, Refused
from telar.github.api import GitHub

BUILD: Final = "bench-pr.yml"  # builds the pull request's side, with the pull request's own copy of this file
COMPARE: Final = "bench-compare.yml"  # main's: measures, and says the verdict
JOB: Final = "compare"
BASE_JOB: Final = "base"
ENVIRONMENT: Final = "benchmark"
LABELS: Final = ("self-hosted", "telar")
FOLDER: Final = ".github/workflows/"
HOSTED: Final = "GitHub Actions"  # the group of the machines that anybody may have
_NAMED = re.compile(r"compare run ([0-9]{1,18}) at ([0-9a-f]{40})")  # run-name of bench-compare.yml
_SHA = re.compile(r"[0-9a-f]{40}")
_ASKED = re.compile(r"telar run ([a-z0-9-]{1,60}) on #([0-9]{1,9})")  # run-name of a run that was asked for


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """A workflow run, as GitHub tells it."""

    id: int
    path: str  # of the workflow's file, from the repository's root
    event: str
    head: str  # commit
    branch: str
    repository: str  # OWNER/NAME that the head is in
    conclusion: str  # empty while it goes on
    title: str
    url: str
    attempt: int = 1  # GitHub runs it again under the same id

    @property
    def asked(self) -> tuple[str, int] | None:
        """Suite and pull request, where a maintainer's comment asked for this run."""
        said = _ASKED.fullmatch(self.title) if self.event == "workflow_dispatch" else None
        return (said[1], int(said[2])) if said else None


class Job(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    conclusion: str
    labels: tuple[str, ...]
    group: str  # of the machine that it ran on
    status: str  # queued, waiting (for an approval), in_progress, completed, …
    created: str  # when, in ISO 8601
    completed: str  # likewise; empty while it goes on


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """Where a comparison has to have run."""

    labels: tuple[str, ...] = LABELS
    group: str = ""  # of runners; any but GitHub's own where the owner names none


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """A run of bench-compare.yml that may be believed, and the build that it compared."""

    run: Run
    build: Run
    completed: str  # when its verdict was there, in ISO 8601
    nothing: bool  # no variant runs otherwise for what was changed: nothing was measured


def machine() -> Machine:
    """As the repository's variables say. Raises ConfigError."""
    try:
        said = msgspec.json.decode(os.environ.get("TELAR_RUNS_ON") or "[]", type=list[str] | str)
    except msgspec.DecodeError as error:
        raise ConfigError(
            f"TELAR_RUNS_ON: {error}", hint='a JSON list of labels, or one as "telar"'
        ) from error
    labels = (said,) if isinstance(said, str) else tuple(said)
    return Machine(labels=labels or LABELS, group=os.environ.get("TELAR_RUNNER_GROUP", ""))


def run_of(found: Any) -> Run:
    """From the API or an event. Raises Refused when it is none."""
    try:
        run = Run(
            id=int(found["id"]),
            path=str(found["path"]).partition("@")[0],
            event=str(found["event"]),
            head=str(found["head_sha"]),
            branch=str(found["head_branch"]),
            repository=str(found["head_repository"]["full_name"]),
            conclusion=str(found["conclusion"] or ""),
            title=str(found["display_title"]),
            url=str(found["html_url"]),
            attempt=int(found.get("run_attempt") or 1),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Refused("GitHub tells of no workflow run") from error
    if not _SHA.fullmatch(run.head):
        raise Refused("the run names no commit")
    return run


def build_number(run: Run) -> int | None:
    """Of the run that this one compared, as it is named."""
    named = _NAMED.fullmatch(run.title)
    return int(named[1]) if named else None


def get(github: GitHub, number: int) -> Run:
    return run_of(github.get(f"actions/runs/{number}"))


def build_of(github: GitHub, number: int, path: str) -> Run:
    """The run that built a pull request's side. Raises Refused where it is of another workflow or event."""
    run = get(github, number)
    if run.path != path:
        raise Refused(f"what was built is of another workflow than {path}")
    if run.event == "pull_request":
        return run
    if run.event == "workflow_dispatch" and run.asked:
        own = github.about()
        if run.repository == own["full_name"] and run.branch == own["default_branch"]:
            return run
    raise Refused("what was built isn't of a pull request")


def compared(github: GitHub, number: int, path: str, build_path: str, where: Machine) -> Compared:
    """The run with this number, when its verdict may be believed. Raises Refused with the reason."""
    run, own = get(github, number), github.about()
    _require(run.path == path, f"the run is of another workflow than {path}")
    _require(run.event == "workflow_run", "the run isn't one that main started")
    _require(run.repository == own["full_name"] and run.branch == own["default_branch"],
             "the run isn't one of the default branch")  # fmt: skip
    named = _NAMED.fullmatch(run.title)
    if named is None:
        raise Refused("the run doesn't say what it compared")
    build = build_of(github, int(named[1]), build_path)
    _require(build.head == named[2], "the run compared another commit than was built")
    if build.conclusion != "success":
        raise Refused(f"its build ended with: {build.conclusion or 'nothing yet'}")
    every = jobs(github, number)
    compare, base = _only(every, JOB), _only(every, BASE_JOB)
    if compare.conclusion == "skipped" and base.conclusion == "skipped":
        return Compared(run=run, build=build, completed=compare.completed, nothing=True)
    _require(compare.conclusion == "success",
             f"the job {JOB} ended with: {compare.conclusion or 'nothing yet'}")  # fmt: skip
    _require_machine(compare, where)
    if not own["private"]:  # a private repository has no strangers, and mostly no such approvals
        _require_approval(github, number)
    return Compared(run=run, build=build, completed=compare.completed, nothing=False)


def latest(github: GitHub, path: str, head: str) -> Run | None:
    """The newest run that compared this commit; None when there is none yet."""
    name = path.removeprefix(FOLDER)
    query: dict[str, str | int] = {"event": "workflow_run"}
    for found in github.every(f"actions/workflows/{name}/runs", key="workflow_runs", **query):
        named = _NAMED.fullmatch(str(found["display_title"]))
        if named and named[2] == head and found["conclusion"]:
            return run_of(found)
    return None


def jobs(github: GitHub, number: int) -> list[Job]:
    """Those of a run's last attempt."""
    every = github.every(f"actions/runs/{number}/jobs", key="jobs", filter="latest")
    return [
        Job(
            name=str(job["name"]),
            conclusion=str(job["conclusion"] or ""),
            labels=tuple(map(str, job["labels"])),
            group=str(job.get("runner_group_name") or ""),
            status=str(job["status"]),
            created=str(job["created_at"]),
            completed=str(job.get("completed_at") or ""),
        )
        for job in every
    ]


def _only(every: Sequence[Job], name: str) -> Job:
    """The job of this name; in a reusable workflow it has the caller's before it."""
    found = [job for job in every if job.name.rpartition(" / ")[2] == name]
    if len(found) != 1:
        raise Refused(f"the run has {len(found)} jobs called {name}")
    return found[0]


def _require_machine(job: Job, where: Machine) -> None:
    _require(set(where.labels) <= set(job.labels), f"the job {job.name} asked for another machine")
    _require(job.group != HOSTED, f"the job {job.name} ran on a machine of GitHub's")
    if where.group:
        _require(job.group == where.group, f"the job {job.name} ran on a machine of another group")


def _require_approval(github: GitHub, number: int) -> None:
    reviews = github.get(f"actions/runs/{number}/approvals")
    approved = any(
        review["state"] == "approved" and ENVIRONMENT in [str(e["name"]) for e in review["environments"]]
        for review in reviews
    )
    _require(approved, f"no maintainer approved it: the environment {ENVIRONMENT} needs a required reviewer")


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise Refused(reason)

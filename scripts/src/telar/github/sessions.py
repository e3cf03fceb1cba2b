"""Sessions that earlier runs measured and never published: the next publisher takes them along.

A concurrency group holds one job that runs and one that waits. A third one takes the place of the one that
waits, which GitHub cancels. So a publisher can't count on its turn, and what it leaves is looked for by the
next.
"""

from __future__ import annotations

import io
import re
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import msgspec

from telar.errors import RunError
from telar.github import runs
from telar.github.api import GitHub

WORKFLOW: Final = "bench.yml"
JOB: Final = "publish"
EVENTS: Final = ("push", "schedule", "workflow_dispatch")
DAYS: Final = 30  # GitHub keeps artifacts for longer, but what no one fetched in a month isn't missed
LARGEST: Final = 500_000_000  # bytes of an artifact
UNPACKED: Final = 4 * LARGEST
_NAME = re.compile(r"sessions-[0-9]{1,4}")


class Left(msgspec.Struct, frozen=True, kw_only=True):
    """An artifact with sessions that a run left."""

    run: int
    artifact: int
    name: str


def left(github: GitHub, mine: int, now: float) -> list[Left]:
    """What finished runs of main left, but for the run `mine`; oldest first. `now`: seconds since 1970."""
    own, since = github.about(), time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(now - DAYS * 86_400))
    found: list[Left] = []
    for run in _since(github, str(own["default_branch"]), since):
        number = int(run["id"])
        theirs = run["head_repository"]["full_name"] != own["full_name"] or run["event"] not in EVENTS
        if number != mine and not theirs and not _published(github, run):
            found = [*_artifacts(github, number), *found]
    return found


def fetch(github: GitHub, artifact: Left, folder: Path) -> Path:
    """Its sessions, in a folder of their own. Raises RunError where it can't be had or isn't whole."""
    packed = github.download(f"actions/artifacts/{artifact.artifact}/zip", LARGEST)
    if packed is None:
        raise RunError(f"{artifact.name} of run {artifact.run} is larger than {LARGEST:,} bytes")
    target = folder / f"{artifact.run}-{artifact.artifact}"
    try:
        with zipfile.ZipFile(io.BytesIO(packed)) as archive:
            if sum(e.file_size for e in archive.infolist()) > UNPACKED:
                raise RunError(f"{artifact.name} of run {artifact.run} unpacks to too much")
            archive.extractall(target)  # takes no path out of its folder
    except (zipfile.BadZipFile, OSError) as error:
        raise RunError(f"{artifact.name} of run {artifact.run} isn't whole: {error}") from error
    return target


def _since(github: GitHub, branch: str, since: str) -> Iterator[Any]:
    listed = github.every(f"actions/workflows/{WORKFLOW}/runs", key="workflow_runs", branch=branch)
    for run in listed:  # the newest first
        if str(run["created_at"]) < since:
            return
        yield run


def _published(github: GitHub, run: Any) -> bool:
    """Whether its sessions are in the history, or will be by its own doing."""
    if run["conclusion"] == "success":
        return True
    own = [job for job in runs.jobs(github, int(run["id"])) if job.name == JOB]
    if run["status"] != "completed" and not any(job.conclusion for job in own):
        return True  # its turn may come
    return any(job.conclusion == "success" for job in own)


def _artifacts(github: GitHub, run: int) -> Iterator[Left]:
    for artifact in github.every(f"actions/runs/{run}/artifacts", key="artifacts"):
        if _NAME.fullmatch(str(artifact["name"])) and not artifact["expired"]:
            yield Left(run=run, artifact=int(artifact["id"]), name=str(artifact["name"]))

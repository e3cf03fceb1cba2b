"""Whether a store still holds what was put into it: every record whole, unchanged, and in its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import msgspec

from telar.errors import StoreError
from telar.store.decode import Fault, RecordError
from telar.store.files import Session, left_over, read_record, sessions
from telar.store.record import Record

Wrong = Fault | Literal["copied", "plan"]


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """A file that isn't what was put there."""

    fault: Wrong
    path: str  # below the folder that was verified
    problem: str


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """What a session has of what it planned."""

    session: str
    planned: int
    whole: int  # records: readable, unchanged, in their place
    to_run: int  # runs without a record
    gaps: tuple[str, ...]  # those of them that come before a run with one: left out, or lost
    findings: tuple[Finding, ...]


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    sessions: tuple[Kept, ...]
    left_over: tuple[str, ...]  # files of writing that was cut short, which are never read

    @property
    def findings(self) -> list[Finding]:
        return [finding for session in self.sessions for finding in session.findings]


def verify(data: Path) -> Verified:
    """Looks at every session below `data`; or at one, when `data` is its folder."""
    root = data.parent if (data / "plan.json").exists() else data
    folders = [data] if root != data else sorted({s.folder for s in sessions(data)} | _without_plan(data))
    kept = tuple(_session(Session(folder), root) for folder in folders)
    parts = [part for f in folders for part in (f, f / "records", f / "superseded")]
    left = [p for part in parts for p in left_over(part)]
    return Verified(sessions=kept, left_over=tuple(str(p.relative_to(root)) for p in left))


def _without_plan(data: Path) -> set[Path]:
    """Folders with records that no plan explains."""
    return {p.parent for p in data.glob("*/records") if any(p.iterdir())}


def _session(session: Session, root: Path) -> Kept:
    try:
        plan = session.plan
    except StoreError as error:
        path = session.folder / "plan.json"
        problem = error.message.removeprefix(f"{path}: ")
        findings: tuple[Finding, ...] = (_finding("plan", path, problem, root),)
        return Kept(session=session.id, planned=0, whole=0, to_run=0, gaps=(), findings=findings)
    contents = list(session.contents("*"))
    missing = [run for run in plan.runs if not session.has(run.name)]
    last = max((run.position for run in plan.runs if session.has(run.name)), default=0)
    return Kept(
        session=session.id,
        planned=len(plan.runs),
        whole=sum(isinstance(each, Record) for each in contents),
        to_run=len(missing),
        gaps=tuple(run.name for run in missing if run.position < last),
        findings=tuple(_damaged([*contents, *session.superseded("*")], root)),
    )


def _damaged(contents: list[Record | RecordError], root: Path) -> Iterator[Finding]:
    own = {each.run_id: each.position for each in contents if isinstance(each, Record)}
    for each in contents:
        if not isinstance(each, RecordError):
            continue
        original = own.get(_run_id(each.path)) if each.fault == "foreign" else None
        if original is None:
            yield _finding(each.fault, each.path, each.problem, root)
        else:
            yield _finding("copied", each.path, f"is a copy of run {original}'s record", root)


def _run_id(path: Path) -> str:
    try:
        return read_record(path).run_id
    except RecordError:
        return ""


def _finding(fault: Wrong, path: Path, problem: str, root: Path) -> Finding:
    return Finding(fault=fault, path=str(path.relative_to(root)), problem=problem)

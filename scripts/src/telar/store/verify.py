"""Whether a store still holds what was put into it: every record whole, unchanged, and in its place."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from telar.errors import StoreError
from telar.store.files import Session, read_record, sessions


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    problem: str


class Verified(msgspec.Struct, frozen=True, kw_only=True):
    sessions: int
    records: int  # whole and unchanged
    missing: int  # runs that are planned and have no record yet: `telar run --resume`
    findings: tuple[Finding, ...]


def verify(data: Path) -> Verified:
    """Looks at every session below `data`."""
    found = sessions(data)
    findings: list[Finding] = []
    good = missing = 0
    seen: dict[str, Path] = {}
    for session in found:
        try:
            planned = {r.name: r for r in session.plan.runs}
        except StoreError as error:
            findings.append(Finding(path=str(session.folder / "plan.json"), problem=error.message))
            continue
        own = [*_strangers(session, set(planned))]
        for name, run in planned.items():
            path = session.record_path(name)
            if not path.exists():
                missing += 1
                continue
            problem = _problem(path, session, run.position, seen)
            own += [Finding(path=str(path), problem=problem)] if problem else []
            good += not problem
        findings += own
    return Verified(sessions=len(found), records=good, missing=missing, findings=tuple(findings))


def _strangers(session: Session, planned: set[str]) -> Iterator[Finding]:
    """Files among the records that no run of the plan has written."""
    for path in sorted((session.folder / "records").glob("*")):
        if path.name.removesuffix(".json") not in planned or path.suffix != ".json":
            yield Finding(path=str(path), problem="is no record of a run that this session has planned")


def _problem(path: Path, session: Session, position: int, seen: dict[str, Path]) -> str:
    try:
        record = read_record(path)
    except StoreError as error:
        return error.message.removeprefix(f"{path}: ")
    if (record.session, record.position) != (session.id, position):
        return f"belongs to run {record.position} of the session {record.session}"
    first = seen.setdefault(record.run_id, path)
    return "" if first == path else f"is a copy of {first}"

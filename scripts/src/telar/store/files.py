"""Sessions and records as files: append-only, each written whole or not at all.

<data>/<session>/plan.json
<data>/<session>/records/<run>.json
<data>/<session>/logs/<run>/…
"""

from __future__ import annotations

import errno
import json
import os
import uuid
from pathlib import Path
from typing import Any

import msgspec

from telar.errors import EnvironmentProblem, StoreError
from telar.plan.cells import Plan
from telar.store import seal
from telar.store.record import Record
from telar.store.upgrade import READABLE, upgraded

SEALED_SINCE = 2  # the format that brought the digest


def write_atomically(path: Path, content: bytes) -> None:
    """Writes, syncs, renames: a reader sees the whole file or none, also after a power cut."""
    # Not a file of tempfile's, which only its owner could read: whoever shows results may be another.
    aside = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with aside.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            aside.replace(path)
        except BaseException:
            aside.unlink(missing_ok=True)
            raise
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise EnvironmentProblem(
            f"{path}: can't be written: {error.strerror}", hint="free some room on that disk" if full else ""
        ) from error


def read_record(path: Path) -> Record:
    """The record in a file, of any format there ever was.

    Raises StoreError naming the file and what is wrong with it: not JSON, not a record, of a format that
    isn't known, changed after it was written.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path}: can't be read: {error.strerror}") from error
    try:
        raw = json.loads(content, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise StoreError(
            f"{path}: is not whole JSON: {error}", hint="truncated or edited: see git"
        ) from error
    version = raw.get("format") if isinstance(raw, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version not in READABLE:
        known = ", ".join(map(str, sorted(READABLE)))
        raise StoreError(
            f"{path}: format {version!r}; this Telar reads {known}", hint="a newer Telar reads it"
        )
    if version >= SEALED_SINCE and raw.get(seal.FIELD) != seal.digest(raw):
        raise StoreError(f"{path}: was changed after it was written: its digest doesn't fit")
    return _decoded(path, upgraded(raw))


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is no number")


def _decoded(path: Path, raw: dict[str, Any]) -> Record:
    try:
        return msgspec.convert(raw, type=Record)
    except msgspec.ValidationError as error:
        raise StoreError(f"{path}: {error}") from error


class Session:
    """The runs made on one machine in one go, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.id = folder.name

    @classmethod
    def create(cls, folder: Path, plan: Plan) -> Session:
        path = folder / "plan.json"
        if path.exists():
            raise StoreError(f"{path}: there is a session of this name already")
        write_atomically(path, pretty(plan))
        return cls(folder)

    @property
    def plan(self) -> Plan:
        path = self.folder / "plan.json"
        try:
            return msgspec.json.decode(path.read_bytes(), type=Plan)
        except OSError as error:
            raise StoreError(f"{path}: can't be read: {error.strerror}") from error
        except msgspec.DecodeError as error:
            raise StoreError(f"{path}: {error}") from error

    def record_path(self, run_name: str) -> Path:
        return self.folder / "records" / f"{run_name}.json"

    def log_folder(self, run_name: str) -> Path:
        return self.folder / "logs" / run_name

    def has(self, run_name: str) -> bool:
        return self.record_path(run_name).exists()

    def add(self, run_name: str, record: Record) -> Path:
        path = self.record_path(run_name)
        if path.exists():
            raise StoreError(f"{path}: there is a record already, and records are never changed")
        content = seal.sealed(msgspec.json.encode(record))
        _decoded(path, json.loads(content))  # what can't be read again (a NaN has become null) isn't kept
        write_atomically(path, content)
        return path

    def records(self) -> list[Record]:
        """All of them, by position."""
        found = [read_record(p) for p in sorted((self.folder / "records").glob("*.json"))]
        return sorted(found, key=lambda r: r.position)


def pretty(value: object) -> bytes:
    """JSON that a person can read and git can diff."""
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def sessions(data: Path) -> list[Session]:
    """All sessions under `data`, oldest first (their names begin with their time)."""
    return [Session(p.parent) for p in sorted(data.glob("*/plan.json"))]

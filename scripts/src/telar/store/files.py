"""Sessions and records as files: append-only, each written whole or not at all.

<data>/<session>/plan.json
<data>/<session>/records/<run>.json
<data>/<session>/logs/<run>/…
"""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

import msgspec

from telar.errors import EnvironmentProblem, StoreError
from telar.plan.cells import Plan
from telar.store.record import FORMAT, Record


def write_atomically(path: Path, content: bytes) -> None:
    """Writes, syncs, renames: a reader sees the whole file or none, also after a power cut."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise EnvironmentProblem(
            f"{path}: can't be written: {error.strerror}", hint="is the disk full?"
        ) from error


def read_record(path: Path) -> Record:
    """The record in a file. Raises StoreError naming the file and the place in it that is wrong."""
    try:
        content = path.read_bytes()
        version = json.loads(content).get("format")
    except OSError as error:
        raise StoreError(f"{path}: can't be read: {error.strerror}") from error
    except (ValueError, AttributeError) as error:
        raise StoreError(f"{path}: is not a JSON object: {error}") from error
    if version != FORMAT:
        raise StoreError(f"{path}: format {version!r}, but this Telar reads format {FORMAT}")
    try:
        return msgspec.json.decode(content, type=Record)
    except msgspec.ValidationError as error:
        raise StoreError(f"{path}: {error}") from error


class Session:
    """The runs made on one machine in one go, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.id = folder.name

    @classmethod
    def create(cls, folder: Path, plan: Plan) -> Session:
        write_atomically(folder / "plan.json", pretty(plan))
        return cls(folder)

    @property
    def plan(self) -> Plan:
        path = self.folder / "plan.json"
        try:
            return msgspec.json.decode(path.read_bytes(), type=Plan)
        except OSError as error:
            raise StoreError(f"{path}: can't be read: {error.strerror}") from error
        except (msgspec.ValidationError, msgspec.DecodeError) as error:
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
        write_atomically(path, pretty(record))
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

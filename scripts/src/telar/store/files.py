"""Sessions and records as files: append-only, each written whole or not at all.

<data>/<session>/plan.json
<data>/<session>/records/<run>.json
<data>/<session>/superseded/<run>+<run id>.json   windows that were measured again
<data>/<session>/logs/<run>/…
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import msgspec

from telar.errors import EnvironmentProblem, StoreError
from telar.plan.cells import Plan, PlannedRun
from telar.plan.stored import plan_in
from telar.store import seal
from telar.store.decode import REPAIR, RecordError, decode
from telar.store.record import Record


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
        _sync_names(path.parent)
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        raise EnvironmentProblem(
            f"{path}: can't be written: {error.strerror}", hint="free some room on that disk" if full else ""
        ) from error


def _sync_names(folder: Path) -> None:
    """A name is kept in its folder, and that folder's name in the one above it."""
    for each in (folder, folder.parent):
        descriptor = os.open(each, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def left_over(folder: Path) -> list[Path]:
    """What writing that was cut short (a kill, a power cut) has left in a folder. It is never read."""
    return sorted(p for p in folder.glob(".*." + 8 * "[0-9a-f]") if p.is_file())


def read_record(path: Path) -> Record:
    """The record in a file, of any format there ever was.

    Raises RecordError naming the file and what is wrong with it: not whole, not a record, of a format that
    isn't known, changed after it was written.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise RecordError(path, "unreadable", f"can't be read: {error.strerror}") from error
    return decode(path, content)


class Session:
    """The runs made on one machine in one go, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.id = folder.name

    @classmethod
    def begin(cls, data: Path, what: str, plan: Plan) -> Session:
        """A new one, named by its UTC time and what it is. Several machines may begin one of a suite in the
        same second, and their sessions end in one history: four letters by chance tell them apart.
        """
        begun = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        return cls.create(data / f"{begun}-{secrets.token_hex(2)}-{what}", plan)

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
            return plan_in(path.read_bytes())
        except OSError as error:
            raise StoreError(f"{path}: can't be read: {error.strerror}") from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise StoreError(f"{path}: {error}") from error

    def record_path(self, run_name: str) -> Path:
        return self.folder / "records" / f"{run_name}.json"

    def log_folder(self, run_name: str) -> Path:
        return self.folder / "logs" / run_name

    def has(self, run_name: str) -> bool:
        return self.record_path(run_name).exists()

    def add(self, run_name: str, record: Record) -> Path:
        return self._write(self.record_path(run_name), record)

    def supersede(self, run: PlannedRun, record: Record) -> None:
        """Keeps the record of a window of this run that is measured again: evidence, in no number."""
        self._write(self.folder / "superseded" / f"{run.name}+{record.run_id}.json", record)

    def set_aside(self, record: Record, run: PlannedRun) -> None:
        """The run's record becomes that of a window that is measured again: moved, else as it was."""
        to = self.folder / "superseded" / f"{run.name}+{record.run_id}.json"
        to.parent.mkdir(exist_ok=True)
        self.record_path(run.name).replace(to)
        for folder in (to.parent, self.folder / "records"):
            _sync_names(folder)

    def _write(self, path: Path, record: Record) -> Path:
        if path.exists():
            raise StoreError(f"{path}: there is a record already, and records are never changed")
        try:
            content = seal.sealed(msgspec.json.encode(record))
        except (ValueError, OverflowError) as error:  # a number or a text that JSON has no way to write
            raise StoreError(f"{path}: can't be written as JSON: {error}") from error
        again = decode(path, content)
        if msgspec.structs.replace(again, digest=record.digest) != record:  # a NaN becomes null
            raise StoreError(f"{path}: isn't read as it was written: it holds a number that is none")
        write_atomically(path, content)
        return path

    def contents(self, pattern: str = "*.json") -> Iterator[Record | RecordError]:
        """Each file among the records, in the order of their names: the record, or what is wrong with it."""
        planned = {f"{run.name}.json": run for run in self.plan.runs}
        for path in _whole(self.folder / "records", pattern):
            try:
                yield self._own(path, planned.get(path.name))
            except RecordError as error:
                yield error

    def remove_if_empty(self) -> None:
        """Removes the session, unless there is anything but its plan."""
        if [p.name for p in self.folder.iterdir()] == ["plan.json"]:
            shutil.rmtree(self.folder)

    def superseded(self, pattern: str = "*.json") -> Iterator[Record | RecordError]:
        """Likewise of the windows that were measured again."""
        planned = {run.name: run for run in self.plan.runs}
        for path in _whole(self.folder / "superseded", pattern):
            name, _, run_id = path.stem.rpartition("+")
            try:
                record = self._own(path, planned.get(name))
                if record.run_id != run_id:
                    raise RecordError(path, "foreign", f"holds the record with the run id {record.run_id}")
                yield record
            except RecordError as error:
                yield error

    def _own(self, path: Path, run: PlannedRun | None) -> Record:
        """The run's record. Raises RecordError when it is of another run or session."""
        if run is None:
            raise RecordError(path, "foreign", "is named as no run of this session's plan")
        record = read_record(path)
        same_run = (record.position, record.repetition, record.cell, record.pair) == (
            run.position,
            run.repetition,
            run.cell,
            run.pair,
        )
        if record.session != self.id or not same_run:
            of = f"belongs to run {record.position} ({record.cell.label}) of the session {record.session}"
            raise RecordError(path, "foreign", of)
        return record

    def records(self) -> list[Record]:
        """All of them, by position. Raises RecordError rather than leave one out."""
        found = list(self.contents())
        damaged = [each for each in found if isinstance(each, RecordError)]
        if len(damaged) == 1:
            raise damaged[0]
        if damaged:
            problem = f"{damaged[0].problem}; {len(damaged)} records of this session are damaged"
            hint = f"telar store verify names them all. {REPAIR}"
            raise RecordError(damaged[0].path, damaged[0].fault, problem, hint=hint)
        return sorted((each for each in found if isinstance(each, Record)), key=lambda r: r.position)


def _whole(folder: Path, pattern: str) -> list[Path]:
    """Those that aren't being written, or left over."""
    return sorted(p for p in folder.glob(pattern) if not p.name.startswith("."))


def pretty(value: object) -> bytes:
    """JSON that a person can read and git can diff."""
    return msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n"


def sessions(data: Path) -> list[Session]:
    """All sessions under `data`, oldest first (their names begin with their time)."""
    return [Session(p.parent) for p in sorted(data.glob("*/plan.json"))]

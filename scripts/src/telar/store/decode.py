"""From the bytes of a file to the record in it, or to what is wrong with them."""

from __future__ import annotations

import json
from math import isinf
from pathlib import Path
from typing import Any, Literal

import msgspec

from telar.catalog.places import place
from telar.errors import StoreError
from telar.store import seal
from telar.store.record import Record
from telar.store.sound import contradiction
from telar.store.upgrade import READABLE, SEALED_SINCE, FormatError, upgraded

Fault = Literal["unreadable", "truncated", "garbled", "newer", "edited", "unsound", "foreign"]
REPAIR = "put a copy of it back, or move it away: telar run --resume makes that run again"


class RecordError(StoreError):
    """A file that isn't the record that was written into it."""

    def __init__(self, path: Path, fault: Fault, problem: str, *, hint: str = REPAIR) -> None:
        super().__init__(f"{path}: {problem}", hint=hint)
        self.path, self.fault, self.problem = path, fault, problem


def decode(path: Path, content: bytes) -> Record:
    """The record in a file's content, of any format there ever was. Raises RecordError."""
    raw = _json(path, content)
    version = raw.get("format")
    if type(version) is not int or version not in READABLE:
        known = ", ".join(map(str, sorted(READABLE)))
        newer = type(version) is int and version > max(READABLE)
        raise RecordError(
            path,
            "newer" if newer else "unsound",
            f"format {version!r}; this Telar reads {known}",
            hint="a newer Telar reads it" if newer else REPAIR,
        )
    if version >= SEALED_SINCE and raw.get(seal.FIELD) != seal.digest(raw):
        raise RecordError(path, "edited", "was changed after it was written: its digest doesn't fit")
    try:
        return _record(upgraded(raw))
    except (FormatError, msgspec.ValidationError) as error:
        raise RecordError(path, "unsound", str(error)) from error


def _json(path: Path, content: bytes) -> dict[str, Any]:
    try:
        raw = json.loads(
            content.decode(), parse_constant=_refused, parse_float=_finite, object_pairs_hook=_without_doubles
        )
        seal.canonical(raw)  # nor text that can't be written: half of a surrogate pair
    except (ValueError, RecursionError) as error:
        # As it was written it ends with the only brace at the beginning of a line.
        fault: Fault = "garbled" if content.rstrip().endswith(b"\n}") else "truncated"
        raise RecordError(path, fault, f"is not whole JSON: {error}") from error
    if not isinstance(raw, dict):
        raise RecordError(path, "garbled", "is JSON, but no object")
    return raw


def _record(raw: dict[str, Any]) -> Record:
    """Raises ValidationError with the place of what is wrong."""
    try:
        record = msgspec.convert(raw, type=Record)
    except msgspec.ValidationError as error:
        raise msgspec.ValidationError(_placed(raw, str(error))) from error
    if problem := contradiction(record):
        raise msgspec.ValidationError(problem)
    return record


def _placed(raw: dict[str, Any], message: str) -> str:
    reason, _, where = message.partition(" - at ")
    steps, _ = place(raw, Record, where)
    return f"{'.'.join(['$', *steps])}: {reason}"


def _refused(constant: str) -> float:
    raise ValueError(f"{constant} is no number")


def _finite(text: str) -> float:
    number = float(text)
    return _refused(text) if isinf(number) else number


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        double = next(name for n, (name, _) in enumerate(pairs) if name in dict(pairs[:n]))
        raise ValueError(f"{double!r} is there twice")
    return found

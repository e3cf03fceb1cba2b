"""What the rows of the matrix came to, kept from test to table (`table.py`)."""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / ".telar" / "faults"


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    fault: str
    stage: str
    engine: str
    survived: bool
    says: str
    lost_records: int
    left_behind: int
    seconds: float  # from the start of telar to its end


def keep(row: str, seen: Seen) -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    _path(row).write_bytes(msgspec.json.encode(seen))


def kept(row: str) -> Seen | None:
    path = _path(row)
    return msgspec.json.decode(path.read_bytes(), type=Seen) if path.exists() else None


def _path(row: str) -> Path:
    return FOLDER / f"{hashlib.sha256(row.encode()).hexdigest()[:16]}.json"

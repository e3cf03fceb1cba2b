"""How often the change detector errs, as `telar evaluate` measured it: in git beside the noise floors."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import msgspec

from telar.errors import StoreError
from telar.store.files import pretty, write_atomically
from telar.store.record import Number, Part

FIGURES: Final = Path("reference") / "detector.json"  # below benchmarks-data/
FORMAT: Final = 1


class Step(Part, frozen=True, kw_only=True):
    """Levels that were shifted on purpose by one and the same share."""

    share: Number
    found: Number  # share of them that was reported, point by point
    delay: Number | None  # points until it was reported: the median of those found


class Detector(Part, frozen=True, kw_only=True):
    format: Literal[1] = FORMAT
    measured: str  # the day, UTC
    false_alarms: Number  # for the worse, per 1,000 points of series in which nothing was changed
    on_rulers: Number  # of benchmarks whose code never changes
    steps: tuple[Step, ...]


def read(path: Path) -> Detector | None:
    """None where there is no file. Raises StoreError when it can't be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Detector)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StoreError(f"{path}: {error}", hint="telar evaluate --write makes it again") from error


def write(path: Path, found: Detector) -> None:
    write_atomically(path, pretty(found))

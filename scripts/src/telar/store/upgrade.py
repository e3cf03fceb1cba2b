"""Records of older formats, lifted to today's: one function for each step, from a number to the next.

What an old record never held stays unknown; it is not made up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from telar.store.record import FORMAT

Json = dict[str, Any]


def upgraded(record: Json) -> Json:
    """The same record in today's format. The number must be one of `READABLE`."""
    while record["format"] != FORMAT:
        record = UPGRADERS[record["format"]](record)
    return record


def _from_1(record: Json) -> Json:
    """Format 2 brought gates: a record that none has looked at is kept, and compared with nothing."""
    load = record.get("load")
    return record | {
        "format": 2,
        "load": load and {**load, "bytes": {}, "late": None},
        "gates": [],
        "validity": "invalid",
    }


UPGRADERS: dict[int, Callable[[Json], Json]] = {1: _from_1}
READABLE = {*UPGRADERS, FORMAT}

"""Records of older formats, lifted to today's: one function for each step, from a number to the next.

What an old record never held stays unknown; it is not made up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from telar.store.record import FORMAT

Json = dict[str, Any]

SEALED_SINCE = 2  # the format that brought the digest


class FormatError(ValueError):
    """A record that isn't of the format that it says."""


def upgraded(record: Json) -> Json:
    """The same record in today's format. The number must be one of `READABLE`."""
    while record["format"] != FORMAT:
        record = UPGRADERS[record["format"]](record)
    return record


FIELDS_OF_1 = {
    "format", "run_id", "session", "suite", "position", "repetition", "cell", "started", "finished",
    "outcome", "provenance", "timeline", "stopped", "load", "latencies", "failures", "metrics", "series",
    "telemetry_gaps", "database",
}  # fmt: skip


def _from_1(record: Json) -> Json:
    """Format 2 brought gates: a record that none has looked at is kept, and compared with nothing."""
    for name in sorted(record.keys() - FIELDS_OF_1):
        # Were it taken, a newer record could be changed together with its format's number, and lose its seal.
        raise FormatError(f"$.{name}: unknown in format 1")
    load = record.get("load")
    if isinstance(load, dict):
        load = load | {"bytes": {}, "late": None}
    return record | {"format": 2, "load": load}


UPGRADERS: dict[int, Callable[[Json], Json]] = {1: _from_1}
READABLE = {*UPGRADERS, FORMAT}

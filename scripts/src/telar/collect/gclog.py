"""The JVM's own garbage collection log: pauses, and what was allocated between them.

The log is written with `-Xlog:gc:file=…:timemillis` (see `run/java.py`). Micrometer's allocation
counter advances only at a collection; the log's heap sizes before and after each collection, with the
heap in use at a moment between, give the bytes allocated up to that moment.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

MIB = 1024 * 1024
_STOPS = re.compile(r"^\[\d+ms\].*?Using (?:Epsilon|G1|Parallel|Serial)\b", re.MULTILINE)
_PAUSE = re.compile(r"^\[(\d+)ms\].*?GC\(\d+\) Pause (\w+).*? (\d+)M->(\d+)M\(\d+M\) ([\d.]+)ms\s*$")


@dataclass(frozen=True, kw_only=True)
class Collection:
    time: float  # seconds since the epoch, at the pause's end
    collects: bool  # not so for G1's Remark and Cleanup, pauses of a cycle that runs beside the app
    before: int  # bytes in use
    after: int
    pause_ms: float


def read(path: Path) -> list[Collection] | None:
    """All stop-the-world pauses in the log, in order; a torn last line is left out.

    None without a log, or of a collector that works beside the app (Z, Shenandoah): its log tells neither its
    pauses nor what the app allocated while it worked.
    """
    log = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    if not _STOPS.search(log):
        return None
    matches = map(_PAUSE.match, log.splitlines())
    return [
        Collection(
            time=int(m.group(1)) / 1000,
            collects=m.group(2) not in {"Remark", "Cleanup"},
            before=int(m.group(3)) * MIB,
            after=int(m.group(4)) * MIB,
            pause_ms=float(m.group(5)),
        )
        for m in matches
        if m
    ]


def allocated_until(collections: list[Collection], time: float, used: float) -> float:
    """Bytes allocated since the JVM's start, given the heap in use at `time`.

    Between collections the heap grows by what is allocated; each collection takes `before - after`
    away. So: allocated = in use now + all that was collected before.
    """
    done = bisect_right([c.time for c in collections], time)
    return used + sum(c.before - c.after for c in collections[:done])

"""The JVM's own garbage collection log: its collector, pauses, and what was allocated between them.

The log is written with `-Xlog:gc:file=…:timemillis` (see `run/java.py`). Micrometer's allocation
counter advances only at a collection; the log's heap sizes before and after each collection, with the
heap in use at a moment between, give the bytes allocated up to that moment.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

MIB = 1024 * 1024
# Their log tells each pause, and what it did to the heap. Epsilon never collects.
STOPPING = frozenset({"Epsilon", "G1", "Parallel", "Serial"})
SLACK = 0.002  # seconds: the log's times are cut to milliseconds, and written just after a pause
_LINE = r"^\[(\d+)ms\].*?GC\(\d+\) "
_USING = re.compile(r"^\[\d+ms\].*?Using (?:The )?(\w+)", re.MULTILINE)
_PAUSE = re.compile(_LINE + r"Pause (\w+).*? (\d+)M->(\d+)M\(\d+M\) ([\d.]+)ms\s*$")
# What a collector that works beside the app leaves in use at the end of a collection.
_BESIDE = re.compile(
    _LINE + r"(?:(?:Garbage|Minor|Major) Collection|Concurrent cleanup).*? "
    r"\d+M(?:\(\d+%\))?->(\d+)M\(\d+[%M]\)(?: [\d.]+m?s)?\s*$"
)


@dataclass(frozen=True, kw_only=True)
class Collection:
    time: float  # seconds since the epoch, at the pause's end
    collects: bool  # not so for G1's Remark and Cleanup, pauses of a cycle that runs beside the app
    before: int  # bytes in use
    after: int
    pause_ms: float


@dataclass(frozen=True, kw_only=True)
class Live:
    """What was left in use by a collection."""

    time: float  # seconds since the epoch, at its end
    heap: int  # bytes


@dataclass(frozen=True, kw_only=True)
class Log:
    """What the whole log says, from the JVM's start on; a torn last line is left out."""

    collector: str  # `G1`, `Serial`, `Z`, …; empty without a log
    # All pauses, in order. None of a collector that works beside the app (Z, Shenandoah): its log tells
    # neither its pauses nor what the app allocated while it worked.
    collections: tuple[Collection, ...] | None
    live: tuple[Live, ...]  # after each collection, in order; of the young ones where only these are


def read(path: Path) -> Log:
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    using = _USING.search(text)
    collector = using.group(1) if using else ""
    if collector not in STOPPING:
        beside = (m for m in map(_BESIDE.match, text.splitlines()) if m)
        live = tuple(Live(time=int(m.group(1)) / 1000, heap=int(m.group(2)) * MIB) for m in beside)
        return Log(collector=collector, collections=None, live=live)
    matches = map(_PAUSE.match, text.splitlines())
    collections = tuple(
        Collection(
            time=int(m.group(1)) / 1000,
            collects=m.group(2) not in {"Remark", "Cleanup"},
            before=int(m.group(3)) * MIB,
            after=int(m.group(4)) * MIB,
            pause_ms=float(m.group(5)),
        )
        for m in matches
        if m
    )
    live = tuple(Live(time=c.time, heap=c.after) for c in collections if c.collects)
    return Log(collector=collector, collections=collections, live=live)


def allocated_at(
    collections: Sequence[Collection], begun: float, ended: float, used: float
) -> tuple[float, float] | None:
    """(moment, bytes allocated since the JVM's start until then), by a reading of the heap in use that was
    made somewhere between two moments.

    Between collections the heap grows by what is allocated; each collection takes `before - after`
    away. So: allocated = in use now + all that was collected before. None where a collection was under way
    while the heap was read: whether the reading has it is not known.
    """
    if any(c.time + SLACK >= begun and c.time - c.pause_ms / 1000 - SLACK <= ended for c in collections):
        return None
    done = bisect_right([c.time for c in collections], begun)
    return (begun + ended) / 2, used + sum(c.before - c.after for c in collections[:done])

"""What Telar has each JVM record by itself, with Java Flight Recorder: what its threads allocate, and each
time a virtual thread holds on to its carrier.

Micrometer's apps have a recording of their own running for their metric of pinned threads, which knows those
over 20 ms only; requests take a fraction of a millisecond here. See docs/method.md for what it costs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import dropwhile
from pathlib import Path

from telar.analyse.timed import Calls
from telar.collect.jfr import Chunk, Event, Reference, Torn, Value, reached_by
from telar.store import record

FOLDER, SETTINGS = "jfr", "telar.jfc"  # in a run's folder
PINNED, ALLOCATED = "jdk.VirtualThreadPinned", "jdk.ThreadAllocationStatistics"
TIMED = "jdk.MethodTiming"  # from JDK 25 on, where somebody asked for it (run/http/timed.py)
DEPTH = 32  # frames: the locks and the driver's code are the innermost
_JFC = f"""<?xml version="1.0" encoding="UTF-8"?>
<configuration version="2.0" label="telar" description="pinned virtual threads, and what threads allocate">
  <event name="{PINNED}">
    <setting name="enabled">true</setting>
    <setting name="stackTrace">true</setting>
    <setting name="threshold">0 ns</setting>
  </event>
  <event name="{ALLOCATED}">
    <setting name="enabled">true</setting>
    <setting name="period">1 s</setting>
  </event>
</configuration>
"""
# Frames of the JDK's that every pin has: who waited is what comes after them.
_PARKING = ("java.lang.VirtualThread.", "java.lang.System$", "jdk.internal.misc.VirtualThreads.",
            "java.util.concurrent.locks.LockSupport.", "jdk.internal.vm.Continuation.")  # fmt: skip
KEPT, FRAMES = 5, 24  # places in a record, and frames of each: the lock is held far out


@dataclass(frozen=True, kw_only=True)
class Pin:
    """A virtual thread that waited without giving its carrier to another."""

    time: float  # seconds since the epoch, at its start
    seconds: float
    reason: str  # as the JVM says it, from JDK 24 on; else empty
    stack: tuple[str, ...]  # innermost frame first, `class.method:line`


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """Of a stretch of time."""

    pins: tuple[Pin, ...]
    allocated: tuple[tuple[float, int], ...]  # (moment, bytes that all threads have allocated until then)


def options(folder: Path) -> list[str]:
    """Of a JVM whose run has this folder."""
    return [
        f"-XX:StartFlightRecording=name=telar,settings={folder / SETTINGS},disk=true,maxsize=200m",
        f"-XX:FlightRecorderOptions=repository={folder / FOLDER},stackdepth={DEPTH}",
    ]


def prepare(folder: Path) -> None:
    (folder / SETTINGS).write_text(_JFC, encoding="utf-8")


def reached(folder: Path) -> float:
    """Up to which moment the recording is on disk (seconds since the epoch); 0 where there is none yet."""
    heads = []
    for path in _files(folder):
        try:
            with path.open("rb") as file:
                heads.append(reached_by(file.read(128)))
        except (OSError, Torn):
            continue
    return max(heads, default=0.0)


def places(pins: Iterable[Pin]) -> tuple[record.Pin, ...]:
    """Where pins come from: those that are the longest together, each of the places once."""
    found: dict[tuple[str, tuple[str, ...]], list[float]] = {}
    for pin in pins:
        waited = tuple(dropwhile(lambda frame: frame.startswith(_PARKING), pin.stack))[:FRAMES]
        found.setdefault((pin.reason, waited), []).append(pin.seconds)
    longest = sorted(found.items(), key=lambda item: sum(item[1]), reverse=True)[:KEPT]
    return tuple(
        record.Pin(count=len(each), seconds=sum(each), reason=reason, stack=stack)
        for (reason, stack), each in longest
    )


def read(folder: Path, start: float, end: float) -> Recorded | None:
    """What the JVM of the run with this folder has written about a stretch of time; None where it has no
    recording, or one that can't be read.

    Of allocation also the reading before `start`: of a thread without one in the stretch, the last counts on.
    """
    pins: list[Pin] = []
    last: dict[int, int] = {}  # thread -> bytes; one that has ended keeps its own
    totals: dict[float, int] = {}
    chunks = list(_chunks(folder))
    for chunk in chunks:
        stacks: dict[int, tuple[str, ...]] = {}
        try:
            for event in chunk.events({PINNED: start, ALLOCATED: 0.0}, end):
                if event.type == PINNED:
                    pins.append(_pin(chunk, event, stacks))
                else:
                    last[event.fields["thread"].key] = event.fields["allocated"]
                    totals[event.time] = sum(last.values())
        except Torn:
            return None
    allocated = tuple((time, total) for time, total in sorted(totals.items()) if time >= start)
    return Recorded(pins=tuple(pins), allocated=allocated) if chunks else None


def timings(folder: Path, start: float, end: float) -> dict[str, Calls]:
    """`a.b.Class::method` -> its calls between two moments at which none was under way.

    The JVM writes sums since it began, every now and then: the last before the start, and the first after the
    end. A method of which it wrote nothing after the end is left out. Overloads, which share a name, are
    summed up.
    """
    before: dict[tuple[str, str, str], Calls] = {}
    after: dict[tuple[str, str, str], Calls] = {}
    for chunk in _chunks(folder):
        try:
            events = sorted(chunk.events({TIMED: 0.0}, math.inf), key=lambda e: e.time)
            for event in events:
                method, said = _overload(chunk, event.fields["method"]), _calls(chunk, event)
                if event.time <= start:
                    before[method] = said
                elif event.time >= end:
                    after.setdefault(method, said)
        except Torn:
            continue
    found: dict[str, Calls] = {}
    for method, own in after.items():
        name, none = "::".join(method[:2]), Calls(count=0, seconds=0.0, least=math.inf)
        others, already = found.get(name, none), before.get(method, none)
        found[name] = Calls(
            count=others.count + own.count - already.count,
            seconds=others.seconds + own.seconds - already.seconds,
            least=min(others.least, own.least if own.count else math.inf),
        )
    return {name: own if own.count else replace(own, least=0.0) for name, own in found.items()}


def _calls(chunk: Chunk, event: Event) -> Calls:
    count, average, least = (event.fields[name] for name in ("invocations", "average", "minimum"))
    return Calls(count=count, seconds=count * chunk.seconds(average), least=chunk.seconds(least))


def _overload(chunk: Chunk, reference: Value) -> tuple[str, str, str]:
    """The class, the name, and what it takes and gives."""
    method = chunk.resolved(reference) or {}
    takes = (chunk.resolved(method.get("descriptor")) or {}).get("string")
    return (*_method(chunk, reference), str(chunk.resolved(takes) or "?"))


def _method(chunk: Chunk, reference: Value) -> tuple[str, str]:
    """Its class and its name."""
    method = chunk.resolved(reference) or {}
    owner = chunk.resolved(method.get("type")) or {}
    names = [(chunk.resolved(held.get("name")) or {}).get("string") for held in (owner, method)]
    known = [str(chunk.resolved(name) or "?") for name in names]
    return known[0].replace("/", "."), known[1]


def _files(folder: Path) -> list[Path]:
    return sorted((folder / FOLDER).glob("*/*.jfr"))


def _chunks(folder: Path) -> Iterator[Chunk]:
    for path in _files(folder):
        try:
            yield Chunk(path.read_bytes())
        except (OSError, Torn):  # begun just now, or removed for its age
            continue


def _pin(chunk: Chunk, event: Event, stacks: dict[int, tuple[str, ...]]) -> Pin:
    stack: Value = event.fields.get("stackTrace")
    if isinstance(stack, Reference) and stack.key not in stacks:
        stacks[stack.key] = _frames(chunk, stack)
    reason = chunk.resolved(event.fields.get("pinnedReason"))
    return Pin(
        time=event.time,
        seconds=chunk.seconds(event.fields["duration"]),
        reason=reason if isinstance(reason, str) else "",
        stack=stacks.get(stack.key, ()) if isinstance(stack, Reference) else (),
    )


def _frames(chunk: Chunk, stack: Reference) -> tuple[str, ...]:
    frames = (chunk.resolved(stack) or {}).get("frames", ())
    return tuple(_words(chunk, frame) for frame in frames)


def _words(chunk: Chunk, frame: Value) -> str:
    line = frame["lineNumber"]
    return ".".join(_method(chunk, frame["method"])) + (f":{line}" if line > 0 else "")

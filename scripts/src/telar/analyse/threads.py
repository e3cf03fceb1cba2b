"""What threads do on a side, and why virtual and platform threads differ there: of profiled windows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

import msgspec

from telar.store.record import Record

SHOWN = 3  # places of pins


@dataclass(frozen=True, kw_only=True)
class Sample:
    """Of the scheduler of virtual threads, at a moment."""

    carriers: int  # that may be at work at once
    busy: int  # of them
    queued: int  # virtual threads that could go on and wait for one


class Place(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where virtual threads were pinned to their carriers."""

    count: float  # for each thousand requests
    milliseconds: float  # the same
    reason: str
    stack: tuple[str, ...]  # innermost frame first


class Threads(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of one side; None is what its JVM doesn't say."""

    os_threads: float | None
    switches: float | None  # voluntary, a request
    pool_waiting: float | None  # for a connection, at most
    pins: float | None  # for each thousand requests
    pinned: float | None  # ms, the same
    carriers: int | None = None
    busy: float | None = None  # in the mean
    queued: float | None = None
    queued_most: int | None = None
    places: tuple[Place, ...] = ()


def of_side(records: Sequence[Record], samples: Sequence[Sample]) -> Threads:
    """`records`: of its windows, each with a load."""
    requests = sum(sum(r.load.requests.values()) for r in records if r.load)

    def of_thousand(metric: str) -> float | None:
        found = [r.metrics[metric].value for r in records if metric in r.metrics]
        return 1000 * sum(found) / requests if len(found) == len(records) and requests else None

    def mean(metric: str) -> float | None:
        found = [r.metrics[metric].value for r in records if metric in r.metrics]
        return fmean(found) if found else None

    return Threads(
        os_threads=mean("os-threads"),
        switches=mean("context-switches"),
        pool_waiting=mean("pool-waiting"),
        pins=of_thousand("pins"),
        pinned=of_thousand("pinned"),
        carriers=samples[0].carriers if samples else None,
        busy=fmean(s.busy for s in samples) if samples else None,
        queued=fmean(s.queued for s in samples) if samples else None,
        queued_most=max(s.queued for s in samples) if samples else None,
        places=tuple(_places(records, requests)),
    )


def _places(records: Sequence[Record], requests: int) -> list[Place]:
    """The longest first."""
    counts: dict[tuple[str, tuple[str, ...]], list[float]] = defaultdict(lambda: [0.0, 0.0])
    for pin in (pin for record in records for pin in record.pins):
        own = counts[pin.reason, pin.stack]
        own[0] += pin.count
        own[1] += pin.seconds
    longest = sorted(counts.items(), key=lambda item: -item[1][1])[:SHOWN]
    return [
        Place(
            count=1000 * count / requests,
            milliseconds=1e6 * seconds / requests,
            reason=reason,
            stack=stack,
        )
        for (reason, stack), (count, seconds) in longest
        if requests
    ]

"""When a schedule's arrivals are due, and how long each of them waited in the generator.

A generator that is short of processor time sends late. Latencies that begin with the sending leave that out,
just when it matters (Gil Tene's "coordinated omission"). So latency here is from the due time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from math import ceil, sqrt

from telar.store.record import Stage


def due(stages: Sequence[Stage]) -> Iterator[float]:
    """Seconds from the window's start at which the schedule's integral reaches 1, 2, 3, …"""
    before, number = 0.0, 1
    for stage in stages:
        length = stage.end - stage.start
        slope = (stage.to_rate - stage.from_rate) / length
        whole = (stage.from_rate + stage.to_rate) / 2 * length
        while number <= before + whole + 1e-9:
            yield stage.start + _time_of(number - before, stage.from_rate, slope)
            number += 1
        before += whole


def waits(
    begun: Mapping[int, float], dropped: Sequence[float], planned: Sequence[float], generators: int = 1
) -> dict[int, float] | None:
    """Seconds from the moment at which each arrival was due until it was begun; None where it can't be known.

    `begun`: number of an arrival -> when it was begun, on any clock. `dropped`: when arrivals were dropped,
    on the same clock; they have no number. Both are of one of so many `generators`, which take the numbers in
    turns. `planned`: when the whole schedule's arrivals are due, in order.

    k6 hands arrivals out in the order in which they are due, and numbers them as they begin. So the number is
    the place in the schedule, but for what was dropped before. k6 doesn't say when its schedule began: the
    clock's zero is that of the most punctual hundredth.
    """
    numbers, lost = sorted(begun), sorted(dropped)
    # None was handed out later than one of a higher number was begun.
    handed = [*accumulate((begun[n] for n in reversed(numbers)), min)][::-1]
    late: dict[int, float] = {}
    before = 0  # dropped ones
    for number, latest in zip(numbers, handed, strict=True):
        while before < len(lost) and lost[before] < latest:
            before += 1
        place = number + generators * before
        if place >= len(planned):
            return None  # more than the schedule has: these numbers mean something else
        late[number] = begun[number] - planned[place]
    zero = quantile(late.values(), 0.01) if late else 0.0
    return {number: max(0.0, seconds - zero) for number, seconds in late.items()}


def quantile(values: Iterable[float], share: float) -> float:
    """The least of the values that so large a share of them stayed under or met."""
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered)) - 1)]


def _time_of(arrivals: float, rate: float, slope: float) -> float:
    """When rate × t + slope × t² / 2 reaches so many arrivals."""
    if abs(slope) < 1e-9:  # noqa: PLR2004 - level
        return arrivals / rate
    return (sqrt(max(0.0, rate * rate + 2 * slope * arrivals)) - rate) / slope

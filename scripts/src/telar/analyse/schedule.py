"""When a schedule's arrivals are due, and how late they came: a generator's own health.

A generator that is short of processor time sends late, and what waited there is in nobody's latency
(Gil Tene's "coordinated omission").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import sqrt

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


def lateness(starts: Sequence[float], stages: Sequence[Stage], quantile: float = 0.99) -> float:
    """Seconds by which arrivals came late, at a quantile: counted from the most punctual hundredth of them.

    `starts` are the arrivals' times on any clock, dropped ones included; 0 without any.
    """
    late = sorted(start - planned for start, planned in zip(sorted(starts), due(stages), strict=False))
    if not late:
        return 0.0
    return late[int(quantile * (len(late) - 1))] - late[len(late) // 100]


def _time_of(arrivals: float, rate: float, slope: float) -> float:
    """When rate × t + slope × t² / 2 reaches so many arrivals."""
    if abs(slope) < 1e-9:  # noqa: PLR2004 - level
        return arrivals / rate
    return (sqrt(max(0.0, rate * rate + 2 * slope * arrivals)) - rate) / slope

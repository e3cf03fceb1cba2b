"""Failures and dropped arrivals of pairs: counts that come in bursts.

Requests don't fail one by one: a neighbour's second of work makes eleven of one window time out. A test that
takes each of them for a trial of its own is sure of a difference then. So a pair of windows is one value here
as elsewhere, log (head + 1) ÷ (base + 1), and the noise known beforehand is that of bursts.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from telar.analyse.posterior import Prior
from telar.store.record import Record

COUNTS = ("failures", "dropped")  # their ratio says nothing
# Gates that fail for what the app itself does. What a window counted is believed where no other one failed.
OF_THE_APP = frozenset({"arrivals", "status", "little", "state", "saturation", "speed"})
# Of windows: one standard deviation is e - 1 = 1.7 failures more, 2.5 of them a burst of eleven.
BURSTS = Prior(between=0.5, within=1.0, forks=8, pairs=24)

Sides = tuple[Record, Record]


def counted(forks: Sequence[Sequence[Sides]], metric: str) -> list[list[tuple[int, int]]]:
    """Of each pair that counts, fork by fork: base's and head's. Client-side failures aren't the app's."""
    found = [[(_count(a, metric), _count(b, metric)) for a, b in own if _counts(a, b)] for own in forks]
    return [own for own in found if own]


def ratios(counts: Sequence[Sequence[tuple[int, int]]]) -> list[list[float]]:
    return [[math.log((b + 1) / (a + 1)) for a, b in own] for own in counts]


def few(counts: Sequence[Sequence[tuple[int, int]]], arrivals: int, allowed: float) -> bool:
    """Whether head's are more than base's by no more than a share of its arrivals."""
    return sum(b - a for own in counts for a, b in own) <= allowed * arrivals


def _counts(*sides: Record) -> bool:
    return all(OF_THE_APP.issuperset(g.name for g in r.gates if g.verdict == "fail") for r in sides)


def _count(record: Record, metric: str) -> int:
    found = record.metrics.get(metric)
    whole = round(found.value) if found else 0
    if metric != "failures":
        return whole
    return max(0, whole - sum(f.count for f in record.failures if f.side == "client"))

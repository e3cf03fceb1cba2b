"""Series that are made up, of known noise and with known steps, and how a detector does on them.

The kinds are those in which detectors err most: noise that follows itself (autoregressive, AR(1)), runner
pools that switch between two machines, and levels that wander without a step. A decision is made at each
point.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist, mean, median, stdev
from typing import TypeAlias

Ask: TypeAlias = Callable[[Sequence[float]], list[tuple[int, bool]]]  # changes: where, and whether up
Known: TypeAlias = dict[bool, list[int]]

NOISE = 0.03  # standard deviation of a series' values around its level, as a share of it
POINTS = 200
FIRST = 10  # points before the first decision
SAME = 5  # points within which two reports of one direction are one
WITHIN = 30  # points after a step in which it must be reported
STEPS = (1.0, 2.0, 4.0)  # of the noise
POOL, POOL_NOISE, RUN = 0.12, 0.015, 10  # distance of two machines; noise on each; points in a row on one
SURE = NormalDist().inv_cdf(0.975)


def _level(shape: Sequence[float]) -> list[float]:
    return [100 * math.exp(x) for x in shape]


def _following(dice: random.Random, phi: float, spread: float = NOISE) -> list[float]:
    """AR(1): x(t) = phi x(t-1) + e, of that standard deviation."""
    found, x = [], dice.gauss(0, spread)
    for _ in range(POINTS):
        found.append(x)
        x = phi * x + dice.gauss(0, spread * math.sqrt(1 - phi * phi))
    return found


def _pool(dice: random.Random, runs: Callable[[], int]) -> list[float]:
    found: list[float] = []
    slow, left = dice.random() < 1 / 2, dice.randint(1, runs())
    while len(found) < POINTS:
        if not left:
            slow, left = not slow, runs()
        found.append(slow * math.log1p(POOL) + dice.gauss(0, POOL_NOISE))
        left -= 1
    return found


def _any_run(dice: random.Random) -> int:
    return 1 + int(dice.expovariate(1 / RUN))


FAMILIES: dict[str, Callable[[random.Random], list[float]]] = {
    "independent": lambda dice: _following(dice, 0.0),
    "AR(1) .3": lambda dice: _following(dice, 0.3),
    "AR(1) .6": lambda dice: _following(dice, 0.6),
    "AR(1) .9": lambda dice: _following(dice, 0.9),
    "pool, runs of ten": lambda dice: _pool(dice, lambda: RUN),
    "pool, any runs": lambda dice: _pool(dice, lambda: _any_run(dice)),
    "wandering": lambda dice: [
        slow + dice.gauss(0, NOISE * 0.7) for slow in _following(dice, 0.97, NOISE * 0.7)
    ],
}


@dataclass(frozen=True, kw_only=True)
class Step:
    noises: float  # its size, in standard deviations of the noise
    share: float  # and as a share of the level
    found: float  # share of the series in which it was reported
    low: float  # 95 % confidence interval of it (Wilson 1927)
    high: float
    delay: float | None  # points until then, the median


@dataclass(frozen=True, kw_only=True)
class Result:
    family: str
    series: int
    points: int  # decisions
    false: float  # reports of either direction per 1,000 points
    low: float  # 95 % confidence interval of it, over series
    high: float
    worse: float  # of them, upwards
    steps: tuple[Step, ...]


def evaluate(family: str, ask: Ask, series: int) -> Result:
    """So many series of a family, always the same ones: without a step, and with one of each size."""
    false: list[tuple[int, int]] = []
    delays: dict[float, list[int | None]] = {size: [] for size in STEPS}
    for number in range(series):
        dice = random.Random(f"{family} {number}")  # noqa: S311 - nothing secret
        values = _level(FAMILIES[family](dice))
        at = round(POINTS * dice.uniform(0.45, 0.65))
        reports = _reports(ask, values)
        false.append((len(reports), sum(reports)))
        for size in STEPS:
            delays[size].append(_delay(ask, values, at, 1 + size * NOISE))
    decisions = POINTS - FIRST + 1
    counts = [1000 * every / decisions for every, _ in false]
    half = SURE * stdev(counts) / math.sqrt(series) if series > 1 else math.inf
    none = 3000 / (decisions * series)  # the rule of three, where nothing was reported
    return Result(
        family=family,
        series=series,
        points=decisions * series,
        false=mean(counts),
        low=max(0.0, mean(counts) - half),
        high=mean(counts) + half if any(counts) else none,
        worse=mean(1000 * up / decisions for _, up in false),
        steps=tuple(_step(size, own) for size, own in delays.items()),
    )


def _step(size: float, delays: Sequence[int | None]) -> Step:
    count, hits = len(delays), [d for d in delays if d is not None]
    share, weight = len(hits) / count, SURE * SURE / count
    middle = (share + weight / 2) / (1 + weight)
    half = math.sqrt(share * (1 - share) * weight + weight * weight / 4) / (1 + weight)
    return Step(
        noises=size,
        share=size * NOISE,
        found=share,
        low=max(0.0, middle - half),
        high=min(1.0, middle + half),
        delay=median(hits) if hits else None,
    )


def _fresh(known: Known, said: list[tuple[int, bool]]) -> list[tuple[int, bool]]:
    """Those that weren't reported before, and from now on were."""
    found = []
    for index, up in sorted(said):
        if all(abs(index - k) > SAME for k in known[up]):
            found.append((index, up))
        known[up].append(index)
    return found


def _reports(ask: Ask, values: Sequence[float]) -> list[bool]:
    """A direction for each report, up or not, of a detector that sees point after point."""
    known: Known = {True: [], False: []}
    return [up for n in range(FIRST, len(values) + 1) for _, up in _fresh(known, ask(values[:n]))]


def _delay(ask: Ask, values: Sequence[float], at: int, factor: float) -> int | None:
    """Points until a step up at `at` is reported; None where it isn't in time."""
    known: Known = {True: [], False: []}
    _fresh(known, ask(values[:at]))
    stepped = [*values[:at], *(v * factor for v in values[at:])]
    for n in range(at + 1, at + WITHIN + 1):
        if any(up and index >= at - SAME for index, up in _fresh(known, ask(stepped[:n]))):
            return n - at
    return None

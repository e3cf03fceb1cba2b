"""Whether an assertion holds: an estimate with its confidence interval, and the bounds for it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, stdev
from typing import Literal

import msgspec

from telar.analyse.interval import LEAST, MISS, change

Word = Literal["reproduced", "not reproduced", "undecided"]


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """Of a level, in its unit, or of a ratio; with the 95 % confidence interval."""

    value: float
    low: float
    high: float


def level(values: Sequence[float]) -> Estimate | None:
    """The mean of runs that are taken for independent, by Student's t. None for too few."""
    from scipy.special import stdtrit  # noqa: PLC0415 - half a second that others needn't wait for

    if len(values) < LEAST:
        return None
    mean = fmean(values)
    reach = float(stdtrit(len(values) - 1, 1 - MISS / 2)) * stdev(values) / math.sqrt(len(values))
    return Estimate(value=mean, low=mean - reach, high=mean + reach)


def highest(values: Sequence[float]) -> Estimate | None:
    """The largest of the runs, which is known without an interval: whether something happened. None for too
    few."""
    top = max(values, default=0.0)
    return Estimate(value=top, low=top, high=top) if len(values) >= LEAST else None


def ratio(of: Sequence[float], against: Sequence[float]) -> Estimate | None:
    """of ÷ against, by `interval.change`. None for too few runs, and where a value isn't above 0."""
    found = change(against, of)
    if found is None:
        return None
    return Estimate(value=1 + found.effect, low=1 + found.low, high=1 + found.high)


def word(estimate: Estimate | None, least: float | None, most: float | None) -> Word:
    """Reproduced where the whole interval is in the bounds, not reproduced where all of it is outside."""
    if estimate is None:
        return "undecided"
    least, most = -math.inf if least is None else least, math.inf if most is None else most
    if least <= estimate.low and estimate.high <= most:
        return "reproduced"
    return "not reproduced" if estimate.high < least or estimate.low > most else "undecided"


def together(words: Sequence[Word]) -> Word:
    """Of all assertions of a claim: each must hold."""
    if "not reproduced" in words:
        return "not reproduced"
    return "undecided" if "undecided" in words or not words else "reproduced"

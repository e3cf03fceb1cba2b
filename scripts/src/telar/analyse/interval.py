"""How far two levels of a series are apart: the effect, its confidence interval, its chance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, variance

import msgspec

LEAST = 3  # values on each side: fewer tell no spread
MISS = 0.05  # of the interval


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """As shares: 0.2 is 20 % more. `p`: the chance of at least as much where nothing moved."""

    effect: float
    low: float
    high: float
    p: float


def change(before: Sequence[float], after: Sequence[float]) -> Change | None:
    """Of the mean logarithm, by Welch's t with Satterthwaite's degrees of freedom (B. L. Welch, "The
    generalization of 'Student's' problem when several different population variances are involved", 1947).
    Points are taken for independent. None for too few values, and for values that have no logarithm.
    """

    from scipy.special import stdtr, stdtrit  # noqa: PLC0415 - half a second that others needn't wait for

    if min(len(before), len(after)) < LEAST or min(*before, *after) <= 0:
        return None
    old, new = [math.log(v) for v in before], [math.log(v) for v in after]
    effect = fmean(new) - fmean(old)
    parts = [(variance(values) / len(values), len(values) - 1) for values in (old, new)]
    whole = math.fsum(part for part, _ in parts)
    if whole == 0:
        share = math.expm1(effect)
        return Change(effect=share, low=share, high=share, p=1.0 if effect == 0 else 0.0)
    freedom = whole**2 / math.fsum(part**2 / degrees for part, degrees in parts)
    error = math.sqrt(whole)
    reach = float(stdtrit(freedom, 1 - MISS / 2)) * error
    return Change(
        effect=math.expm1(effect),
        low=math.expm1(effect - reach),
        high=math.expm1(effect + reach),
        p=2 * float(stdtr(freedom, -abs(effect) / error)),
    )

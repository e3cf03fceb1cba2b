"""How much measurements of one and the same build differ: the noise floor (docs/method.md).

Values are compared by the differences of their natural logarithms, so that a spread is a share of the value
and twice as much is as far away as half as much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, fmean

import msgspec

FALSE_ALARMS = 0.01  # two-sided


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Standard deviations of logarithms: of what a group has in common, and inside groups."""

    between: float
    within: float
    groups: int
    values: int

    @property
    def total(self) -> float:
        """Of one value, of any group."""
        return math.hypot(self.between, self.within)


def spread(groups: Sequence[Sequence[float]], *, centre: float | None = None) -> Spread:
    """The components of variance of values in groups, by the method of moments.

    With `centre` the true mean is known, as it is of an A/A difference: 0. Searle, Casella and McCulloch,
    "Variance Components" (1992), ch. 3: one-way classification, unbalanced; a negative estimate is zero.
    Needs two groups (one, with `centre`), and one group of two values.
    """
    sizes = [len(g) for g in groups]
    count, total = len(groups), sum(sizes)
    freedom = total - count
    degrees = count if centre is not None else count - 1
    if freedom < 1 or degrees < 1:
        raise ValueError(f"{count} groups of {total} values say nothing about a spread")
    means = [fmean(g) for g in groups]
    middle = fmean([v for g in groups for v in g]) if centre is None else centre
    within = sum((v - mean) ** 2 for g, mean in zip(groups, means, strict=True) for v in g) / freedom
    between = sum(n * (mean - middle) ** 2 for n, mean in zip(sizes, means, strict=True)) / degrees
    lost = 0.0 if centre is not None else sum(n * n for n in sizes) / total
    size = (total - lost) / degrees
    return Spread(
        between=math.sqrt(max(0.0, (between - within) / size)),
        within=math.sqrt(within),
        groups=count,
        values=total,
    )


def replay(runs: Spread) -> float:
    """What two independent runs of one build differ by, as a share, in all but 1 % of cases."""
    return math.expm1(NormalDist().inv_cdf(1 - FALSE_ALARMS / 2) * math.sqrt(2) * runs.total)

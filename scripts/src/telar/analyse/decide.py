"""Worse, better, same or undecided: what pairs of windows say of a metric, looked at several times.

The data are logarithms of head ÷ base, one for each pair of windows, in forks. Windows of a fork share what
its two JVMs happened to become, so that the model has two variances: between forks, and inside them
(docs/method.md).

Looking at data while they come and stopping when they please makes false alarms, unless each look has its
own part of the error: alpha spending (Lan and DeMets, "Discrete sequential boundaries for clinical trials",
1983), here with the power family t³ (Kim and DeMets 1987) and the union bound, so that no look needs to know
of the others: a look's p-value is divided by its part, and the smallest counts. Over a family of metrics and
variants the false discovery rate is kept by Benjamini and Hochberg (1995). "Same" is an equivalence decision
by two one-sided tests (Schuirmann 1987) against the smallest change that matters, never the absence of a
difference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean, stdev
from typing import Literal, TypeVar

from telar.analyse.noise import Spread

Word = Literal["worse", "better", "same", "undecided"]
POWER = 0.80
K = TypeVar("K")


@dataclass(frozen=True, kw_only=True)
class Prior:
    """The noise of A/A pairs, as a calibration measured it, and how much of it there was."""

    between: float  # standard deviations of logarithms
    within: float
    forks: int
    pairs: int

    @classmethod
    def of(cls, spread: Spread) -> Prior:
        return cls(between=spread.between, within=spread.within, forks=spread.groups, pairs=spread.values)


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """The mean of the logarithms, weighted by what is known of each fork, and its standard error."""

    effect: float
    error: float
    freedom: float
    forks: int
    pairs: int

    def interval(self, miss: float) -> tuple[float, float]:
        """That holds the true effect but for a chance of `miss`, as shares."""
        reach = _quantile(1 - miss / 2, self.freedom) * self.error
        return math.expm1(self.effect - reach), math.expm1(self.effect + reach)

    def different(self) -> float:
        """The p-value of no difference."""
        if self.error == 0:
            return 1.0 if self.effect == 0 else 0.0
        return 2 * _beyond(abs(self.effect) / self.error, self.freedom)

    def equivalent(self, matters: float) -> float:
        """The p-value of a difference of at least `matters` in either direction."""
        margin = math.log1p(matters) - abs(self.effect)
        if self.error == 0:
            return 0.0 if margin > 0 else 1.0
        return _beyond(margin / self.error, self.freedom)

    def smallest(self, chance: float) -> float:
        """The smallest effect, as a share, that this many pairs would have shown four times of five."""
        if self.error == 0:
            return 0.0
        reach = _quantile(1 - chance / 2, self.freedom) + _quantile(POWER, self.freedom)
        return math.expm1(reach * self.error)


def _quantile(share: float, freedom: float) -> float:
    """Of Student's t."""
    from scipy.special import stdtrit  # noqa: PLC0415 - half a second that other commands needn't wait for

    return float(stdtrit(freedom, share))


def _beyond(value: float, freedom: float) -> float:
    """The chance of a larger one."""
    from scipy.special import stdtr  # noqa: PLC0415 - as above

    return float(stdtr(freedom, -value))


def estimate(forks: Sequence[Sequence[float]], prior: Prior | None) -> Estimate | None:
    """None where the noise isn't known: without a calibration two forks are needed.

    With one: generalised least squares for the one-way random model; variances pooled with the calibration's
    by their degrees of freedom (Searle, Casella and McCulloch 1992, ch. 3), the mean's by Satterthwaite
    (1946). Without: Student's test on the means of the forks, since two forks that happen to agree would
    make the variance between forks vanish, and with it the doubt.
    """
    forks = [f for f in forks if f]
    count, total = len(forks), sum(map(len, forks))
    if not count:
        return None
    if prior is None:
        return _of_means([fmean(f) for f in forks], total)
    free_prior = max(1, prior.pairs - prior.forks)
    free_inside = total - count + free_prior
    squares = sum((v - fmean(f)) ** 2 for f in forks for v in f)
    inside = (squares + prior.within**2 * free_prior) / free_inside
    between, free_own = _between(forks, inside)
    free_between = free_own + prior.forks
    between = (between * free_own + prior.between**2 * prior.forks) / free_between
    weights = [1 / v if (v := between + inside / len(f)) else math.inf for f in forks]
    if math.inf in weights:
        effect, error = fmean(v for f in forks for v in f), 0.0
    else:
        effect = sum(w * fmean(f) for w, f in zip(weights, forks, strict=True)) / sum(weights)
        error = 1 / math.sqrt(sum(weights))
    share = sum(len(f) for f in forks) / count
    parts = (between / count, free_between), (inside / (count * share), free_inside)
    whole = sum(v for v, _ in parts)
    freedom = whole**2 / sum(v * v / f for v, f in parts) if whole else float(free_inside)
    return Estimate(effect=effect, error=error, freedom=freedom, forks=count, pairs=total)


def _of_means(means: Sequence[float], pairs: int) -> Estimate | None:
    if len(means) < 2:  # noqa: PLR2004 - one says nothing of a spread
        return None
    error = stdev(means) / math.sqrt(len(means))
    return Estimate(effect=fmean(means), error=error, freedom=len(means) - 1, forks=len(means), pairs=pairs)


def _between(forks: Sequence[Sequence[float]], inside: float) -> tuple[float, int]:
    """The variance between forks by the method of moments, and its degrees of freedom."""
    count, total = len(forks), sum(map(len, forks))
    if count < 2:  # noqa: PLR2004 - one says nothing of a spread
        return 0.0, 0
    middle = fmean(v for f in forks for v in f)
    mean_square = sum(len(f) * (fmean(f) - middle) ** 2 for f in forks) / (count - 1)
    size = (total - sum(len(f) ** 2 for f in forks) / total) / (count - 1)
    return max(0.0, (mean_square - inside) / size), count - 1


def parts(looks: Sequence[float]) -> tuple[float, ...]:
    """Of the error, for each look at a share of the data: t³ less what was spent before."""
    spent = [0.0, *(t**3 for t in looks)]
    return tuple((b - a) / spent[-1] for a, b in pairwise(spent))


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What the looks so far say of one metric: p-values that hold at whichever look one stops."""

    estimate: Estimate  # at the last look
    part: float  # of the last look
    different: float = 1.0
    equivalent: float = 1.0


def looked(before: Evidence | None, now: Estimate, part: float, matters: float) -> Evidence:
    different = min(1.0, now.different() / part)
    equivalent = min(1.0, now.equivalent(matters) / part)
    if before:
        different, equivalent = min(different, before.different), min(equivalent, before.equivalent)
    return Evidence(estimate=now, part=part, different=different, equivalent=equivalent)


def adjusted(p_values: Mapping[K, float]) -> dict[K, float]:
    """Benjamini and Hochberg's: the false discovery rate at which each would be called a difference."""
    ordered = sorted(p_values, key=lambda k: p_values[k])
    found: dict[K, float] = {}
    least = 1.0
    for rank, key in reversed(list(enumerate(ordered, start=1))):
        least = min(least, p_values[key] * len(ordered) / rank)
        found[key] = least
    return found


def word(evidence: Evidence, q: float, *, better: str, false_alarms: float, equivalence: float) -> Word:
    """`q` is the adjusted p-value. What differs surely but by less than matters is the same."""
    if evidence.equivalent <= equivalence:
        return "same"
    if q > false_alarms:
        return "undecided"
    return "worse" if (evidence.estimate.effect > 0) == (better == "smaller") else "better"

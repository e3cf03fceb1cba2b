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
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean
from typing import Literal, TypeVar

import numpy as np

from telar.analyse.posterior import NOTHING, Mixture, Prior, posterior

Word = Literal["worse", "better", "same", "undecided"]
POWER = 0.80
FAR = math.log(1e6)  # beyond what any metric can change by: an interval that reaches so far is open there
K = TypeVar("K")


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What the logarithms say of their mean: a mixture of Student's distributions, one for each ratio of the
    two variances that is possible, by how likely it is.
    """

    shares: tuple[float, ...]  # of the mixture; they add up to one
    means: tuple[float, ...]
    errors: tuple[float, ...]  # standard errors; all 0 where there is no noise
    freedom: float
    forks: int
    pairs: int

    @property
    def effect(self) -> float:
        return math.fsum(s * m for s, m in zip(self.shares, self.means, strict=True))

    @property
    def error(self) -> float:
        """Standard error of the effect."""
        return math.sqrt(math.fsum(s * e * e for s, e in zip(self.shares, self.errors, strict=True)))

    def interval(self, miss: float) -> tuple[float, float]:
        """That holds the true effect but for a chance of `miss`, as shares."""
        low, high = self._exceeded(1 - miss / 2), self._exceeded(miss / 2)
        return math.expm1(low), math.expm1(min(high, FAR))

    def different(self) -> float:
        """The p-value of no difference."""
        if self.error == 0:
            return 1.0 if self.effect == 0 else 0.0
        above = self._beyond(0.0)
        return 2 * min(above, 1 - above)

    def opposite(self, effect: float) -> float:
        """The one-sided p-value of no difference, or of one of the other sign than `effect`."""
        if self.error == 0:
            return 0.0 if self.effect * effect > 0 else 1.0
        above = self._beyond(0.0)
        return 1 - above if effect > 0 else above

    def equivalent(self, matters: float) -> float:
        """The p-value of a difference of at least `matters` in either direction."""
        margin = math.log1p(matters)
        if self.error == 0:
            return 0.0 if abs(self.effect) < margin else 1.0
        return max(self._beyond(margin), 1 - self._beyond(-margin))

    def shows_same(self, matters: float, chance: float) -> float:
        """How probably pairs like these call no difference the same, with `chance` of an error."""
        if self.error == 0:
            return 1.0
        around = replace(self, means=(0.0,) * len(self.means))
        room = math.log1p(matters) - around._exceeded(chance)
        return max(0.0, 1 - 2 * around._beyond(room)) if room > 0 else 0.0

    def smallest(self, chance: float) -> float:
        """The smallest effect, as a share, that this many pairs would have shown four times of five."""
        around = replace(self, means=(0.0,) * len(self.means))
        return math.expm1(min(FAR, around._exceeded(chance / 2) + around._exceeded(1 - POWER)))

    def _beyond(self, value: float) -> float:
        """The chance that the true effect is larger."""
        shares, means, errors = map(np.array, (self.shares, self.means, self.errors))
        return float(Mixture(shares=shares, means=means, errors=errors, freedom=self.freedom).beyond(value))

    def _exceeded(self, chance: float) -> float:
        """The value that the true effect exceeds with this chance."""
        from scipy.optimize import brentq  # noqa: PLC0415 - half a second that other commands needn't wait for
        from scipy.special import stdtrit  # noqa: PLC0415

        if self.error == 0:
            return self.effect
        # Each part's own quantile: the mixture's lies between the least and the largest, but for rounding.
        own = np.array(self.means) + stdtrit(self.freedom, 1 - chance) * np.array(self.errors)
        room = 1e-6 * self.error + 1e-13  # the latter of numbers near 1
        return float(brentq(lambda x: self._beyond(x) - chance, own.min() - room, own.max() + room))


def estimate(forks: Sequence[Sequence[float]], prior: Prior | None) -> Estimate | None:
    """None where the noise isn't known: then two forks are needed, and Student's test compares their means.

    With a prior: the posterior of the mean (analyse/posterior.py). A few forks can't say whether they differ
    at all: an estimate of that variance, of which half are 0, would be believed too much. So it has a
    half-Cauchy prior (Gelman, "Prior distributions for variance parameters in hierarchical models", 2006).
    """
    forks = [f for f in forks if f]
    if not forks:
        return None
    means = [fmean(f) for f in forks]
    if prior is None:  # a single one says nothing of a spread
        return _of_forks(means, sum(map(len, forks))) if len(forks) > 1 else None
    squares = sum((v - mean) ** 2 for f, mean in zip(forks, means, strict=True) for v in f)
    return _posterior([len(f) for f in forks], means, squares, prior)


def foreseen(prior: Prior, forks: int, windows: int) -> Estimate:
    """What so many forks of so many pairs will say of no difference, if their noise is the calibration's."""
    between, within = float(prior.between), float(prior.within)
    apart = np.arange(forks) - (forks - 1) / 2
    of_means = (forks - 1) * (between**2 + within**2 / windows)  # their sum of squares
    means = apart * math.sqrt(of_means / max(1.0, float(apart @ apart)))
    return _posterior([windows] * forks, means.tolist(), forks * (windows - 1) * within**2, prior)


def _posterior(sizes: Sequence[int], means: Sequence[float], squares: float, prior: Prior) -> Estimate:
    """Of the mean. `squares`: the sum of squares inside forks."""
    inside = squares + (prior.pairs - prior.forks) * float(prior.within) ** 2
    if inside < NOTHING:  # each fork says one thing, as a start-up does
        known, _ = prior.discounted()
        return _of_forks(means, sum(sizes), known, known * float(prior.between) ** 2)
    found = posterior(sizes, means, squares, prior)
    return Estimate(
        shares=tuple(found.shares.tolist()),
        means=tuple(found.means.tolist()),
        errors=tuple(found.errors.tolist()),
        freedom=found.freedom,
        forks=len(sizes),
        pairs=sum(sizes),
    )


def _of_forks(means: Sequence[float], pairs: int, known: float = 0, squares: float = 0.0) -> Estimate:
    """Student's test on the means, with the sum of squares of so many forks whose mean is known to be 0."""
    count, middle = len(means), fmean(means)
    freedom = known + count - 1
    squares += sum((m - middle) ** 2 for m in means)
    noise = squares if squares >= NOTHING else 0.0
    return Estimate(
        shares=(1.0,),
        means=(middle,),
        errors=(math.sqrt(noise / freedom / count),),
        freedom=freedom,
        forks=count,
        pairs=pairs,
    )


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


def looked(
    before: Evidence | None, now: Estimate, part: float, alike: float, *, sure: bool = True
) -> Evidence:
    """`alike`: the p-value of a difference that matters. Not `sure`: a difference may be the unit's."""
    different = min(1.0, now.different() / part) if sure else 1.0
    equivalent = min(1.0, alike / part)
    if before:
        different, equivalent = min(different, before.different), min(equivalent, before.equivalent)
    return Evidence(estimate=now, part=part, different=different, equivalent=equivalent)


def adjusted(p_values: Mapping[K, float], weights: Mapping[K, float]) -> dict[K, float]:
    """Benjamini and Hochberg's: the false discovery rate at which each would be called a difference.

    Each p-value is divided by its question's weight: more of the error for the questions that matter most
    (Genovese, Roeder and Wasserman, "False discovery control with p-value weighting", 2006). The weights'
    mean is 1.
    """
    weighted = {key: p / weights[key] for key, p in p_values.items()}
    ordered = sorted(weighted, key=lambda k: weighted[k])
    found: dict[K, float] = {}
    least = 1.0
    for rank, key in reversed(list(enumerate(ordered, start=1))):
        least = min(least, weighted[key] * len(ordered) / rank)
        found[key] = least
    return found


def shares(questions: Sequence[K], primary: Sequence[K], share: float) -> dict[K, float]:
    """Each question's weight, their mean 1: the primary ones have `share` of the error."""
    others = len(questions) - len(primary)
    if not primary or not others:
        return dict.fromkeys(questions, 1.0)
    first, rest = share * len(questions) / len(primary), (1 - share) * len(questions) / others
    return {key: first if key in primary else rest for key in questions}


def word(evidence: Evidence, q: float, *, better: str, false_alarms: float, equivalence: float) -> Word:
    """`q` is the adjusted p-value. What differs surely but by less than matters is the same."""
    if evidence.equivalent <= equivalence:
        return "same"
    if q > false_alarms:
        return "undecided"
    return "worse" if (evidence.estimate.effect > 0) == (better == "smaller") else "better"

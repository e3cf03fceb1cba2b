"""What pairs say of their mean effect, the noise not being known for certain: arithmetic on arrays.

The one-way random model: a fork's pairs have in common what its two JVMs happened to become. Tiao and Tan,
"Bayesian analysis of random-effect models in the analysis of variance" (1965), with the variance inside forks
integrated out exactly, and the ratio of both variances on a grid. All of it works on many sessions at once,
as the simulations need it (scripts/measure/error_rates.py).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Values = NDArray[np.float64]

NOTHING = 1e-20  # a sum of squares of logarithms that is rounding alone
# Between forks ÷ inside them, of variances: the squares of equally likely quantiles of a half-Cauchy.
RATIOS: Values = np.tan((np.arange(64) + 0.5) / 64 * math.pi / 2) ** 2
# What a calibration is worth in another session, however long it was. The machine's neighbours, the sides'
# JDKs and collectors change, and noise with them: these two keep false alarms under 2 % where it doubles
# (docs/method.md, "When noise is not what it was").
WORTH = 6.0  # pairs, for the size of noise
ALIKE = 5.0  # forks, for how much of it forks have in common


@dataclass(frozen=True, kw_only=True)
class Prior:
    """The noise of A/A pairs, as a calibration measured it, and how much of it there was.

    `between` and `within` are standard deviations of logarithms; arrays of them where many sessions have
    calibrations of their own.
    """

    between: float | Values
    within: float | Values
    forks: float
    pairs: float
    worth: float = WORTH
    alike: float = ALIKE

    def discounted(self) -> tuple[float, float]:
        """The forks and the pairs that it counts for."""
        return 1 / (1 / self.forks + 1 / self.alike), 1 / (1 / self.pairs + 1 / self.worth)


@dataclass(frozen=True, kw_only=True)
class Mixture:
    """Of Student's distributions, one for each possible ratio of the variances: shape (sessions…, ratios)."""

    shares: Values
    means: Values
    errors: Values
    freedom: float

    def beyond(self, value: float) -> Values:
        """The chance that the true effect is larger."""
        from scipy.special import stdtr  # noqa: PLC0415 - half a second that other commands needn't wait for

        found: Values = (self.shares * stdtr(self.freedom, (self.means - value) / self.errors)).sum(axis=-1)
        return found


def posterior(sizes: ArrayLike, means: ArrayLike, squares: ArrayLike, prior: Prior) -> Mixture:
    """Of the effect. `sizes`: pairs of each fork; `means` of each fork, shape (sessions…, forks); `squares`:
    the sums of squares inside forks, shape (sessions…).

    What the calibration says of the ratio of both variances is raised to a power below one, and what it says
    of their size counts for few pairs (a power prior: Ibrahim and Chen, "Power prior distributions for
    regression models", 2000). So the session's own noise takes over the more pairs it has, and a single wild
    pair makes doubt in place of certainty.
    """
    n, m = np.asarray(sizes, dtype=float), np.asarray(means, dtype=float)[..., None, :]
    between, within = (
        np.square(np.asarray(v, dtype=float))[..., None] for v in (prior.between, prior.within)
    )
    of_each = prior.pairs / prior.forks
    forks, worth = prior.discounted()
    seen = (prior.pairs - prior.forks) * within
    seen = seen + prior.forks * (of_each * between + within) / (1 + of_each * RATIOS)
    seen = np.maximum(seen, NOTHING)  # the calibration's sum of squares, in units of what is inside forks
    size = seen / prior.pairs * worth
    weights = n / (1 + np.outer(RATIOS, n))  # ratio × fork
    whole = weights.sum(axis=-1)
    centres = (weights * m).sum(axis=-1) / whole
    sums = size + np.asarray(squares, dtype=float)[..., None]
    sums = sums + (weights * (m - centres[..., None]) ** 2).sum(axis=-1)
    freedom = worth + float(n.sum()) - 1
    likely = (
        -0.5 * forks / prior.forks * (prior.forks * np.log1p(of_each * RATIOS) + prior.pairs * np.log(seen))
    )
    likely = likely + 0.5 * worth * np.log(size)
    likely = likely - 0.5 * (
        np.log1p(np.outer(RATIOS, n)).sum(axis=-1) + np.log(whole) + freedom * np.log(sums)
    )
    shares = np.exp(likely - likely.max(axis=-1, keepdims=True))
    return Mixture(
        shares=shares / shares.sum(axis=-1, keepdims=True),
        means=centres,
        errors=np.sqrt(sums / freedom / whole),
        freedom=freedom,
    )

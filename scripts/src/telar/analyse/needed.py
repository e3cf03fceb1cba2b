"""How much longer a comparison would have to be to decide what it left open."""

from __future__ import annotations

import math
from statistics import NormalDist

from telar.analyse.decide import POWER
from telar.analyse.verdicts import Verdict


def factor(verdict: Verdict, equivalence: float) -> float | None:
    """By which more pairs (and forks) would decide it, were the effect the one that was seen; None where the
    noise isn't known. `equivalence`: the chance to call the same what isn't.

    Errors shrink with the root of the number of pairs. What was seen is called a difference once the smallest
    effect that would be seen is no larger, and the same once its distance from what matters is worth the two
    one-sided tests' error with their power (Julious, "Sample sizes for clinical trials with normal data",
    2004). The nearer of the two counts.
    """
    if verdict.log is None or verdict.smallest is None:
        return None
    effect, error = abs(verdict.log[0]), verdict.log[1]
    found = []
    if effect > 0:
        found.append((math.log1p(verdict.smallest) / effect) ** 2)
    if verdict.matters and (room := math.log1p(verdict.matters) - effect) > 0:
        normal = NormalDist()
        wanted = normal.inv_cdf(1 - equivalence) + normal.inv_cdf(POWER)
        found.append((wanted * error / room) ** 2)
    return min(found, default=None)

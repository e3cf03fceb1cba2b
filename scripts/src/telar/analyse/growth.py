"""Growth of the live set: what a leak shows first.

It is judged as a difference in its own unit: that of a service that keeps nothing is 0, which has no ratio.
"""

from __future__ import annotations

from collections.abc import Sequence

from telar.analyse.posterior import Prior

METRIC = "live-set-slope"
# Of pairs of one build, in KiB a request: ten forks of three pairs, two frameworks, one machine
# (telar calibrate, session 20261125-030612).
NOISE = Prior(between=0.03, within=0.03, forks=10, pairs=30)


def differences(values: Sequence[Sequence[tuple[float, float]]]) -> list[list[float]]:
    """Head less base, fork by fork: they stand where another metric's logarithms of ratios do."""
    return [[head - base for base, head in own] for own in values]

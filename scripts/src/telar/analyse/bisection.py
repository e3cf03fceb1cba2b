"""The first bad of several candidates in a row, with noise: each one asked is either as good as the first or
as bad as the last.

What the whole difference is, is known before the search begins. So a candidate needn't be estimated, only
told from two values: a sequential probability ratio test (Wald, "Sequential tests of statistical
hypotheses", 1945), which needs a fraction of the pairs that a verdict of its own would.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Literal

import msgspec

Side = Literal["good", "bad"]


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What was found of a candidate. `nats` is the log-likelihood ratio of bad to good."""

    candidate: int
    side: Side
    nats: float

    @property
    def sure(self) -> float:
        """The chance that it is as said, both having been as likely before."""
        return 1 / (1 + math.exp(-abs(self.nats)))


def nats(effect: float, error: float, whole: float) -> float:
    """Of a candidate's effect against the good end, where `whole` is the bad end's: logarithms. Positive:
    bad.
    """
    if error == 0:
        return math.copysign(math.inf, abs(effect) * 2 - abs(whole)) if effect else -math.inf
    return (2 * effect * whole - whole * whole) / (2 * error * error)


def needed(candidates: int, miss: float) -> float:
    """Nats at which a candidate is told: `miss` is the chance that the whole search goes wrong."""
    steps = max(1, math.ceil(math.log2(max(2, candidates))))
    return math.log(steps / miss)


def first_bad(candidates: int, ask: Callable[[int], Answer]) -> tuple[int, list[Answer]]:
    """Candidates are numbered from 0 (after the good end) to the last, which is bad. The first bad one, and
    what was asked on the way.
    """
    low, high, asked = 0, candidates - 1, list[Answer]()
    while low < high:
        middle = (low + high) // 2
        answer = ask(middle)
        asked.append(answer)
        if answer.side == "bad":
            high = middle
        else:
            low = middle + 1
    return high, asked

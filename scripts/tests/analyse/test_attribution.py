"""Which factor did it: effects that multiply, and one that only both together have."""

from __future__ import annotations

import math
from typing import Any

import pytest

from telar.analyse.attribution import attribute
from telar.analyse.verdicts import Verdict


def verdict(effect: float, error: float = 0.01) -> Verdict:
    given: dict[str, Any] = {
        "metric": "p50",
        "word": "undecided",
        "tier": "gate",
        "base": 1.0,
        "head": 1 + effect,
        "effect": effect,
        "low": effect,
        "high": effect,
        "error": error,
        "matters": 0.05,
        "smallest": 0.02,
        "p": 0.01,
        "q": 0.01,
    }
    return Verdict(**given)


def test_factors_that_multiply_have_no_interaction() -> None:
    found = attribute({"jdk": verdict(0.10), "driver": verdict(0.20)}, verdict(1.1 * 1.2 - 1), 0.01)
    assert [p.name for p in found] == ["driver", "jdk", "interaction"]
    assert found[-1].effect == pytest.approx(0)
    assert found[0].share == pytest.approx(math.log(1.2) / math.log(1.32))
    assert sum(p.share or 0 for p in found) == pytest.approx(1)


def test_what_only_both_together_do_is_their_interaction_with_the_error_of_a_sum() -> None:
    found = attribute({"jdk": verdict(0.0), "driver": verdict(0.0)}, verdict(0.3), 0.01)
    last = found[-1]
    assert last.effect == pytest.approx(0.3)
    width = math.log1p(last.high) - math.log1p(last.low)
    assert width == pytest.approx(2 * 2.5758 * math.sqrt(3) * 0.01, rel=0.001)


def test_no_share_is_told_of_what_may_be_nothing() -> None:
    found = attribute({"jdk": verdict(0.01)}, verdict(0.01, error=0.05), 0.01)
    assert found[-1].share is None

"""How much longer a comparison must be to decide what it left open."""

from __future__ import annotations

import math

import pytest

from telar.analyse.needed import factor
from telar.analyse.verdicts import Verdict

from ..publish.test_verdict import verdict


def open_(
    effect: float, *, smallest: float = 0.08, error: float = 0.02, matters: float | None = 0.05
) -> Verdict:
    return verdict(word="undecided", effect=effect, smallest=smallest, error=error, matters=matters)


def test_an_effect_of_half_of_what_would_be_seen_needs_four_times_as_many_pairs() -> None:
    seen = math.expm1(math.log1p(0.08) / 2)
    assert factor(open_(seen, matters=None), 0.05) == pytest.approx(4)
    assert factor(open_(1 / (1 + seen) - 1, matters=None), 0.05) == pytest.approx(4)  # a gain alike


def test_what_hardly_differs_is_the_same_once_its_error_fits_into_what_matters() -> None:
    # (1.645 + 0.842) × error = log(1.05), less what was seen
    error = math.log1p(0.05) / (1.6449 + 0.8416)
    assert factor(open_(0.0, error=error), 0.05) == pytest.approx(1, rel=1e-3)
    assert factor(open_(0.0, error=3 * error), 0.05) == pytest.approx(9, rel=1e-3)


def test_the_nearer_of_the_two_counts() -> None:
    both = factor(open_(0.02), 0.05)
    moved, same = factor(open_(0.02, matters=None), 0.05), factor(open_(0.02, smallest=1e9), 0.05)
    assert moved
    assert same
    assert both == min(moved, same)


def test_of_a_noise_that_is_not_known_nothing_is_said() -> None:
    assert factor(verdict(word="undecided", error=None), 0.05) is None
    assert factor(verdict(word="undecided", smallest=None), 0.05) is None
    assert factor(verdict(word="undecided", effect=0.0, matters=None), 0.05) is None

"""An interval wholly inside its bounds, wholly outside, or across them."""

from __future__ import annotations

import pytest

from telar.analyse.claims import Estimate, Word, highest, level, ratio, together, word


@pytest.mark.parametrize(
    ("low", "high", "least", "most", "said"),
    [
        (0.7, 0.8, 0.6, 0.9, "reproduced"),
        (0.6, 0.9, 0.6, 0.9, "reproduced"),
        (0.5, 0.8, 0.6, 0.9, "undecided"),
        (0.95, 1.1, 0.6, 0.9, "not reproduced"),
        (0.4, 0.5, 0.6, 0.9, "not reproduced"),
        (0.4, 1.5, 0.6, 0.9, "undecided"),
        (2.0, 3.0, 1.5, None, "reproduced"),
        (0.0, 0.0, None, 0.0, "reproduced"),
        (1.0, 2.0, None, 0.0, "not reproduced"),
    ],
)
def test_the_whole_interval_decides(
    low: float, high: float, least: float | None, most: float | None, said: Word
) -> None:
    assert word(Estimate(value=(low + high) / 2, low=low, high=high), least, most) == said


def test_without_an_estimate_nothing_is_decided() -> None:
    assert word(None, 0.0, None) == "undecided"


def test_a_level_has_students_interval() -> None:
    found = level([10.0, 12.0, 14.0])
    assert found is not None
    # t(2, 0.975) = 4.3027; standard error = 2 / √3
    assert (found.value, found.low, found.high) == pytest.approx((12.0, 7.0317, 16.9683), abs=1e-3)


def test_whether_something_happens_is_decided_by_the_run_with_the_most_of_it() -> None:
    found = highest([0.0, 7.0, 0.0])
    assert found == Estimate(value=7.0, low=7.0, high=7.0)
    assert word(found, 1.0, None) == "reproduced"
    assert word(highest([0.0, 0.0, 0.0]), 1.0, None) == "not reproduced"
    assert highest([7.0, 7.0]) is None


def test_a_ratio_is_of_geometric_means() -> None:
    found = ratio([2.0, 2.0, 2.0], [4.0, 4.0, 4.0])
    assert found is not None
    assert (found.value, found.low, found.high) == pytest.approx((0.5, 0.5, 0.5))
    noisy = ratio([1.0, 2.0, 4.0], [2.0, 4.0, 8.0])
    assert noisy is not None
    assert noisy.value == pytest.approx(0.5)
    assert noisy.low < 0.25
    assert noisy.high > 1


@pytest.mark.parametrize("few", [[], [1.0], [1.0, 1.0]])
def test_fewer_than_three_runs_of_a_side_say_nothing(few: list[float]) -> None:
    assert level(few) is None
    assert ratio(few, [1.0] * 9) is None
    assert ratio([1.0] * 9, few) is None


def test_a_value_of_zero_has_no_ratio() -> None:
    assert ratio([0.0, 1.0, 1.0], [1.0, 1.0, 1.0]) is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["reproduced", "reproduced"], "reproduced"),
        (["reproduced", "undecided"], "undecided"),
        (["undecided", "not reproduced", "reproduced"], "not reproduced"),
        ([], "undecided"),
    ],
)
def test_a_claim_holds_where_each_of_its_assertions_does(words: list[Word], said: Word) -> None:
    assert together(words) == said

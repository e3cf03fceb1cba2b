"""Decisions: against examples worked out by hand, and the error rates that were promised."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from statistics import median

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import t

from telar.analyse import decide
from telar.analyse.decide import Estimate, Evidence
from telar.analyse.posterior import Prior

KNOWN = Prior(between=0.01, within=0.03, forks=1000, pairs=100_000, worth=math.inf, alike=math.inf)


def test_parts_of_the_error_add_up_and_most_is_left_for_the_end() -> None:
    found = decide.parts((0.5, 0.75, 1.0))
    assert found == pytest.approx((0.125, 0.296875, 0.578125))
    assert sum(found) == pytest.approx(1)
    assert decide.parts((1.0,)) == (1.0,)


def test_with_known_noise_the_error_is_that_of_the_textbook() -> None:
    found = decide.estimate([[0.01, 0.03], [0.05, 0.07]], KNOWN)
    assert found
    assert found.effect == pytest.approx(0.04)
    assert found.error == pytest.approx(math.sqrt((0.01**2 + 0.03**2 / 2) / 2), rel=0.01)
    assert (found.forks, found.pairs) == (2, 4)


def test_what_is_foreseen_is_what_such_pairs_then_say() -> None:
    little = Prior(between=0.02, within=0.03, forks=3, pairs=12, worth=math.inf, alike=math.inf)
    foreseen, whole = decide.foreseen(little, 2, 5), decide.foreseen(KNOWN, 2, 5)
    assert whole.error == pytest.approx(math.sqrt((0.01**2 + 0.03**2 / 5) / 2), rel=0.01)
    assert foreseen.smallest(0.01) > math.expm1((2.576 + 0.842) * foreseen.error)  # Student's, not the normal
    dice = random.Random(1)
    errors: list[float] = []
    between, within = float(little.between), float(little.within)
    for _ in range(2000):
        middles = [dice.gauss(0, between) for _ in range(2)]
        said = decide.estimate([[dice.gauss(m, within) for _ in range(5)] for m in middles], little)
        assert said
        errors.append(said.error)
    assert foreseen.error == pytest.approx(median(errors), rel=0.1)


@given(
    forks=st.lists(st.lists(st.floats(-0.5, 0.5), min_size=1, max_size=4), min_size=1, max_size=4),
    between=st.floats(0, 1),
    within=st.floats(0, 1),
    each=st.integers(1, 6),
)
@example(forks=[[0.5]], between=7.8e-111, within=0.0, each=1)  # less than a number near 0.5 can tell
@example(forks=[[0.5]], between=1e-10, within=0.0, each=1)
def test_whatever_was_measured_has_an_interval_around_its_effect(
    forks: list[list[float]], between: float, within: float, each: int
) -> None:
    """Noise of 1e-300, values that are all alike, calibrations with a pair a fork."""
    found = decide.estimate(forks, Prior(between=between, within=within, forks=3, pairs=3 * each))
    assert found
    low, high = found.interval(0.01)
    assert low - 1e-9 <= math.expm1(found.effect) <= high + 1e-9
    assert 0 <= found.different() <= 1
    assert 0 <= found.equivalent(0.05) <= 1
    assert found.smallest(0.01) >= 0


def test_what_few_forks_say_of_their_spread_is_not_believed() -> None:
    """By chance three forks are often alike; then they are no proof that forks are."""
    alike = Prior(between=0.0, within=0.02, forks=3, pairs=18, worth=math.inf, alike=math.inf)
    many = replace(alike, forks=300, pairs=1800)
    few, sure = (decide.estimate([[0.0, 0.01] * 9], known) for known in (alike, many))
    assert few
    assert sure
    assert few.smallest(0.01) > 2 * sure.smallest(0.01)
    assert sure.error == pytest.approx(0.02 / math.sqrt(18), rel=0.2)


def test_what_a_jvm_says_once_is_one_value_however_many_windows_repeat_it() -> None:
    """A start-up: 8 forks of a calibration and one of the session are 8 degrees of freedom."""
    starts = Prior(between=0.08, within=0.0, forks=8, pairs=31, alike=math.inf)
    (one, more) = (decide.estimate([[0.2] * windows], starts) for windows in (1, 18))
    assert one
    assert more
    assert one.freedom == more.freedom == 8
    assert one.different() == more.different() == pytest.approx(2 * t.sf(0.2 / 0.08, 8))


def test_a_mixture_of_students_is_asked_as_a_whole() -> None:
    """Half of it N(0, 1), half N(0, 3): beyond 6 lie 2.3 % of the second half."""
    found = Estimate(shares=(0.5, 0.5), means=(0.0, 0.0), errors=(1.0, 3.0), freedom=1e6, forks=3, pairs=12)
    assert found.error == pytest.approx(math.sqrt(5))
    assert found.different() == pytest.approx(1.0)
    moved = replace(found, means=(6.0, 6.0))
    assert moved.different() == pytest.approx(0.0228, rel=0.01)
    low, high = (math.log1p(edge) for edge in found.interval(0.0228))
    assert (low, high) == (pytest.approx(-6, rel=0.01), pytest.approx(6, rel=0.01))


def test_a_fork_with_fewer_windows_weighs_less() -> None:
    found = decide.estimate([[0.0] * 9, [0.1]], KNOWN)
    assert found
    weights = 1 / (0.01**2 + 0.03**2 / 9), 1 / (0.01**2 + 0.03**2)
    assert found.effect == pytest.approx(0.1 * weights[1] / sum(weights), rel=0.02)


def test_without_a_calibration_one_fork_says_nothing_and_two_say_little() -> None:
    assert decide.estimate([[0.1, 0.11, 0.1]], None) is None
    assert decide.estimate([], KNOWN) is None
    found = decide.estimate([[0.10, 0.11], [0.10, 0.09]], None)
    assert found
    assert (found.freedom, found.error) == (1, pytest.approx(0.005))


def test_noise_that_never_was_makes_any_difference_sure() -> None:
    still = Prior(between=0.0, within=0.0, forks=3, pairs=12)
    same, other = decide.estimate([[0.0, 0.0]], still), decide.estimate([[0.02, 0.02]], still)
    assert same
    assert other
    assert (same.different(), other.different()) == (1.0, 0.0)
    assert (same.equivalent(0.01), other.equivalent(0.01)) == (0.0, 1.0)


def test_benjamini_and_hochbergs_own_procedure() -> None:
    p_values = {"a": 0.01, "b": 0.04, "c": 0.03, "d": 0.5}
    found = decide.adjusted(p_values, dict.fromkeys(p_values, 1.0))
    assert found == pytest.approx({"a": 0.04, "b": 0.16 / 3, "c": 0.16 / 3, "d": 0.5})


def test_the_primary_question_has_most_of_the_error_and_all_of_it_is_spent() -> None:
    weights = decide.shares(["cpu", "p50", "p95", "rss"], ["cpu"], 0.6)
    assert weights == pytest.approx({"cpu": 2.4, "p50": 1.6 / 3, "p95": 1.6 / 3, "rss": 1.6 / 3})
    assert sum(weights.values()) == pytest.approx(4)
    found = decide.adjusted({"cpu": 0.006, "p50": 0.9, "p95": 0.9, "rss": 0.9}, weights)
    assert found["cpu"] == pytest.approx(0.01)
    assert decide.shares(["p50", "p95"], [], 0.6) == {"p50": 1.0, "p95": 1.0}
    assert decide.shares(["cpu"], ["cpu"], 0.6) == {"cpu": 1.0}


QUIET = Prior(between=0.01, within=0.03, forks=14, pairs=51)


def test_one_wild_pair_makes_doubt_and_no_alarm() -> None:
    """However quiet the machine was when it was calibrated."""
    for wild in (0.2, 0.5, 2.0, 5.0):
        found = decide.estimate([[0.0, 0.01, -0.01, wild]], QUIET)
        assert found
        assert found.different() > 0.01


def test_a_session_noisier_than_its_calibration_is_believed() -> None:
    """Three forks whose pairs differ by 12 %, where the calibration saw 3 %."""
    loud = [[0.12, -0.10, 0.14, -0.08], [0.1, -0.12, 0.13, -0.11], [0.12, -0.13, 0.09, -0.1]]
    found = decide.estimate(loud, QUIET)
    assert found
    assert found.error > 2 * decide.foreseen(QUIET, 3, 4).error


def test_a_calibration_is_worth_a_few_pairs_however_long_it_was() -> None:
    longer = replace(QUIET, forks=1400, pairs=5100)
    one, other = (decide.foreseen(known, 1, 4).smallest(0.01) for known in (QUIET, longer))
    assert other > 0.75 * one
    assert QUIET.discounted() < longer.discounted() < (6, 6)


def test_how_surely_nothing_is_called_the_same_follows_from_the_noise() -> None:
    whole = decide.foreseen(KNOWN, 3, 4)  # an error of 1 %
    assert whole.shows_same(0.05, 0.03) > 0.95
    assert whole.shows_same(0.02, 0.03) < 0.2
    assert whole.shows_same(0.005, 0.03) == 0


def evidence(effect: float, error: float, matters: float = 0.05) -> Evidence:
    now = Estimate(shares=(1.0,), means=(effect,), errors=(error,), freedom=1e6, forks=3, pairs=12)
    return decide.looked(None, now, 1.0, now.equivalent(matters))


@pytest.mark.parametrize(
    ("effect", "error", "better", "expected"),
    [
        (0.10, 0.01, "smaller", "worse"),
        (-0.10, 0.01, "smaller", "better"),
        (-0.10, 0.01, "bigger", "worse"),
        (0.00, 0.01, "smaller", "same"),
        (0.02, 0.004, "smaller", "same"),  # surely there, and surely too small to matter
        (0.04, 0.02, "smaller", "undecided"),
    ],
)
def test_the_four_words(effect: float, error: float, better: str, expected: str) -> None:
    found = evidence(effect, error)
    said = decide.word(found, found.different, better=better, false_alarms=0.01, equivalence=0.05)
    assert said == expected


@pytest.mark.thorough
@pytest.mark.parametrize("known", [KNOWN, None], ids=["calibrated", "never calibrated"])
def test_looking_often_makes_no_more_false_alarms_than_looking_once(known: Prior | None) -> None:
    """Sessions of nothing: 3 forks of 4 pairs, looked at after half, three quarters and all of them."""
    dice, looks = random.Random(1), (0.5, 0.75, 1.0)
    alarms, sessions = 0, 1500
    for _ in range(sessions):
        forks = [[m + dice.gauss(0, 0.03) for _ in range(4)] for m in (dice.gauss(0, 0.01) for _ in range(3))]
        found: Evidence | None = None
        for look, part in zip(looks, decide.parts(looks), strict=True):
            count = round(12 * look)
            seen = [f[: max(0, min(4, count - 4 * n))] for n, f in enumerate(forks)]
            now = decide.estimate(seen, known)
            assert now
            found = decide.looked(found, now, part, now.equivalent(0.05))
        assert found
        alarms += found.different <= 0.01
    assert alarms <= 0.01 * sessions + 3 * math.sqrt(0.01 * sessions)


def test_the_smallest_effect_is_seen_four_times_of_five() -> None:
    dice, sessions, seen = random.Random(2), 600, 0
    planned = decide.estimate([[0.0] * 4] * 3, KNOWN)
    assert planned
    effect = math.log1p(planned.smallest(0.01))
    for _ in range(sessions):
        forks = [
            [m + dice.gauss(0, 0.03) for _ in range(4)] for m in (dice.gauss(effect, 0.01) for _ in range(3))
        ]
        now = decide.estimate(forks, KNOWN)
        assert now
        seen += now.different() <= 0.01
    assert seen / sessions == pytest.approx(0.8, abs=0.05)

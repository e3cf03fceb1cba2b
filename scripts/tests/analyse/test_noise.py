"""The noise floor's arithmetic: against examples worked out by hand, and noise of a known size."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest

from telar.analyse import noise
from telar.analyse.noise import Spread


def known(between: float, within: float) -> Spread:
    return Spread(between=between, within=within, groups=1, values=2)


def drawn(dice: random.Random, between: float, within: float, sizes: Sequence[int]) -> list[list[float]]:
    """Values in groups, around 0."""
    middles = [dice.gauss(0, between) for _ in sizes]
    return [[dice.gauss(m, within) for _ in range(n)] for m, n in zip(middles, sizes, strict=True)]


# ---- components of variance


@pytest.mark.parametrize(
    ("groups", "centre", "between", "within"),
    [
        # Means 2 and 6 around 4: within (2 + 2) / 2, between groups (16 - 2) / 2.
        ([[1, 3], [5, 7]], None, 7, 2),
        # Means 1 and 4 around 2, sizes 2 and 1: (3 - 5/3) values to a group.
        ([[0, 2], [4]], None, 3, 2),
        # Nothing is lost to a mean that is known: (26 / 2 - 2) / 2.
        ([[1, 3], [-2, -4]], 0.0, 5.5, 2),
        ([[1, 3]], 0.0, 3, 2),
        ([[2, 2], [-2]], 0.0, 4, 0),
        # The groups are more alike than chance would have them.
        ([[0, 10], [0, 10]], None, 0, 50),
        ([[-5, 5], [-5, 5]], 0.0, 0, 50),
    ],
)
def test_components_are_those_that_were_worked_out_by_hand(
    groups: list[list[float]], centre: float | None, between: float, within: float
) -> None:
    found = noise.spread(groups, centre=centre)
    assert (found.between**2, found.within**2) == (pytest.approx(between), pytest.approx(within))
    assert found.total == pytest.approx(math.sqrt(between + within))
    assert (found.groups, found.values) == (len(groups), sum(map(len, groups)))


@pytest.mark.parametrize(("between", "within"), [(0.05, 0.02), (0.01, 0.04), (0.0, 0.03), (0.03, 0.0)])
@pytest.mark.parametrize("sizes", [[5] * 2000, [2, 9] * 1000], ids=["balanced", "unbalanced"])
@pytest.mark.parametrize("centre", [None, 0.0])
def test_components_of_a_known_size_are_found(
    between: float, within: float, sizes: list[int], centre: float | None
) -> None:
    found = noise.spread(drawn(random.Random(1), between, within, sizes), centre=centre)
    assert found.within == pytest.approx(within, rel=0.05)
    assert found.between == pytest.approx(between, rel=0.05, abs=0.005)


def test_what_all_groups_have_in_common_is_no_spread_unless_the_mean_is_known() -> None:
    groups = [[v + 1 for v in g] for g in drawn(random.Random(2), 0.05, 0.02, [5] * 500)]
    assert noise.spread(groups).between == pytest.approx(0.05, rel=0.1)
    assert noise.spread(groups, centre=0.0).between == pytest.approx(1, rel=0.1)


@pytest.mark.parametrize(
    ("groups", "centre"),
    [
        ([], None),
        ([[1.0]], None),
        ([[1.0, 2.0]], None),  # one group: nothing is known of what groups differ by
        ([[1.0], [2.0]], None),  # nothing is known of what is inside
        ([], 0.0),
        ([[1.0], [2.0]], 0.0),
    ],
)
def test_of_too_few_values_nothing_is_said(groups: list[list[float]], centre: float | None) -> None:
    with pytest.raises(ValueError, match="say nothing about a spread"):
        noise.spread(groups, centre=centre)


# ---- two runs on their own


def test_two_independent_runs_differ_by_more_in_one_of_a_hundred_cases() -> None:
    runs = known(0.03, 0.04)
    limit = math.log1p(noise.replay(runs))
    assert limit == pytest.approx(2.5758 * math.sqrt(2) * 0.05, rel=1e-4)
    dice, times = random.Random(4), 20_000
    beyond = sum(
        abs(drawn(dice, 0.03, 0.04, [1])[0][0] - drawn(dice, 0.03, 0.04, [1])[0][0]) > limit
        for _ in range(times)
    )
    assert 0.007 <= beyond / times <= 0.013

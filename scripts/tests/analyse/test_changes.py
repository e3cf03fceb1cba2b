"""Change points while they come: how often they are right and wrong on noise of a known kind."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from statistics import median

import numpy as np
import pytest

from telar.analyse.changes import Change, Rules, Watcher, changes, shift_between
from telar.analyse.made_up import FAMILIES
from telar.analyse.noise_shape import correlation_of

Noise = Callable[[random.Random], float]


def normal(dice: random.Random) -> float:
    return 100 * (1 + dice.gauss(0, 0.03))


def two_heaps(dice: random.Random) -> float:
    """A runner pool with two kinds of machines."""
    return normal(dice) * (1.6 if dice.random() < 0.25 else 1.0)


def wild(dice: random.Random) -> float:
    return 100 * (1 + 0.03 * dice.gauss(0, 1) / max(0.1, dice.random()))


def series(noise: Noise, seed: int, *levels: tuple[int, float]) -> list[float]:
    """So many points of noise at each level."""
    dice = random.Random(f"{noise.__name__} {seed}")
    return [noise(dice) * level for count, level in levels for _ in range(count)]


@pytest.mark.parametrize("noise", [normal, two_heaps])
def test_noise_alone_gives_no_more_false_alarms_than_were_promised(noise: Noise) -> None:
    points, rules = 200, Rules(between=1000)
    found = sum(len(changes(series(noise, seed, (points, 1.0)), rules)) for seed in range(60))
    promised = 2 * 60 * points / rules.between  # both directions
    assert found <= promised


def reports(family: str, seeds: int) -> float:
    """Changes that a detector reports of 200 points, in the mean, all points at once."""
    dice = [random.Random(f"held out {family} {seed}") for seed in range(seeds)]
    return sum(len(changes([math.exp(v) for v in FAMILIES[family](d)])) for d in dice) / seeds


@pytest.mark.thorough
@pytest.mark.parametrize(
    "family", ["AR(1) .3", "AR(1) .6", "AR(1) .9", "pool, runs of ten", "pool, any runs"]
)
def test_noise_that_follows_itself_and_pools_that_switch_are_quiet(family: str) -> None:
    assert reports(family, 60) <= 200 / 1000


def test_a_level_that_was_visited_is_no_change_when_it_comes_back_until_it_stays() -> None:
    visit = series(normal, 11, (60, 1.0), (8, 1.3), (30, 1.0))
    back = series(normal, 12, (100, 1.3))
    watcher = Watcher()
    watcher.extend([*visit, *back[:30]])
    assert watcher.changes == []
    watcher.extend(back[30:])
    assert [(c.up, abs(c.index - 98) <= 1) for c in watcher.changes] == [(True, True)]


def test_a_level_that_was_left_for_good_is_a_change_when_it_comes_back() -> None:
    found = changes(series(normal, 13, (60, 1.0), (45, 1.3), (20, 1.0)))
    assert [(c.up, c.decided - c.index < 10) for c in found] == [(True, True), (False, True)]


def test_a_young_series_shows_its_levels_before_a_small_step_is_a_change() -> None:
    young = series(normal, 14, (20, 1.0), (30, 1.12))
    assert changes(young) == []
    assert len(changes(young, older=40)) == 1
    (found,) = changes([*young, *series(normal, 15, (30, 1.12))])
    assert abs(found.index - 20) <= 1


def clean(dice: random.Random) -> float:
    return 100 * (1 + dice.gauss(0, 0.02))


def delays(before: int, step: float) -> tuple[float, float]:
    """Points until a step is reported, and until its cure, twelve points later, is: the medians."""
    worse, cured = [], []
    for seed in range(40):
        watcher, seen = Watcher(), dict[bool, int]()
        for n, value in enumerate(series(clean, seed, (before, 1.0), (12, step), (12, 1.0))):
            watcher.extend([value])
            for change in watcher.changes:
                seen.setdefault(change.up, n)
        worse.append(seen.get(step > 1, 999) - before + 1)
        cured.append(seen.get(step < 1, 999) - before - 12 + 1)
    return median(worse), median(cured)


@pytest.mark.thorough
@pytest.mark.parametrize("step", [1.2, 1.3, 0.8])
def test_a_large_step_is_reported_soon_however_young_the_series_is_and_so_is_its_cure(step: float) -> None:
    """The fewer points the level before has, the less one point proves; the cure's has twelve."""
    assert delays(13, step)[0] <= 9
    for before, within in [(20, 6), (30, 5), (60, 5)]:
        worse, cured = delays(before, step)
        assert worse <= within
        assert cured <= 10


@pytest.mark.thorough
def test_a_young_pool_whose_machines_differ_much_is_quiet_once_a_level_came_back() -> None:
    runs = [(10, 1.3 if n % 2 else 1.0) for n in range(20)]
    assert all(changes(series(clean, seed, *runs)) == [] for seed in range(20))
    longer = [(15, 1.3 if n % 2 else 1.0) for n in range(14)]
    for seed in range(20):
        watcher, found = Watcher(), set[int]()
        for value in series(clean, seed, *longer):
            watcher.extend([value])
            found |= {change.index for change in watcher.changes}
        assert all(index <= 30 + 5 for index in found)  # the first step and the return, once


def test_point_by_point_is_the_same_as_all_at_once_where_levels_are_visited() -> None:
    values = series(normal, 16, (20, 1.0), (60, 1.3), (12, 1.0), (40, 1.3), (70, 1.0), (30, 1.2))
    watcher = Watcher()
    for value in values:
        watcher.extend([value])
    assert watcher.changes == changes(values) != []


@pytest.mark.parametrize(
    ("noise", "step", "within"),
    [(normal, 1.10, 5), (normal, 0.95, 12), (two_heaps, 1.10, 9), (wild, 1.20, 12)],
)
def test_a_step_is_found_soon_where_it_was(noise: Noise, step: float, within: int) -> None:
    delays = []
    for seed in range(20):
        found = [c for c in changes(series(noise, seed, (80, 1.0), (30, step))) if abs(c.index - 80) <= 5]
        assert all(c.up == (step > 1) for c in found)
        delays.append(found[0].decided - 80 + 1 if found else 99)
    assert median(delays) <= within
    assert sum(d > 30 for d in delays) <= 2


def test_points_one_by_one_say_the_same_as_all_at_once() -> None:
    values = series(normal, 5, (60, 1.0), (40, 1.2), (50, 0.9))
    watcher = Watcher()
    for value in values:
        watcher.extend([value])
    assert watcher.changes == changes(values)
    assert [c.up for c in watcher.changes] == [True, False]


def test_point_by_point_is_the_same_as_all_at_once_where_the_noise_becomes_another() -> None:
    values = [*series(normal, 8, (150, 1.0)), *(100 + 8 * (v - 100) for v in series(normal, 9, (150, 1.0)))]
    watcher = Watcher()
    for value in values:
        watcher.extend([value])
    assert watcher.changes == changes(values)


def test_the_size_is_that_of_the_step() -> None:
    (found,) = changes(series(normal, 1, (80, 1.0), (40, 1.25)))
    assert found.size == pytest.approx(0.25, abs=0.03)
    assert abs(found.index - 80) <= 1


def test_a_single_outlier_however_far_is_no_change() -> None:
    values = series(normal, 2, (100, 1.0))
    values[60] *= 50
    assert changes(values) == []


def test_noise_that_becomes_wider_is_no_shift() -> None:
    dice = random.Random(3)
    values = [100 * (1 + dice.gauss(0, 0.01)) for _ in range(80)] + [
        100 * (1 + dice.gauss(0, 0.08)) for _ in range(40)
    ]
    assert changes(values) == []


def test_less_than_what_is_of_interest_is_not_told() -> None:
    dice = random.Random(4)
    values = [100 * (1 + dice.gauss(0, 0.001)) for _ in range(60)]
    values += [100.8 * (1 + dice.gauss(0, 0.001)) for _ in range(60)]
    assert changes(values) == []
    assert len(changes(values, Rules(smallest=0.004))) == 1


def test_what_was_taken_for_a_change_and_went_away_is_withdrawn() -> None:
    values = series(normal, 6, (80, 1.0))
    burst = [110.0, 111.0, 112.0, 110.5, 111.5]
    watcher = Watcher()
    watcher.extend([*values, *burst])
    assert len(watcher.changes) == 1
    watcher.extend(series(normal, 7, (40, 1.0)))
    assert watcher.changes == []


def test_counts_that_were_zero_may_shift() -> None:
    found = changes([0.0] * 40 + [5.0, 6.0, 5.0, 7.0, 6.0, 5.0, 6.0, 6.0, 5.0, 7.0])
    assert [(c.index, c.up) for c in found] == [(40, True)]


def test_values_that_never_change_are_quiet_and_one_that_does_is_seen() -> None:
    assert changes([7.0] * 100) == []
    assert [c.index for c in changes([7.0] * 50 + [8.0] * 10)] == [50]


def test_too_few_points_say_nothing() -> None:
    assert changes([]) == []
    assert changes([1.0, 100.0, 1.0, 50.0]) == []


def test_a_shift_between_two_stretches_is_told_with_its_size() -> None:
    reference, recent = series(normal, 8, (60, 1.0)), series(normal, 9, (20, 1.06))
    found = shift_between(reference, recent, Rules())
    assert isinstance(found, Change)
    assert found.up
    assert found.size == pytest.approx(0.06, abs=0.03)
    assert shift_between(reference, series(normal, 10, (20, 1.0)), Rules()) is None


@pytest.mark.parametrize("phi", [0.0, 0.3, 0.6, 0.9])
def test_correlation_is_estimated_however_far_outliers_are(phi: float) -> None:
    dice, found = random.Random(17), []
    for _ in range(40):
        values, x = [], dice.gauss(0, 1)
        for _ in range(120):
            values.append(x + (dice.random() < 0.03) * 100)
            x = phi * x + dice.gauss(0, math.sqrt(1 - phi * phi))
        found.append(correlation_of(np.asarray(values)))
    assert phi - 0.1 <= median(found) <= phi + 0.05  # without ranks next to nothing would be left
    assert correlation_of(np.ones(20)) == 0

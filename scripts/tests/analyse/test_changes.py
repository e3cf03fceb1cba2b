"""Change points while they come: how often they are right and wrong on noise of a known kind."""

from __future__ import annotations

import random
from collections.abc import Callable
from statistics import median

import pytest

from telar.analyse.changes import Change, Rules, Watcher, changes, shift_between

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

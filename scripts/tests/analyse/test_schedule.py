"""When arrivals are due, and how late they came."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as some

from telar.analyse.schedule import due, lateness
from telar.store.record import Stage


def stages(*parts: tuple[float, float, float]) -> list[Stage]:
    """Of (from, to, seconds)."""
    made, start = [], 0.0
    for n, (from_, to, seconds) in enumerate(parts):
        made.append(Stage(name=f"s{n}", from_rate=from_, to_rate=to, start=start, end=start + seconds))
        start += seconds
    return made


HOLD = stages((10, 10, 10))
RAMP = stages((0, 10, 10), (10, 10, 5), (10, 0, 10))


def integral(parts: list[Stage], until: float) -> float:
    """Arrivals by then, by the trapezium rule on the schedule's own definition."""
    whole = 0.0
    for s in parts:
        length = min(until, s.end) - s.start
        if length > 0:
            at_end = s.from_rate + (s.to_rate - s.from_rate) * length / (s.end - s.start)
            whole += (s.from_rate + at_end) / 2 * length
    return whole


def test_at_a_constant_rate_arrivals_are_due_at_equal_distances() -> None:
    assert list(due(HOLD)) == pytest.approx([n / 10 for n in range(1, 101)])


def test_on_a_climb_from_nothing_they_come_closer_and_closer() -> None:
    climb = list(due(stages((0, 10, 10))))
    assert len(climb) == 50
    assert climb[0] == pytest.approx(2**0.5)  # t² / 2 = 1
    assert climb[-1] == pytest.approx(10)
    gaps = [b - a for a, b in pairwise(climb)]
    assert gaps == sorted(gaps, reverse=True)


def test_a_rate_of_zero_has_no_arrivals_and_no_fault() -> None:
    assert list(due(stages((0, 0, 5)))) == []
    assert list(due(stages((1, 1, 2), (0, 0, 5), (1, 1, 1)))) == pytest.approx([1, 2, 8])
    assert list(due([])) == []


def test_parts_of_an_arrival_are_carried_over_to_the_next_stage() -> None:
    assert list(due(stages((0.5, 0.5, 1), (0.5, 0.5, 1)))) == pytest.approx([2])


@given(
    some.lists(
        some.tuples(some.integers(0, 50), some.integers(0, 50), some.integers(1, 20)), min_size=1, max_size=5
    )
)
def test_every_arrival_is_due_when_the_schedules_integral_reaches_its_number(
    parts: list[tuple[int, int, int]],
) -> None:
    made = stages(*parts)
    times = list(due(made))
    assert times == sorted(times)
    assert len(times) == int(integral(made, made[-1].end) + 1e-9)
    for number, time in enumerate(times, start=1):
        assert integral(made, time) == pytest.approx(number, abs=1e-4)


def test_arrivals_on_time_are_not_late_whatever_the_clocks_zero() -> None:
    starts = [1795245500 + t for t in due(RAMP)]
    assert lateness(starts, RAMP) == pytest.approx(0, abs=1e-6)
    random.Random(1).shuffle(starts)
    assert lateness(starts, RAMP) == pytest.approx(0, abs=1e-6)


def test_lateness_is_that_of_the_quantile() -> None:
    late = [t + (0.5 if n % 50 == 0 else 0.0) for n, t in enumerate(due(HOLD))]
    assert lateness(late, HOLD) == pytest.approx(0.1, abs=0.01)  # sorted, they only push each other back
    stalled = [max(t, 5.0) if t > 4 else t for t in due(HOLD)]  # for a second nothing was sent
    assert lateness(stalled, HOLD) == pytest.approx(0.8)  # one arrival of a hundred was later: 0.9
    assert lateness(stalled, HOLD, quantile=0.5) == pytest.approx(0, abs=0.01)


def test_a_generator_that_falls_behind_for_good_shows() -> None:
    slow = [t * 1.05 for t in due(HOLD)]
    assert lateness(slow, HOLD) == pytest.approx(0.48, abs=0.02)


def test_a_last_arrival_that_was_left_out_changes_nothing() -> None:
    assert lateness(list(due(HOLD))[:-2], HOLD) == pytest.approx(0, abs=1e-6)


def test_without_arrivals_nothing_is_late() -> None:
    assert lateness([], HOLD) == 0
    assert lateness([3.0], HOLD) == 0

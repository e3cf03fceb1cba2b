"""When arrivals are due, and how late they came."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from telar.analyse.schedule import due, quantile, waits
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


@settings(deadline=None)  # a busy machine takes its time
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


# ---- what arrivals waited

ON_TIME = dict(enumerate(due(HOLD)))  # 100 arrivals, 10 a second


def late(begun: dict[int, float], dropped: tuple[float, ...] = (), generators: int = 1) -> dict[int, float]:
    found = waits(begun, dropped, list(due(HOLD)), generators)
    assert found is not None
    return found


def test_arrivals_on_time_did_not_wait_whatever_the_clocks_zero() -> None:
    planned = list(due(RAMP))
    found = waits({n: 1795245500 + t for n, t in enumerate(planned)}, (), planned)
    assert found is not None
    assert found.keys() == set(range(len(planned)))
    assert max(found.values()) == pytest.approx(0, abs=1e-6)


def test_a_generator_that_stood_still_made_each_arrival_wait_from_when_it_was_due() -> None:
    found = late(
        {n: max(t, 5.0) if t > 4 else t for n, t in ON_TIME.items()}
    )  # for a second nothing was sent
    assert [found[n] for n in (39, 40, 44, 48, 49, 50)] == pytest.approx([0, 0.9, 0.5, 0.1, 0, 0])


def test_one_that_came_late_makes_no_other_late() -> None:
    """The times of all that began, sorted, would make seven of these arrivals a tenth of a second late."""
    found = late(ON_TIME | {20: ON_TIME[20] + 0.75})
    assert found.pop(20) == pytest.approx(0.75)
    assert max(found.values()) == pytest.approx(0, abs=1e-6)


def test_a_generator_that_falls_behind_for_good_shows() -> None:
    found = late({n: t * 1.05 for n, t in ON_TIME.items()})
    assert found[99] == pytest.approx(0.5, abs=0.01)


def test_what_was_dropped_had_its_place_in_the_schedule_and_no_number() -> None:
    kept = [t for n, t in ON_TIME.items() if n not in (10, 11, 60)]
    found = late(dict(enumerate(kept)), (ON_TIME[60], ON_TIME[10], ON_TIME[11]))
    assert len(found) == 97
    assert max(found.values()) == pytest.approx(0, abs=1e-6)


def test_a_drop_comes_before_arrivals_that_began_later_though_a_lower_one_was_held_up() -> None:
    """The arrival before the drop began after it; those behind it are on time all the same."""
    kept = [t for n, t in ON_TIME.items() if n != 10]
    found = late(dict(enumerate(kept)) | {9: ON_TIME[9] + 0.15}, (ON_TIME[10],))
    assert found.pop(9) <= 0.15 + 1e-6
    assert max(found.values()) == pytest.approx(0, abs=1e-6)


def test_several_generators_take_the_numbers_in_turns_and_begin_when_they_can() -> None:
    second = {n: t + 0.025 for n, t in ON_TIME.items() if n % 2}
    assert max(late(second, generators=2).values()) == pytest.approx(0, abs=1e-6)
    # It dropped its second arrival, number 3 of all: what it numbered 3, 5, … were 5, 7, …
    numbered = dict(zip(range(1, 99, 2), [second[n] for n in sorted(second) if n != 3], strict=True))
    assert max(late(numbered, (second[3],), generators=2).values()) == pytest.approx(0, abs=1e-6)


def test_more_arrivals_than_the_schedule_has_say_nothing() -> None:
    assert waits(ON_TIME | {100: 10.1}, (), list(due(HOLD))) is None
    assert waits(ON_TIME, (3.0,), list(due(HOLD))) is None
    assert waits({0: 3.0}, (), []) is None


def test_a_last_arrival_that_was_left_out_changes_nothing() -> None:
    assert max(late({n: t for n, t in ON_TIME.items() if n < 98}).values()) == pytest.approx(0, abs=1e-6)


def test_without_arrivals_nothing_waited() -> None:
    assert waits({}, (), []) == {}
    assert late({0: 3.0}) == {0: 0.0}


@pytest.mark.parametrize(("share", "value"), [(0.01, 1), (0.5, 50), (0.99, 99), (0.995, 100), (1.0, 100)])
def test_a_quantile_is_the_least_value_that_so_many_stayed_under_or_met(share: float, value: int) -> None:
    assert quantile(range(100, 0, -1), share) == value
    assert quantile([7.0], share) == 7

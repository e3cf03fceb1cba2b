"""What gates read from a record: growths, seconds that can be compared, processors."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from telar.gates.evidence import (
    ceiling,
    cores,
    counted,
    fell,
    growth,
    processors,
    readings,
    share,
    span,
)
from telar.store.record import Record, Series, Stage

from .sound import PROVENANCE, load_with, sound


def of(step: float = 1.0, **values: Any) -> Record:
    """A record with these series; `app_cpu` is `app.cpu`."""
    named = {name.replace("_", ".", 1): tuple(v) for name, v in values.items()}
    return sound(series=Series(start=0.0, step=step, values=named))


def test_a_reading_is_at_its_second_and_gaps_are_none() -> None:
    assert readings(of(app_rss=[1.0, None, 3.0]), "app.rss") == [(0, 1.0), (2, 3.0)]
    assert readings(of(step=0.5, app_rss=[1.0, None, 3.0]), "app.rss") == [(0, 1.0), (1, 3.0)]
    assert readings(of(), "app.rss") == readings(sound(series=None), "app.rss") == []


@pytest.mark.parametrize(
    ("values", "grown", "restarted"),
    [
        ([10.0, 12.0, 15.0], 5.0, False),
        ([10.0, None, 15.0], 5.0, False),
        ([None, 10.0, None], None, False),
        ([10.0, 10.0], 0.0, False),
        ([10.0, 12.0, 1.0, 4.0], 2.0 + 1.0 + 3.0, True),  # another process began at zero
        ([], None, False),
    ],
)
def test_a_counter_grows_also_when_it_begins_anew(
    values: list[float | None], grown: float | None, restarted: bool
) -> None:
    record = of(app_cpu=values)
    assert growth(record, "app.cpu") == grown
    assert fell(record, "app.cpu") is restarted


def test_growth_and_processors_are_of_the_stretch_that_was_asked_for() -> None:
    record = of(app_cpu_seconds=[0.0, 1.0, 2.0, 4.0, 6.0])
    assert growth(record, "app.cpu_seconds", 2, 4) == 4.0
    assert growth(record, "app.cpu_seconds", 1.5, 2.5) is None  # one reading
    assert cores(record, "app") == 1.5
    assert cores(record, "app", 2, 4) == 2.0
    assert cores(record, "app", 9, 12) is None


def test_series_are_compared_over_the_seconds_that_they_share() -> None:
    record = of(a_x=[1.0, 2.0, 3.0, 4.0], b_x=[None, 2.0, None, 4.0], c_x=[1.0, 2.0, None, None])
    assert span(record, "a.x") == (1, 3)  # the first second may be older than the window
    assert span(record, "a.x", "b.x") == (1, 3)
    assert span(record, "b.x", "c.x") is None  # a single second
    assert span(record, "a.x", "nowhere") is None


def test_what_was_counted_between_readings_is_unsure_by_half_of_the_seconds_beside_them() -> None:
    record = of(load_answered=[1.0, 2.0, 4.0, 8.0, 16.0], load_failed=[0.0, 0.0, 100.0, 0.0, 0.0])
    assert counted(record, 1, 4, "load.answered") == (14.0, (1 + 2 + 8 + 16) / 2)
    assert counted(record, 0, 4, "load.answered") == (15.0, (1 + 8 + 16) / 2)
    assert counted(record, 1, 4, "load.answered", "load.failed") == (114.0, 13.5)


@pytest.mark.parametrize(
    ("cpuset", "expected"),
    [("0-1", {0, 1}), ("0,2-3", {0, 2, 3}), ("7", {7}), ("", set()), ("0-1,4,6-7", {0, 1, 4, 6, 7})],
)
def test_processors_are_read_as_taskset_writes_them(cpuset: str, expected: set[int]) -> None:
    assert processors(cpuset) == expected


def test_components_share_processors_and_who_is_not_pinned_has_all() -> None:
    split = msgspec.structs.replace(
        PROVENANCE,
        cpus={"app": "0-1", "database": "2", "generator": ""},
        machine=msgspec.structs.replace(PROVENANCE.machine, processors=4),
    )
    record = sound(provenance=split)
    assert share(record, "app", "database") == {0, 1, 2}
    assert share(record, "generator") == {0, 1, 2, 3}
    assert share(record) == set()


def test_the_ceiling_is_the_last_stage_that_holds_the_highest_rate() -> None:
    def stages(*rates: tuple[float, float]) -> tuple[Stage, ...]:
        return tuple(
            Stage(name=f"s{n}", from_rate=a, to_rate=b, start=float(n), end=n + 1.0)
            for n, (a, b) in enumerate(rates)
        )

    ramp = stages((100, 100), (100, 500), (500, 500), (500, 300), (300, 300))
    assert ceiling(sound(load=load_with(stages=ramp))).name == "s2"
    assert ceiling(sound(load=load_with(stages=stages((0, 100))))).name == "s0"
    assert ceiling(sound(load=load_with(stages=stages((50, 50), (50, 50))))).name == "s1"

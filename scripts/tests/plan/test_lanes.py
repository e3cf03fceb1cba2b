"""A week of nights has every JDK with every driver version."""

from __future__ import annotations

from pathlib import Path

import msgspec

from telar.catalog.load import load
from telar.plan.cells import Wishes
from telar.plan.lanes import lanes, plan_of, tonight

CATALOG = load(Path(__file__).parents[3])


def test_every_jdk_meets_every_version_of_every_driver_within_a_week() -> None:
    week = [lane for day in range(100, 107) for lane in tonight(CATALOG, day)]
    assert sorted(week, key=str) == sorted(lanes(CATALOG), key=str)
    met = {(lane.jdk, name, version) for lane in week for name, version in lane.drivers.items()}
    assert met == {
        (jdk, name, version)
        for jdk in CATALOG.file.jdk
        for name, driver in CATALOG.file.driver.items()
        for version in driver.versions
        if not name.endswith(
            "postgresql"
        )  # no variant of the night's suite has it: it would only lengthen the night
    }


def test_where_there_are_fewer_lanes_than_nights_no_night_is_without_one() -> None:
    """As of a guest, which has no drivers of Telar's."""
    pipeline = msgspec.structs.replace(CATALOG.file.pipeline, weekly=None)
    file = msgspec.structs.replace(CATALOG.file, driver={}, pipeline=pipeline)
    few = msgspec.structs.replace(CATALOG, file=file)
    assert {lane.jdk for lane in lanes(few)} == set(CATALOG.file.jdk)
    week = [tonight(few, day) for day in range(7)]
    assert all(len(night) == 1 for night in week)
    assert {lane.jdk for night in week for lane in night} == set(CATALOG.file.jdk)


def test_nights_are_about_as_long() -> None:
    counts = [len(tonight(CATALOG, day)) for day in range(6)]  # the seventh is the weekly suite's
    assert max(counts) - min(counts) <= 1


def test_a_nights_plan_has_each_cell_once_a_round() -> None:
    wishes = Wishes(suite="pull-request", engine="compose", repeat=2)
    for day in range(6):
        chosen = tonight(CATALOG, day)
        plan = plan_of(CATALOG, wishes, chosen)
        keys = [(run.repetition, run.cell.name) for run in plan.runs]
        assert len(set(keys)) == len(keys)
        assert [run.position for run in plan.runs] == list(range(1, len(keys) + 1))
        assert {run.cell.jdk for run in plan.runs} == {lane.jdk for lane in chosen}
        assert [r for r, _ in keys] == sorted(r for r, _ in keys)

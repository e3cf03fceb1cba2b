"""Publishing: sessions become points, and each series is told as it stands, by the last months only."""

from __future__ import annotations

import calendar
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.catalog.load import load
from telar.publish.history import Left, Now, Standing, publish
from telar.store.files import Session
from telar.store.points import Point
from telar.store.published import Published

from ..store.records import CELL, plan, record

CATALOG = load(Path(__file__).resolve().parents[3])


def days(count: int, *levels: tuple[int, float], year: int = 2024) -> list[Point]:
    """A point a day; each level from its day on."""
    dice, start = random.Random(1), calendar.timegm((year, 1, 1, 12, 0, 0))
    found = []
    for day in range(count):
        level = [value for since, value in levels if since <= day][-1]
        found.append(
            Point(
                series="app",
                metric="p50",
                unit="ms",
                better="smaller",
                time=float(start + day * 86_400),
                commit=f"{day:040x}",
                value=level * (1 + dice.gauss(0, 0.01)),
                origin=f"s{day}",
            )
        )
    return found


def add(folder: Path, points: list[Point], **more: Any) -> Published:
    store = Published(folder)
    publish(CATALOG, store, [], points, **{"accepted": [], **more})
    return store


def standing(store: Published) -> Standing:
    now = store.now(Now)
    assert now
    (found,) = now.standing
    return found


def test_a_levels_range_is_that_of_its_last_runs(tmp_path: Path) -> None:
    points = days(40, (0, 10.0), (20, 13.0))
    ranged = [msgspec.structs.replace(p, low=p.value - 1, high=p.value + 2) for p in points]
    found = standing(add(tmp_path, ranged))
    last = [p.value for p in points[-5:]]
    assert (found.low, found.high) == (
        pytest.approx(min(last) - 1, rel=1e-3), pytest.approx(max(last) + 2, rel=1e-3),
    )  # fmt: skip


def test_a_session_is_published_with_its_records_and_points(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "data" / "20261121-071806-smoke", plan(CELL))
    name = session.plan.runs[0].name
    session.add(name, record(session=session.id, position=1, repetition=1, validity="valid"))
    store = Published(tmp_path / "out")
    added = publish(CATALOG, store, [session], [], [])
    assert (added.sessions, added.runs) == (1, 1)
    assert added.points > 1
    kept = list((tmp_path / "out" / "data" / "runs").rglob("*.json"))
    assert [p.name for p in kept] == [f"{name}.json"]
    assert kept[0].read_bytes() == session.record_path(name).read_bytes()
    now = store.now(Now)
    assert now
    assert list(now.cells.values()) == [CELL]
    again = publish(CATALOG, Published(tmp_path / "out"), [session], [], [])
    assert (again.sessions, again.points) == (0, 0)


def test_a_regression_of_long_ago_is_open_still(tmp_path: Path) -> None:
    history = days(900, (0, 10.0), (200, 11.0))
    store = add(tmp_path, history[:600])
    for day in range(600, 900, 50):
        store = add(tmp_path, history[day : day + 50])
    left = store.levels(Left)
    assert left
    assert left.until >= "2025-03"
    found = standing(store)
    assert [(f.kind, f.state) for f in found.findings] == [("regression", "open")]
    assert found.reference == pytest.approx(10, rel=0.02)
    assert found.findings[0].since.time == history[200].time


def test_a_step_where_the_last_months_begin_is_not_overlooked(tmp_path: Path) -> None:
    until = 31 + 28 + 31  # of 2025: the last day that is left behind when 2026-04 is published
    history = days(366 + until + 400, (0, 10.0), (366 + until + 1, 12.0))
    store = add(tmp_path, history[: 366 + until + 1])
    store = add(tmp_path, history[366 + until + 1 :])
    assert ("regression", "open") in [(f.kind, f.state) for f in standing(store).findings]


def test_what_is_cured_after_long_is_told_so(tmp_path: Path) -> None:
    history = days(900, (0, 10.0), (200, 11.0), (850, 10.0))
    store = add(tmp_path, history[:800])
    store = add(tmp_path, history[800:])
    assert [(f.kind, f.state) for f in standing(store).findings] == [("regression", "cured")]


def test_a_window_of_months_is_read_and_no_more(tmp_path: Path) -> None:
    add(tmp_path, days(900, (0, 10.0)))
    wanted: list[str] = []
    store = Published(tmp_path, wanted.extend)
    publish(CATALOG, store, [], days(901, (0, 10.0))[900:], [])
    months = {p.split("/")[2] for p in wanted if p.startswith("data/points/")}
    assert 12 <= len(months) <= 15


def test_history_that_is_added_later_is_looked_at_from_its_beginning(tmp_path: Path) -> None:
    add(tmp_path, days(900, (0, 10.0))[200:])
    store = add(tmp_path, days(200, (0, 8.0)))
    assert [(f.kind, f.state) for f in standing(store).findings] == [("regression", "open")]

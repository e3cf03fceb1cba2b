"""Publishing: sessions become points, and each series is told as it stands, by the last months only."""

from __future__ import annotations

import calendar
import gzip
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.catalog.load import load
from telar.publish.history import publish
from telar.publish.standing import Left, Now, Standing
from telar.store.files import Session
from telar.store.points import Point
from telar.store.published import Published
from telar.tools import git

from ..store.records import CELL, plan, put, record

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
    kept = list((tmp_path / "out" / "data" / "runs").rglob("*.json.gz"))
    assert [p.name for p in kept] == [f"{name}.json.gz"]
    assert gzip.decompress(kept[0].read_bytes()) == session.record_path(name).read_bytes()
    now = store.now(Now)
    assert now
    assert list(now.cells.values()) == [CELL]
    again = publish(CATALOG, Published(tmp_path / "out"), [session], [], [])
    assert (again.sessions, again.points) == (0, 0)


@pytest.mark.thorough
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


def test_years_that_nothing_looks_at_lie_in_a_file_each(tmp_path: Path) -> None:
    store = add(tmp_path, days(1200, (0, 10.0)))
    periods = sorted({path.split("/")[1] for f in store.index.months.values() for path in f.points.values()})
    years = [p for p in periods if len(p) == 4]
    assert years == [store.months[0][:4], str(int(store.months[0][:4]) + 1)]
    assert len(periods) - len(years) <= 24
    assert sum(1 for _ in store.points_of(store.months)) == 1200


def test_history_that_is_added_later_is_looked_at_from_its_beginning(tmp_path: Path) -> None:
    add(tmp_path, days(900, (0, 10.0))[200:])
    store = add(tmp_path, days(200, (0, 8.0)))
    assert [(f.kind, f.state) for f in standing(store).findings] == [("regression", "open")]


def test_several_runs_have_a_mean_and_a_spread_in_what_is_published(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "data" / "20261121-071806-smoke", plan(CELL, CELL, CELL))
    for run, ms in zip(session.plan.runs, (10.0, 11.0, 12.1), strict=True):
        put(session, run, record(numbers={"app-cpu": ms}, validity="valid"))
    store = Published(tmp_path / "out")
    publish(CATALOG, store, [session], [], [])
    (month,) = store.months
    (point,) = store.points(month, "app-cpu")
    assert (point.runs, point.mean) == (3, pytest.approx(11.0, rel=1e-5))
    assert point.spread == pytest.approx(0.0953, rel=1e-2)  # the standard deviation of ln 10, 11, 12.1


def test_a_history_from_before_commits_means_and_growth_still_loads(tmp_path: Path) -> None:
    store = add(tmp_path, days(100, (0, 10.0), (50, 12.0)))
    for path in (tmp_path / "data").rglob("*.json"):
        content = msgspec.json.decode(path.read_bytes())
        for series in content.get("series", {}).values():
            del series["mean"], series["spread"]
        for each in content.get("standing", []):
            for finding in each["findings"]:
                del finding["growth"]
        for key in ("repository", "commits"):
            content.pop(key, None)
        for words in content.get("metrics", {}).values() if "standing" in content else ():
            del words["group"]
        path.write_bytes(msgspec.json.encode(content))
    before = Published(tmp_path)
    assert before.points(before.months[0])[0].spread is None
    store = add(tmp_path, days(101, (0, 10.0), (50, 12.0))[100:])
    assert [(f.kind, f.state, f.growth) for f in standing(store).findings] == [("regression", "open", ())]


def test_a_regression_that_grows_is_published_with_each_step(tmp_path: Path) -> None:
    store = add(tmp_path, days(120, (0, 10.0), (40, 12.0), (80, 15.0)))
    (regression,) = standing(store).findings
    (step,) = regression.growth
    assert (step.since.commit, step.before.commit) == (f"{80:040x}", f"{79:040x}")
    assert (step.reference, step.level) == (pytest.approx(12, rel=0.02), pytest.approx(15, rel=0.02))


def test_a_commit_that_was_measured_has_its_words_in_its_month(tmp_path: Path) -> None:
    head = git.commit_of(CATALOG.home, "HEAD")
    points = days(100, (0, 10.0), (50, 12.0))
    points[50] = msgspec.structs.replace(points[50], commit=head)
    store = add(tmp_path, points)
    (own,) = git.commits(CATALOG.home, [head]).values()
    words = store.commits("2024-02")
    assert (set(words), words[head].author, words[head].subject) == ({head}, own.author, own.subject[:200])
    now = store.now(Now)
    assert now
    assert set(now.commits) == {head}  # a finding names it

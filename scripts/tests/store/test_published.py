"""The published store: what is put in comes out, and no more is written than must be."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telar.errors import StoreError
from telar.store.points import Point
from telar.store.published import Published, month_of
from telar.store.published_files import Kept, Row
from telar.store.shards import points_in, shard_of

NOVEMBER, DECEMBER = 1_795_000_000, 1_797_000_000  # 2026-11-18, 2026-12-11


def point(**changes: Any) -> Point:
    given: dict[str, Any] = {
        "series": "app", "metric": "p99", "unit": "ms", "better": "smaller", "time": float(NOVEMBER),
        "commit": "c" * 40, "value": 12.5, "low": 12.0, "high": 13.0, "runs": 3, "environment": "e1",
        "origin": "20261118-120000-smoke",
    }  # fmt: skip
    return Point(**{**given, **changes})


def row(name: str = "20261118-120000-smoke", **changes: Any) -> Row:
    given: dict[str, Any] = {
        "id": name, "time": float(NOVEMBER), "commit": "c" * 40, "suite": "smoke",
        "environments": {"e1": {"kernel": "6.1"}},
        "runs": {"001.json": Kept(run_id="a1", seconds=60.0, validity="valid", packed=True)},
    }  # fmt: skip
    return Row(**{**given, **changes})


def files(folder: Path) -> set[str]:
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


numbers = st.floats(min_value=-1e12, max_value=1e12).map(lambda v: float(f"{v:.6g}"))
points = st.builds(
    Point,
    series=st.sampled_from(["a", "b+c", "<b>"]),
    metric=st.just("p99"),
    unit=st.just("ms"),
    better=st.just("smaller"),
    time=st.integers(0, 2**31).map(float),
    commit=st.sampled_from(["", "c" * 40]),
    value=numbers,
    low=st.none() | numbers,
    high=st.none() | numbers,
    runs=st.integers(1, 9),
    validity=st.sampled_from(["valid", "limited", "invalid"]),
    environment=st.sampled_from(["", "e1", "e2"]),
    origin=st.sampled_from(["", "s1", "s2"]),
)


@given(st.lists(points, min_size=1, max_size=30))
def test_points_come_out_of_columns_as_they_went_in(given: list[Point]) -> None:
    def key(p: Point) -> tuple[object, ...]:
        return p.series, p.time, p.origin, p.commit, p.value

    assert sorted(points_in(shard_of(given)), key=key) == sorted(given, key=key)


def test_numbers_are_published_with_six_digits() -> None:
    (found,) = points_in(shard_of([point(value=1.23456789, low=0.000123456789, high=None)]))
    assert (found.value, found.low, found.high) == (1.23457, 0.000123457, None)


def test_what_was_added_is_there_for_the_next_one(tmp_path: Path) -> None:
    store = Published(tmp_path)
    assert store.add_points([point(), point(metric="p50"), point(time=float(DECEMBER))]) == 3
    assert store.add_session(row(), {"001.json": b"{}"})
    store.write()
    again = Published(tmp_path)
    assert again.months == ["2026-11", "2026-12"]
    assert again.points("2026-11", "p99") == [point()]
    assert len(again.points("2026-11")) == 2
    assert again.sessions("2026-11") == (row(),)
    assert (again.index.points, again.index.runs) == (3, 1)


def test_nothing_is_added_twice(tmp_path: Path) -> None:
    store = Published(tmp_path)
    store.add_points([point(), point()])
    store.write()
    again = Published(tmp_path)
    assert again.add_points([point(), point(value=99.0)]) == 0
    assert again.points("2026-11") == [point()]


def test_another_session_of_the_same_name_is_refused(tmp_path: Path) -> None:
    store = Published(tmp_path)
    assert store.add_session(row(), {})
    assert not store.add_session(row(), {})
    with pytest.raises(StoreError, match="another session of this name"):
        store.add_session(row(runs={"001.json": Kept(run_id="b2", seconds=1.0, validity="valid")}), {})


def test_only_the_month_that_is_added_to_is_written_anew(tmp_path: Path) -> None:
    store = Published(tmp_path)
    store.add_points([point(), point(metric="p50"), point(time=float(DECEMBER))])
    store.write()
    before = files(tmp_path)
    again = Published(tmp_path)
    again.add_points([point(time=DECEMBER + 60.0)])
    again.write()
    after = files(tmp_path)
    assert {p.rpartition("/")[0] for p in after - before} == {"data/points/2026-12"}
    assert len(before - after) == 1  # the month's file before


def test_a_year_in_one_file_is_the_same_points(tmp_path: Path) -> None:
    store = Published(tmp_path)
    store.add_points(
        [point(), point(metric="p50"), point(time=float(DECEMBER)), point(time=DECEMBER + 9.9e6)]
    )
    store.write()
    store = Published(tmp_path)
    store.join_year("2026")
    store.write()
    held = sorted(p.rpartition("/")[0] for p in files(tmp_path) if "/points/" in p)
    assert held == ["data/points/2026", "data/points/2026", "data/points/2027-04"]
    again = Published(tmp_path)
    assert again.points("2026-11") == [point(metric="p50"), point()]
    assert again.points("2026-12") == [point(time=float(DECEMBER))]
    assert [p.time for p in again.points_of(again.months, ["p99"])] == [
        NOVEMBER,
        DECEMBER,
        DECEMBER + 9_900_000,
    ]
    assert [p.time for p in again.points_of(["2026-12"])] == [DECEMBER]


def test_a_year_in_one_file_takes_more_points_and_is_joined_once(tmp_path: Path) -> None:
    store = Published(tmp_path)
    store.add_points([point(), point(time=float(DECEMBER))])
    store.join_year("2026")
    store.write()
    wanted: list[str] = []
    store = Published(tmp_path, wanted.extend)
    store.join_year("2026")
    assert not wanted
    assert store.add_points([point(), point(time=NOVEMBER + 60.0), point(time=NOVEMBER - 3e6)]) == 2
    store.join_year("2026")
    store.write()
    again = Published(tmp_path)
    assert [p.time for p in again.points_of(again.months)] == [
        NOVEMBER - 3_000_000, NOVEMBER, NOVEMBER + 60, DECEMBER,
    ]  # fmt: skip
    assert len(files(tmp_path)) == 2  # index, and the year
    sizes = sum((tmp_path / p).stat().st_size for p in files(tmp_path) if not p.endswith("index.json"))
    assert again.index.bytes == sizes


def test_the_index_knows_the_size_of_all_that_it_names(tmp_path: Path) -> None:
    store = Published(tmp_path)
    for n in range(3):
        store.add_points([point(time=NOVEMBER + 60.0 * n)])
        store.set_now({"n": n})
        store.write()
    sizes = sum((tmp_path / p).stat().st_size for p in files(tmp_path) if not p.endswith("index.json"))
    assert store.index.bytes == sizes
    assert len(files(tmp_path)) == 3  # index, now, one month


def test_what_was_not_written_is_not_there(tmp_path: Path) -> None:
    Published(tmp_path).add_points([point()])
    assert files(tmp_path) == set()


def test_a_metrics_name_is_no_path(tmp_path: Path) -> None:
    store = Published(tmp_path)
    store.add_points([point(metric="../../etc/passwd"), point(metric="org.acme.Bench.<init>")])
    store.write()
    assert all(p.startswith("data/points/2026-11/") or p == "data/index.json" for p in files(tmp_path))
    assert {p.metric for p in Published(tmp_path).points("2026-11")} == {
        "../../etc/passwd",
        "org.acme.Bench.<init>",
    }


@pytest.mark.parametrize(
    "content", ["{", "[]", '{"format": 2}', '{"format": 1, "months": {"2026-11": {"points": {"p": "../x"}}}}']
)
def test_an_index_that_is_none_is_refused_with_its_path(tmp_path: Path, content: str) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "index.json").write_text(content)
    with pytest.raises(StoreError, match=r"index\.json"):
        Published(tmp_path)


def test_columns_that_do_not_fit_together_are_refused(tmp_path: Path) -> None:
    store = Published(tmp_path)
    store.add_points([point()])
    store.write()
    (path,) = (tmp_path / "data" / "points" / "2026-11").iterdir()
    every: list[dict[str, object]] = [{"value": []}, {"origin": [7]}, {"validity": "x"}]
    for spoilt in every:
        shard = json.loads(path.read_text())
        shard["series"]["app"].update(spoilt)
        path.write_text(json.dumps(shard))
        with pytest.raises(StoreError, match="don't fit together"):
            Published(tmp_path).points("2026-11")


def test_a_month_is_told_in_utc() -> None:
    assert (month_of(1_796_083_199), month_of(1_796_083_200)) == ("2026-11", "2026-12")

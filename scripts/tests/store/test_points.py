"""Points: kept a line each, each once, and read back as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.errors import StoreError
from telar.store import points
from telar.store.points import Point


def point(**changes: Any) -> Point:
    given: dict[str, Any] = {
        "series": "app",
        "metric": "p50",
        "unit": "ms",
        "better": "smaller",
        "time": 1.5,
        "commit": "ab",
        "value": 3.25,
    }
    return Point(**{**given, **changes})


def test_points_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "history" / "points.jsonl"
    written = [point(), point(time=2.5, low=3.0, high=3.5, runs=3, environment="e", origin="s")]
    assert points.append(path, written) == 2
    assert points.read(path) == written


def test_what_is_there_already_is_not_added_again(tmp_path: Path) -> None:
    path = tmp_path / "points.jsonl"
    points.append(path, [point(), point()])
    assert points.append(path, [point(), point(time=2.0)]) == 1
    assert [p.time for p in points.read(path)] == [1.5, 2.0]


@pytest.mark.parametrize("line", ['{"series": "app"}', "{", '{"series": "app", "metric": "m", "values": 1}'])
def test_a_line_that_is_no_point_is_named_with_file_and_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "points.jsonl"
    path.write_bytes(msgspec.json.encode(point()) + b"\n\n" + line.encode())
    with pytest.raises(StoreError, match=rf"{path}: line 3: "):
        points.read(path)


def test_a_series_is_in_the_order_of_time_and_has_a_session_once() -> None:
    later, earlier = point(time=2.0, origin="b"), point(time=1.0, origin="a")
    again = point(time=2.0, origin="b", value=4.0)
    assert points.by_series([later, earlier, again, point(metric="p99")]) == {
        ("app", "p50"): [earlier, again],
        ("app", "p99"): [point(metric="p99")],
    }

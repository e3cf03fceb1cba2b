"""Exports: what other tools read, as they read it."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import msgspec
import pytest

from telar.plan.pipeline import asked
from telar.publish.exports import FORMATS
from telar.store.points import Point

from ..store.test_points import point
from .test_verdict import CATALOG

ROOT = Path(__file__).resolve().parents[3]

APP = "spring-mysql-blocking-virtual+movies-short+jdk-25+mysql-9.7.0+compose+two-cpu"
POINTS = [
    point(series=APP, time=1795245500.0, commit="a" * 40, value=3.0, low=2.9, high=3.2, runs=3, origin="s1"),
    point(
        series=APP, time=1795331900.0, commit="b" * 40, value=3.5, low=3.25, high=3.75, runs=3, origin="s2"
    ),
    point(
        series=APP,
        metric="capacity",
        unit="1/s",
        better="bigger",
        time=1795331900.0,
        commit="b" * 40,
        value=150.0,
        origin="s2",
    ),
    point(
        series=APP,
        metric="p99",
        time=1795331900.0,
        commit="b" * 40,
        value=9.0,
        validity="invalid",
        origin="s2",
    ),
]


def exported(format_: str, points: list[Point] = POINTS) -> dict[str, bytes]:
    return FORMATS[format_](points)


def test_github_action_benchmark_has_a_file_for_each_direction_and_the_last_sound_values() -> None:
    found = {name: json.loads(content) for name, content in exported("github-action-benchmark").items()}
    assert found == {
        "smaller-is-better.json": [
            {
                "name": f"{APP} p50",
                "value": 3.5,
                "unit": "ms",
                "range": "3.25 – 3.75",
                "extra": "3 runs, valid\ns2",
            }
        ],
        "bigger-is-better.json": [
            {"name": f"{APP} capacity", "value": 150.0, "unit": "1/s", "extra": "1 run, valid\ns2"}
        ],
    }


def test_a_direction_without_a_series_has_no_file_since_an_empty_one_is_an_error_there() -> None:
    assert set(exported("github-action-benchmark", POINTS[:2])) == {"smaller-is-better.json"}


def test_benchers_format_has_measures_with_their_bounds() -> None:
    assert json.loads(exported("bencher")["bencher.json"]) == {
        APP: {
            "p50": {"value": 3.5, "lower_value": 3.25, "upper_value": 3.75},
            "capacity": {"value": 150.0},
        }
    }


def test_jmhs_json_has_the_fields_that_its_viewers_need() -> None:
    first, second = json.loads(exported("jmh")["jmh-result.json"])
    assert (first["mode"], second["mode"]) == ("thrpt", "avgt")
    assert second["benchmark"] == f"telar.{APP}"
    assert second["params"] == {"metric": "p50"}
    assert second["primaryMetric"] == {
        "score": 3.5,
        "scoreError": 0.25,
        "scoreConfidence": [3.25, 3.75],
        "scoreUnit": "ms",
        "rawData": [[3.5]],
    }


def test_a_csv_table_has_every_point_also_those_that_are_not_valid() -> None:
    rows = list(csv.DictReader(io.StringIO(exported("csv")["points.csv"].decode())))
    assert [(r["metric"], r["value"], r["low"], r["validity"]) for r in rows] == [
        ("p50", "3.0", "2.9", "valid"),
        ("p50", "3.5", "3.25", "valid"),
        ("capacity", "150.0", "", "valid"),
        ("p99", "9.0", "", "invalid"),
    ]


def test_a_parquet_file_is_read_back_with_its_types(tmp_path: Path) -> None:
    from pyarrow import parquet  # noqa: PLC0415

    path = tmp_path / "points.parquet"
    path.write_bytes(exported("parquet")["points.parquet"])
    table = parquet.read_table(path)
    assert table.column("value").to_pylist() == [3.0, 3.5, 150.0, 9.0]
    assert table.column("low").to_pylist() == [2.9, 3.25, None, None]
    assert str(table.schema.field("runs").type) == "int32"


def test_otavas_files_have_a_column_for_each_metric_of_the_same_moments_and_leave_out_what_is_invalid() -> (
    None
):
    """Its reader takes no empty field: `measure/otava.py` asks it."""
    found = exported("otava")
    assert set(found) == {f"{APP}.csv", f"{APP}+capacity.csv", "otava.yaml"}
    assert found[f"{APP}.csv"].decode().splitlines() == [
        "time,commit,p50",
        f"2026-11-21 07:18:20 +0000,{'a' * 40},3.0",
        f"2026-11-22 07:18:20 +0000,{'b' * 40},3.5",
    ]
    assert found[f"{APP}+capacity.csv"].decode().splitlines() == [
        "time,commit,capacity",
        f"2026-11-22 07:18:20 +0000,{'b' * 40},150.0",
    ]
    tests = json.loads(found["otava.yaml"])["tests"]
    assert tests[APP]["metrics"] == {"p50": {"direction": -1, "unit": "ms"}}
    assert tests[f"{APP}+capacity"]["metrics"] == {"capacity": {"direction": 1, "unit": "1/s"}}


def test_metrics_of_the_same_moments_share_one_of_otavas_files() -> None:
    found = exported("otava", [point(metric="p50"), point(metric="p99")])
    assert set(found) == {"app.csv", "otava.yaml"}
    assert found["app.csv"].decode().splitlines()[0] == "time,commit,p50,p99"


@pytest.mark.parametrize("format_", sorted(FORMATS))
def test_names_from_outside_stay_text(format_: str) -> None:
    hostile = 'a"; </script><b>, =cmd()\n../../x'
    found = exported(format_, [point(series=hostile)])
    assert found
    for name in found:
        assert "/" not in name
        assert "\n" not in name


def test_data_js_of_the_largest_night_stays_under_twenty_megabytes() -> None:
    """As the action keeps it: indented by two, so many entries a suite as bench.yml says."""
    workflow = (ROOT / ".github/workflows/bench.yml").read_text()
    (most,) = {int(n) for n in re.findall(r"max-items-in-chart: (\d+)", workflow)}
    cells = max(
        (
            [r.cell for r in asked(CATALOG, "schedule", {}, "", night * 86_400).plan.runs]
            for night in range(7)
        ),
        key=len,
    )
    metrics = CATALOG.file.metric.items()
    judged = {name: m for name, m in metrics if m.matters is not None and "http" in m.kinds}
    points = [
        msgspec.structs.replace(
            POINTS[0], series=f"{cell.name}+compose+two-cpu", metric=name, unit=m.unit, better=m.better,
            value=123.456789, low=123.4567, high=123.4567, validity="valid", origin="20261121-000000-smoke",
        )
        for cell in cells
        for name, m in judged.items()
    ]  # fmt: skip
    files = [json.loads(content) for content in exported("github-action-benchmark", points).values()]
    assert sum(map(len, files)) == len(points) > 100
    head = 1_000  # bytes of a commit with its message and links
    size = sum(most * (head + len(json.dumps({"e": [{"benches": f}]}, indent=2))) for f in files)
    assert 1_000_000 < size < 20_000_000

"""Which tables a report has: what was measured decides."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
from rich.console import Console

from telar.analyse.summary import Summary, summarise
from telar.catalog.load import load
from telar.publish import report
from telar.publish.arms import groups
from telar.publish.columns import TABLES, group_of, tables_of

from ..store.records import CELL, record

CATALOG = load(Path(__file__).parents[3])

(SERVICE,) = summarise([record()])


def of(**metrics: float) -> Summary:
    return msgspec.structs.replace(SERVICE, metrics=metrics)


def test_services_have_latency_and_resources() -> None:
    assert tables_of([SERVICE]) == TABLES
    assert tables_of([of(**{"p50": 1.0, "gc-count": 3.0, "speed": 1.0})]) == TABLES


def test_programs_have_the_columns_that_some_of_them_has() -> None:
    burner = of(**{"task-rate": 900.0, "task-cpu": 2.1, "speed": 1.0})
    assert tables_of([burner]) == {"Programs": ("task-rate", "task-cpu", "speed")}
    assert tables_of([of(**{"rounds-lost": 0.0})]) == {"Programs": ("rounds-lost", "speed")}


def test_benchmarks_stand_beside_services_where_a_session_has_both() -> None:
    scored = of(**{"score": 3.0, "score-error": 0.1, "gc-count": 2.0})
    assert tables_of([scored, SERVICE]) == TABLES | {
        "Benchmarks": ("score", "score-error", "gc-count", "speed")
    }


def test_a_search_shows_what_it_found_in_the_place_of_the_highest_stage() -> None:
    tables = tables_of([of(ceiling=1101.0, capacity=984.0, p50=1.0)])
    columns = tables["Latency and load"]
    assert "ceiling" in columns
    assert "capacity" not in columns
    assert "capacity" in tables_of([SERVICE])["Latency and load"]


def test_their_metrics_are_groups_of_their_own() -> None:
    assert (group_of("score"), group_of("task-cpu"), group_of("rounds-lost")) == (
        "benchmarks", "programs", "programs",
    )  # fmt: skip


def test_arms_that_differ_in_flags_have_a_column_and_a_group_each() -> None:
    cells = [msgspec.structs.replace(CELL, flags=flags) for flags in (("-Xmx300m",), ("-Xms1g", "-Xmx1g"))]
    made = [record(cell=cell) for cell in cells]
    found = summarise(made)
    out = io.StringIO()
    report.print_tables(CATALOG, Console(file=out, width=200), made)
    assert "flags" in out.getvalue()
    assert "-Xms1g -Xmx1g" in out.getvalue()
    assert [group.where.rpartition(", ")[2] for group in groups(CATALOG, made, found)] == [
        " ".join(summary.cell.flags) for summary in found
    ]
    one = io.StringIO()
    report.print_tables(CATALOG, Console(file=one, width=200), made[:1])
    assert "-Xmx300m" not in one.getvalue()  # an axis with one value is no column

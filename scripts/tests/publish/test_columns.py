"""Which tables a report has: what was measured decides."""

from __future__ import annotations

import msgspec

from telar.analyse.summary import Summary, summarise
from telar.publish.columns import TABLES, group_of, tables_of

from ..store.records import record

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


def test_their_metrics_are_groups_of_their_own() -> None:
    assert (group_of("score"), group_of("task-cpu"), group_of("rounds-lost")) == (
        "benchmarks", "programs", "programs",
    )  # fmt: skip

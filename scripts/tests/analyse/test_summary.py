"""A cell's repetitions taken together."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from telar.analyse.summary import Summary, summarise
from telar.store.record import Failure, Record

from ..store.records import CELL, STAGES, STOP, latency, record

PLATFORM, VIRTUAL = "spring-mysql-blocking-platform", "spring-mysql-blocking-virtual"


def only(*records: Record) -> Summary:
    (found,) = summarise(records)
    return found


def failed(**changes: Any) -> Record:
    return record(outcome="failed", stopped=STOP, **changes)


def test_there_is_one_line_for_each_cell_platform_beside_virtual() -> None:
    records = [record(variant=v) for v in (VIRTUAL, "quarkus-mongodb-blocking-virtual", PLATFORM, VIRTUAL)]
    found = [(s.cell.variant, s.runs) for s in summarise(records)]
    assert found == [("quarkus-mongodb-blocking-virtual", 1), (PLATFORM, 1), (VIRTUAL, 2)]


@pytest.mark.parametrize(
    "axis", [{"jdk": "21"}, {"drivers": {"mysql": "8.0.33"}}, {"workload": "movies-ramp"}]
)
def test_cells_that_differ_on_any_axis_are_not_mixed(axis: dict[str, Any]) -> None:
    other = record(cell=msgspec.structs.replace(CELL, **axis))
    assert [s.runs for s in summarise([record(), other])] == [1, 1]


def test_of_nothing_there_is_no_summary() -> None:
    assert summarise([]) == []


def test_a_metric_is_the_median_of_the_repetitions_that_have_it() -> None:
    runs = [record(numbers={"app-cpu": v}) for v in (5.0, 1.0, 2.0)]
    assert only(*runs).metrics["app-cpu"] == 2.0
    assert only(*runs, record()).metrics["app-cpu"] == 2.0
    assert only(*runs, record(numbers={"app-cpu": 3.0})).metrics["app-cpu"] == 2.5


def test_percentiles_come_from_all_repetitions_requests_and_are_never_averaged() -> None:
    quick = record(latencies=(latency([1000] * 99),), numbers={"p99": 1.0})
    slow = record(latencies=(latency([500_000]),), numbers={"p99": 500.0})
    found = only(quick, slow).metrics
    # Of the hundred requests together, the mean of both runs' p99 would be 250 ms.
    assert found["p99"] == pytest.approx(1.0, rel=0.001)
    assert found["p999"] == found["max"] == pytest.approx(500.0, rel=0.001)


def test_counts_are_added_up_over_the_repetitions() -> None:
    timeout = Failure(endpoint="get", stage="hold-50", side="server", kind="timeout", count=2)
    ports = Failure(endpoint="get", stage="hold-50", side="client", kind="ports or files exhausted", count=3)
    found = only(record(failures=(timeout,)), record(failures=(timeout, ports)))
    assert (found.scheduled, found.iterations, found.dropped) == (1000.0, 998, 2)
    assert found.failures == {"timeout": 4, "client: ports or files exhausted": 3}


def test_a_failed_run_is_counted_and_its_numbers_are_not() -> None:
    # It had gone as far as being measured before it failed.
    bad = failed(
        latencies=(latency([900_000] * 50),),
        numbers={"app-cpu": 99.0, "only-here": 1.0},
        failures=(Failure(endpoint="get", stage="hold-50", side="server", kind="connect", count=9),),
    )
    good = record(numbers={"app-cpu": 1.0})
    whole, alone = only(good, bad), only(good)
    assert (whole.runs, whole.failed_runs) == (2, 1)
    assert whole.metrics == alone.metrics
    assert whole.failures == alone.failures
    assert whole.stages == alone.stages
    assert (whole.scheduled, whole.iterations, whole.dropped) == (500.0, 499, 1)


def test_a_cell_of_which_every_run_failed_has_no_numbers() -> None:
    found = only(failed(load=None, latencies=(), failures=(), metrics={}), failed(load=None, latencies=()))
    assert (found.runs, found.failed_runs, found.metrics, found.stages) == (2, 2, {}, ())
    assert found.product
    assert found.product.name == "MariaDB"  # what was known is still said


def test_each_stage_has_the_latencies_of_all_endpoints_and_repetitions() -> None:
    first = record(latencies=(latency([1000, 2000]), latency([3000], endpoint="list")))
    second = record(latencies=(latency([4000]), latency([9000], stage="climb-100")))
    hold, climb = only(first, second).stages
    assert (hold.stage, hold.count, climb.stage, climb.count) == ("hold-50", 4, "climb-100", 1)
    assert hold.percentiles["p50"] == pytest.approx(2.0, rel=0.001)
    assert hold.percentiles["max"] == pytest.approx(4.0, rel=0.001)
    stage = STAGES[1]
    assert (climb.from_rate, climb.to_rate, climb.start, climb.end) == (
        stage.from_rate,
        stage.to_rate,
        stage.start,
        stage.end,
    )


def test_a_stage_without_a_request_is_left_out() -> None:
    assert [s.stage for s in only(record(latencies=(latency([1]),))).stages] == ["hold-50"]


def test_latencies_that_count_from_different_moments_are_not_merged() -> None:
    """Of a session that a newer Telar went on with: the newer runs'."""
    older = record(latencies=(latency([900_000] * 9),))
    load: Any = older.load
    newer = record(
        load=msgspec.structs.replace(load, latency_from="due"),
        latencies=(latency([2000]),),
        numbers={"p99": 2.0},
    )
    found = only(older, newer)
    assert found.metrics["max"] == pytest.approx(2.0, rel=0.001)
    assert found.stages[0].count == 1

"""Budgets: kept, broken, or not to be said."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from rich.console import Console

from telar.analyse.budgets import judge, value_of
from telar.catalog.budget import BudgetFile
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.publish import budgets as published
from telar.publish.report import markdown
from telar.store.record import DatabaseState, Record

from ..catalog.conftest import ROOT
from ..store.records import latency, record

CATALOG = load(ROOT)


def with_budgets(*own: BudgetFile) -> Catalog:
    movies = CATALOG.systems["movies"]
    changed = msgspec.structs.replace(movies, file=msgspec.structs.replace(movies.file, budget=own))
    return msgspec.structs.replace(CATALOG, systems={**CATALOG.systems, "movies": changed})


def runs(*values: float, metric: str = "allocated", **changes: Any) -> list[Record]:
    return [
        record(numbers={metric: value}, run_id=f"{n:016x}", validity="valid", **changes)
        for n, value in enumerate(values)
    ]


def word(budget: BudgetFile, *values: float) -> str:
    (found,) = judge(with_budgets(budget), runs(*values))
    return found.word


MOST_45 = BudgetFile(metric="allocated", most=45)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ((40.0, 40.5, 39.5), "kept"),
        ((50.0, 50.5, 49.5), "broken"),
        ((44.0, 46.0, 45.0), "undecided"),
        ((30.0,), "kept"),  # a run by itself tells what is far from the limit
        ((42.0,), "undecided"),
        ((60.0,), "broken"),
    ],
)
def test_the_interval_decides(values: tuple[float, ...], expected: str) -> None:
    assert word(MOST_45, *values) == expected


def test_a_least_and_a_most_are_both_asked() -> None:
    between = BudgetFile(metric="capacity", least=280, most=320)
    (found,) = judge(with_budgets(between), runs(300.0, 301.0, 299.0, metric="capacity"))
    assert found.word == "kept"
    (found,) = judge(with_budgets(between), runs(200.0, 201.0, 199.0, metric="capacity"))
    assert found.word == "broken"


def test_windows_of_one_jvm_are_one_value() -> None:
    from telar.plan.cells import Pair  # noqa: PLC0415

    paired = [
        record(numbers={"allocated": 40.0 + n}, run_id=f"{n:016x}", validity="valid",
               pair=Pair(fork=1, window=n + 1, side="a"))
        for n in range(3)
    ]  # fmt: skip
    (found,) = judge(with_budgets(MOST_45), paired)
    assert (found.runs, found.value) == (1, 41.0)


def test_invalid_runs_say_nothing() -> None:
    (found,) = judge(with_budgets(MOST_45), runs(30.0, 31.0, 32.0) and [record(validity="invalid")])
    assert (found.word, found.value) == ("undecided", None)
    assert "no run of it is valid" in found.why


def test_an_operation_and_a_rate_have_their_own_quantiles() -> None:
    latencies = (
        latency([1000.0] * 100, endpoint="get", stage="hold-50"),
        latency([9000.0] * 100, endpoint="create", stage="hold-50"),
        latency([4000.0] * 100, endpoint="create", stage="climb-100"),
    )
    made = record(latencies=latencies)
    assert value_of(made, BudgetFile(metric="p99", endpoint="get", most=1)) == pytest.approx(1.0, rel=0.01)
    assert value_of(made, BudgetFile(metric="p50", endpoint="create", rate=50, most=1)) == pytest.approx(
        9.0, rel=0.01
    )
    assert value_of(made, BudgetFile(metric="p99", rate=70, most=1)) is None


def test_statements_are_counted_by_request() -> None:
    state = DatabaseState(rows_seeded=5, statements={"select": 900, "commit": 98, "Handler_read_key": 5000})
    asked = record(database=state)  # from before it was a metric
    assert value_of(asked, BudgetFile(metric="statements", most=3)) == 998 / 499
    assert value_of(asked, BudgetFile(metric="rows-read", most=3)) == 5000 / 499


def test_a_budget_of_another_workload_is_not_asked() -> None:
    other = BudgetFile(metric="allocated", most=45, workload="movies-ramp")
    assert judge(with_budgets(other), runs(40.0)) == []


def test_they_are_printed_at_eighty_columns_and_in_the_report() -> None:
    catalog = with_budgets(MOST_45, BudgetFile(metric="p99", endpoint="create", rate=50, most=20))
    records = runs(50.0, 50.5, 49.5)
    found = judge(catalog, records)
    console = Console(width=80, record=True)
    published.print_outcomes(catalog, console, found)
    said = console.export_text()
    assert max(map(len, said.splitlines())) <= 80
    assert "broken" in said
    assert "p99 of POST /movies" in " ".join(said.split())
    text = markdown(catalog, records)
    assert "## Budgets" in text
    assert "| broken | allocated | ≤ 45 KiB | 50 |" in text
    assert "## Budgets" not in markdown(CATALOG, records)

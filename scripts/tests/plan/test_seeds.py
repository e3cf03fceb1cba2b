"""The suite of all systems: none is missing, and what an engine doesn't run is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from telar.catalog.load import load
from telar.plan.cells import Wishes, left_out, make_plan

CATALOG = load(Path(__file__).parents[3])
PROGRAMS = ["burner", "loom", "safety"]


@pytest.mark.parametrize("suite", ["seeds", "seeds-short"])
def test_every_system_and_variant_is_in_it(suite: str) -> None:
    plan = make_plan(CATALOG, Wishes(suite=suite, engine="embedded"))
    systems = {CATALOG.variants[run.cell.label].app.file.system for run in plan.runs}
    assert systems == set(CATALOG.systems)
    if suite == "seeds-short":
        growing = {v for v in CATALOG.variants if v.endswith("-growing")}  # for memory under more load alone
        assert {run.cell.label for run in plan.runs} == CATALOG.variants.keys() - growing


def test_containers_run_the_services_and_what_is_left_out_is_named() -> None:
    wishes = Wishes(suite="seeds-short", engine="compose")
    plan = make_plan(CATALOG, wishes)
    systems = {CATALOG.variants[run.cell.label].app.file.system for run in plan.runs}
    assert systems == CATALOG.systems.keys() - set(PROGRAMS)
    assert left_out(CATALOG, wishes) == PROGRAMS


def test_nothing_is_left_out_where_all_is_run_or_where_nothing_would_remain() -> None:
    assert left_out(CATALOG, Wishes(suite="seeds-short", engine="embedded")) == []
    assert left_out(CATALOG, Wishes(suite="loom-short", engine="compose")) == []


@pytest.mark.parametrize(
    ("only", "workloads"),
    [
        ("spring-mysql-blocking-virtual", ["movies-window"]),
        ("spring-mongodb-blocking-virtual", ["movies-quick"]),
        ("sleep/spring-tomcat-virtual", ["sleep-100-short", "sleep-400-short"]),
        ("sleep/spring-webflux-blocking", ["sleep-trickle-short"]),
    ],
)
def test_a_variant_that_is_asked_for_runs_in_the_suites_that_have_it(only: str, workloads: list[str]) -> None:
    """Among them are several of one system: the one for MongoDB ran MySQL's, too."""
    plan = make_plan(CATALOG, Wishes(suite="seeds-short", engine="compose", only=(only,)))
    assert [run.cell.workload for run in plan.runs] == workloads

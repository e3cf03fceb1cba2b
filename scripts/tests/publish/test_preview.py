"""Runs that were meant as a preview, not as a measurement: said in calm words, and never as valid."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from rich.console import Console

from telar.analyse.summary import summarise
from telar.catalog.load import load
from telar.publish import report
from telar.publish.columns import validity
from telar.store.record import Gate, Planned, Record

from ..store.records import record

CATALOG = load(Path(__file__).parents[3])


def run(*failed: str, seconds: int | None = 10) -> Record:
    gates = tuple(
        Gate(name=name, verdict="fail", observed="43 %", expected="at most 15 %") for name in failed
    )
    planned = Planned(seed=1, warmup_workload="movies-constant", warmup_rate=20, warmup_seconds=seconds)
    given: dict[str, Any] = {"gates": gates, "planned": planned, "validity": "invalid" if failed else "valid"}
    return record(**given)


def said(made: Record) -> str:
    return validity(summarise([made])[0])


def text(made: Record) -> str:
    out = io.StringIO()
    report.print_tables(CATALOG, Console(file=out, width=80), [made])
    return " ".join(out.getvalue().split())


def test_a_cold_service_after_a_short_warm_up_is_a_preview() -> None:
    made = run("warm")
    assert said(made) == "preview, not warm"
    assert "A preview and no measurement: 1 of 1 cell. After 10 s of warm-up" in text(made)
    assert "warm fails" not in text(made)


def test_what_else_is_wrong_is_said_all_the_same() -> None:
    made = run("warm", "plan")
    assert said(made) == "preview, not warm; fails plan"
    assert "plan fails" in text(made)


def test_a_service_that_should_have_been_warm_is_invalid() -> None:
    made = run("warm", seconds=None)
    assert said(made) == "invalid: warm"
    assert "warm fails" in text(made)
    assert said(run("plan")) == "invalid: plan"
    assert said(run()) == "valid"

"""A record from before the gate *bounds*, with an allocation of -52 KiB, as commands show it today."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from telar.catalog.load import load
from telar.publish import history
from telar.store.files import Session
from telar.store.published import Published

from .conftest import ROOT, Telar

SMOKE = ROOT / "benchmarks-data" / "reference" / "smoke"
SESSION = "20261123-171022-smoke"
NEGATIVE = 20  # its position
VARIANT = "spring-mongodb-blocking-virtual"


@pytest.mark.thorough
def test_a_report_leaves_it_out_of_every_number_and_says_so(telar: Telar) -> None:
    said = telar("report", SESSION, "--data", SMOKE, "--json")
    assert said.code == 0
    (cell,) = [s for s in json.loads(said.out) if s["cell"]["variant"] == VARIANT]
    assert (cell["runs"], cell["invalid_runs"], cell["validity"]) == (3, 1, "valid")
    assert cell["metrics"]["allocated"] > 90
    others = [s for s in json.loads(said.out) if s["cell"]["variant"] != VARIANT]
    assert {s["invalid_runs"] for s in others} == {0}


@pytest.mark.thorough
def test_points_of_the_history_are_of_the_others(telar: Telar, tmp_path: Path) -> None:
    said = telar("export", "csv", SESSION, "--data", SMOKE, "--to", tmp_path / "csv")
    assert said.code == 0
    (table,) = (tmp_path / "csv").iterdir()
    with table.open(newline="") as file:
        rows = [r for r in csv.DictReader(file) if VARIANT in r["series"] and r["metric"] == "allocated"]
    (point,) = rows
    assert float(point["low"]) > 90
    assert point["runs"] == "2"


@pytest.mark.thorough
def test_the_pages_call_that_run_invalid_and_the_file_stays_as_it_was(tmp_path: Path) -> None:
    session = Session(SMOKE / SESSION)
    before = {p.name: p.read_bytes() for p in (session.folder / "records").iterdir()}
    store = Published(tmp_path)
    history.publish(load(ROOT), store, [session], [], [])
    rows = [row for month in store.months for row in store.sessions(month)]
    (row,) = [row for row in rows if row.id == SESSION]
    invalid = [name for name, kept in row.runs.items() if kept.validity == "invalid"]
    assert [name.partition("+")[0] for name in invalid] == [f"{NEGATIVE:03d}"]
    assert {p.name: p.read_bytes() for p in (session.folder / "records").iterdir()} == before

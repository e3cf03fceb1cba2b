"""A session of benchmarks: its table, its page, and what is looked at when its records are read."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from rich.cells import cell_len

from telar.cli import common
from telar.gates import judge, validity
from telar.store import seal
from telar.store.files import Session
from telar.store.record import Record

from ..gates.sound import CATALOG, benchmark
from ..store.records import CELL, plan, put
from .conftest import Telar


def judged() -> Record:
    record = benchmark()
    gates = judge(record, CATALOG)
    return msgspec.structs.replace(record, gates=gates, validity=validity(gates))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    made = Session.create(tmp_path / "data" / "20261120-080000-smoke", plan(CELL, CELL))
    for number, run in enumerate(made.plan.runs, start=1):
        put(made, run, msgspec.structs.replace(judged(), run_id=f"{number:016x}"))
    return made


def test_a_report_has_the_scores_at_eighty_columns_and_nothing_of_requests(
    telar: Telar, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common.console, "_width", 80)
    said = telar("report", session.folder)
    assert said.code == 0, said.err
    table = said.out[: said.out.index("records: ")]
    assert max(cell_len(line) for line in table.splitlines()) <= 80
    assert table.startswith("Benchmarks")
    assert ("10.020" in table, "0.300" in table, "2.0" in table) == (True, True, True)
    assert "p99" not in table
    assert "arrivals" not in table
    assert "…" not in table
    written = (session.folder / "report.md").read_text()
    assert "## Benchmarks" in written
    assert "## Latency and load" not in written


def test_its_records_are_judged_and_verified(telar: Telar, session: Session) -> None:
    for record in session.records():
        verdicts = {gate.name: gate.verdict for gate in record.gates}
        assert (verdicts["steady"], verdicts["error"], verdicts["bounds"]) == ("pass", "pass", "pass")
    said = telar("store", "verify", session.folder)
    assert said.code == 0, said.err


def test_a_completed_one_without_what_jmh_measured_is_unsound(telar: Telar, session: Session) -> None:
    path = next(session.folder.glob("records/*.json"))
    record = {**json.loads(path.read_text()), "benchmark": None}
    path.write_text(json.dumps({**record, "digest": seal.digest(record)}))
    said = telar("store", "verify", session.folder)
    assert said.code != 0
    assert "$.benchmark: missing in a run that was completed" in said.out

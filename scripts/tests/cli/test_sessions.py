"""Which session `telar report` shows and `telar run --resume` goes on with, and what a refused one leaves."""

from __future__ import annotations

import json
import os
import socket
import tempfile
from pathlib import Path

import msgspec
import pytest

from telar.catalog.load import load
from telar.errors import BuildError, Interrupted, MissingToolError
from telar.plan.cells import Cell
from telar.plan.pairs import pair_runs
from telar.run import session as sessions
from telar.run.embedded import EmbeddedEngine
from telar.run.engine import Say
from telar.store.files import Session
from telar.store.record import Gate
from telar.tools import components

from ..store.records import CELL, WARMUPS, plan, put, record
from .conftest import Telar

PLATFORM = msgspec.structs.replace(CELL, variant="spring-mysql-blocking-platform")
OUTGROWN = msgspec.structs.replace(CELL, jdk="17")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """From old to new: whole, with one of two runs, with a plan that the catalogue has outgrown."""
    folder = tmp_path / "data"
    for name, cells, done in (
        ("20261120-080000-smoke", (CELL,), 1),
        ("20261121-080000-smoke", (CELL, CELL), 1),
        ("20261122-080000-smoke", (OUTGROWN,), 0),
    ):
        session = Session.create(folder / name, plan(*cells))
        for run in session.plan.runs[:done]:
            put(session, run, record())
    return folder


# ---- report


def test_a_report_is_of_the_newest_session_that_has_a_record(telar: Telar, data: Path) -> None:
    assert f"{data / '20261121-080000-smoke' / 'records'}" in telar("report", "--data", data).out


def shown(telar: Telar, *arguments: str | Path) -> str:
    said = telar("report", *arguments)
    assert said.code == 0, said.err
    return next(line for line in said.out.splitlines() if line.startswith("records: "))


@pytest.mark.thorough
def test_a_session_can_be_said_by_its_name_its_path_or_a_folder_of_several(
    telar: Telar, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (data.resolve() / f"202611{day}-080000-smoke" for day in (20, 21))
    assert shown(telar, first.name, "--data", data) == f"records: {first / 'records'}"
    assert shown(telar, first) == f"records: {first / 'records'}"
    monkeypatch.chdir(data)
    assert shown(telar, first.name) == f"records: {first / 'records'}"
    assert shown(telar, f"./{first.name}/") == f"records: {first / 'records'}"
    monkeypatch.chdir(tmp_path)
    assert shown(telar, f"data/{first.name}") == f"records: {first / 'records'}"
    assert shown(telar, "data") == f"records: {second / 'records'}"
    assert shown(telar, data) == f"records: {second / 'records'}"


def test_what_is_no_session_is_refused_with_the_last_ones(telar: Telar, data: Path) -> None:
    said = telar("report", "nowhere", "--data", data)
    assert said.code == 2
    assert "there is no session 'nowhere', neither as a folder nor below" in said.err
    assert "20261121-080000-smoke" in said.err
    empty = telar("report", "20261122-080000-smoke", "--data", data)
    assert (empty.code, "has no record yet" in empty.err) == (2, True)


# ---- run --resume


@pytest.fixture
def resumed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The sessions that are gone on with; nothing is run."""
    found: list[str] = []

    def run(catalog: object, engine: object, session: Session, progress: object, **_: object) -> object:
        found.append(session.id)
        return session.records()

    monkeypatch.setattr(sessions, "run", run)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return found


def test_what_is_gone_on_with_is_the_newest_that_has_runs_left_and_can_be_run(
    telar: Telar, data: Path, resumed: list[str]
) -> None:
    said = telar("run", "--resume", "--data", data)
    assert (said.code, resumed) == (0, ["20261121-080000-smoke"])
    assert "passed over: " in said.out
    assert "20261122-080000-smoke/plan.json: there is no JDK '17' any more" in said.out


def test_where_nothing_is_left_the_newest_is_shown(telar: Telar, data: Path, resumed: list[str]) -> None:
    session = Session(data / "20261121-080000-smoke")
    put(session, session.plan.runs[1], record())
    (data / "20261122-080000-smoke" / "plan.json").unlink()
    said = telar("run", "--resume", "--data", data)
    assert (said.code, resumed) == (0, ["20261121-080000-smoke"])


def test_what_the_machine_disturbed_is_gone_on_with_only_where_that_is_said(
    telar: Telar, tmp_path: Path, resumed: list[str]
) -> None:
    moved = Gate(name="speed", verdict="fail", observed="15 ms", expected="within 5 %", limited_by="machine")
    for day, made in ((20, record(gates=(moved,), validity="limited")), (21, record())):
        session = Session.create(tmp_path / f"202611{day}-080000-smoke", plan(CELL))
        put(session, session.plan.runs[0], made)
    assert telar("run", "--resume", "--data", tmp_path).code == 0
    said = telar("run", "--resume", "--again", "--data", tmp_path)
    assert (said.code, resumed) == (0, ["20261121-080000-smoke", "20261120-080000-smoke"])
    line = "1 run was disturbed by the machine alone. To make it again: telar run --resume --again"
    assert line in " ".join(said.out.split())  # nothing was run here


def test_again_needs_a_session_that_there_is(telar: Telar) -> None:
    said = telar("run", "smoke", "--again")
    assert (said.code, "telar run --resume --again" in said.err) == (2, True)


def forks(data: Path, name: str, done: int) -> Session:
    """Two forks of two windows, of which so many are there."""
    runs = pair_runs([(PLATFORM, CELL)], forks=2, windows=2, seed=1, warmups=WARMUPS)
    made = msgspec.structs.replace(plan(CELL), suite="quickstart", runs=tuple(runs))
    session = Session.create(data / name, made)
    for run in session.plan.runs[:done]:
        put(session, run, record(run_id=f"{run.position:016x}"))
    return session


@pytest.mark.parametrize(("done", "left"), [(0, 8), (1, 4), (4, 4), (5, 0), (8, 0)])
def test_of_pairs_whole_forks_are_left(tmp_path: Path, done: int, left: int) -> None:
    session = forks(tmp_path, "20261123-080000-quickstart", done)
    assert len(sessions.left(session)) == left
    (session.folder / "verdict.json").write_text("{}")
    assert sessions.left(session) == []


def test_pairs_of_a_suite_are_gone_on_with_and_those_of_other_commands_are_not(
    telar: Telar, data: Path, resumed: list[str]
) -> None:
    forks(data, "20261123-080000-quickstart", 4)
    forks(data, "20261124-080000-ab", 4)
    assert telar("run", "--resume", "--data", data).code == 0
    assert resumed == ["20261123-080000-quickstart"]


# ---- refused


@pytest.fixture
def refusing(monkeypatch: pytest.MonkeyPatch, app_port: int) -> list[Exception]:
    """What preparing ends in."""
    errors: list[Exception] = []

    def prepare(self: object, cells: list[Cell], say: Say) -> None:
        raise errors.pop()

    monkeypatch.setattr(EmbeddedEngine, "prepare", prepare)
    return errors


def test_a_session_that_was_refused_leaves_nothing_behind(
    telar: Telar,
    tmp_path: Path,
    app_port: int,
    refusing: list[Exception],
) -> None:
    data = tmp_path / "data"
    with socket.create_server(("127.0.0.1", app_port)):
        said = telar("run", "smoke", "--engine", "embedded", "--data", data)
    assert (said.code, list(data.iterdir())) == (6, [])
    refusing.append(BuildError("it doesn't compile"))
    said = telar("run", "smoke", "--engine", "embedded", "--data", data)
    assert (said.code, list(data.iterdir())) == (4, [])


def test_one_that_was_interrupted_while_it_prepared_stays_to_be_gone_on_with(
    telar: Telar, tmp_path: Path, refusing: list[Exception]
) -> None:
    refusing.append(Interrupted("stopped"))
    said = telar("run", "smoke", "--engine", "embedded", "--data", tmp_path / "data")
    (folder,) = (tmp_path / "data").iterdir()
    assert (said.code, sessions.left(Session(folder)) != []) == (130, True)
    refusing.append(BuildError("it doesn't compile"))
    assert telar("run", "--resume", "--data", tmp_path / "data").code == 4
    assert folder.exists()


def test_a_missing_docker_is_said_before_a_port_that_is_taken(
    telar: Telar,
    tmp_path: Path,
    app_port: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find = components.find
    monkeypatch.setattr(components, "find", lambda name: None if name == "docker" else find(name))
    with socket.create_server(("127.0.0.1", app_port)):
        said = telar("run", "smoke", "--engine", "compose", "--data", tmp_path / "data")
    assert (said.code, "no Docker Engine answers" in said.err) == (MissingToolError.exit_code, True)
    assert list((tmp_path / "data").iterdir()) == []


# ---- doctor


@pytest.mark.thorough
def test_the_doctor_ends_with_6_and_names_who_has_the_ports_that_a_run_needs(
    telar: Telar,
    checkout: Path,
    app_port: int,
) -> None:
    metrics = load(checkout).file.ports.metrics
    with socket.create_server(("127.0.0.1", app_port)), socket.create_server(("127.0.0.1", metrics)):
        said, machine = telar("doctor"), telar("doctor", "--json")
    assert (said.code, machine.code) == (6, 6)
    for port, what in ((app_port, "app"), (metrics, "metrics")):
        assert f"port {port} ({what}) is taken by process {os.getpid()}" in " ".join(said.out.split())
        assert f"{port} ({what}) by process {os.getpid()}" in said.err
        assert str(os.getpid()) in json.loads(machine.out)["ports_in_use"][f"{port} ({what})"]

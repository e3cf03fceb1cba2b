"""A session's order of things, with real cells whose database never starts."""

from __future__ import annotations

import io
import re
import socket
import tempfile
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from telar.catalog.load import load
from telar.catalog.types import Catalog, PortsFile
from telar.collect.host import Component
from telar.databases.types import Database
from telar.errors import EnvironmentProblem, Interrupted, RunError, StoreError, TelarError
from telar.plan.cells import Cell
from telar.run import session as sessions
from telar.run.engine import AppLaunch, LoadLaunch, Say, Service
from telar.run.progress import Progress
from telar.store.files import Session
from telar.store.record import Artifact, Generator, Record

from ..store.records import CELL, plan, put, record

ROOT = Path(__file__).parents[3]
PLATFORM = msgspec.structs.replace(CELL, variant="spring-mysql-blocking-platform")
QUARKUS = msgspec.structs.replace(CELL, variant="quarkus-mysql-blocking-virtual")


class Powerless:
    """An engine on a machine where nothing starts."""

    name = "powerless"
    limits_memory = False
    label = ""

    def __init__(self, error: TelarError) -> None:
        self.error = error
        self.prepared: list[Cell] = []
        self.closed = 0

    def prepare(self, cells: list[Cell], say: Say) -> None:
        self.prepared = cells
        say("prepared")

    def fresh_database(self, database: Database, folder: Path) -> None:
        (folder / "database.log").write_text(database.name)

    def start_database(self, database: Database, folder: Path, cpus: str) -> Service:
        raise self.error

    def start_app(self, launch: AppLaunch) -> Service:
        raise AssertionError("an app was started without its database")

    def start_load(self, launch: LoadLaunch) -> Service:
        raise AssertionError("load was started without an app")

    def artifact(self, cell: Cell) -> Artifact:
        return Artifact(build=cell.variant, digest="d1")

    def class_path(self, cell: Cell) -> tuple[str, ...]:
        return ()

    def generator(self) -> Generator:
        return Generator(version="2.2.0", script_digest="d2")

    def engine_version(self) -> str:
        return ""

    def telemetry(self, cell: Cell, run_id: str) -> tuple[str, ...]:
        return ()

    def observers(self) -> tuple[Component, ...]:
        return ()

    def mend(self, say: Say) -> None:
        """It has nothing that could have ended."""

    def close(self) -> None:
        self.closed += 1


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture
def catalog() -> Catalog:
    """The real one, on ports that nobody has."""
    real = load(ROOT)
    ports = PortsFile(app=free_port(), metrics=free_port())
    return msgspec.structs.replace(real, file=msgspec.structs.replace(real.file, ports=ports))


@pytest.fixture(autouse=True)
def _own_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A telar that measures on this machine meanwhile isn't disturbed, and doesn't disturb."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session.create(tmp_path / "20261121-071806-smoke", plan(CELL, PLATFORM, QUARKUS))


def run(catalog: Catalog, session: Session, engine: Powerless) -> list[Record]:
    progress = Progress(Console(file=io.StringIO()), catalog, session.plan, verbose=False)
    return sessions.run(catalog, engine, session, progress)


def test_a_run_that_fails_leaves_a_record_and_the_session_goes_on(catalog: Catalog, session: Session) -> None:
    engine = Powerless(RunError("no database today", hint="buy one"))
    records = run(catalog, session, engine)
    assert [r.cell for r in records] == [CELL, PLATFORM, QUARKUS]
    for planned, kept in zip(session.plan.runs, records, strict=True):
        assert (kept.position, kept.session, kept.outcome) == (planned.position, session.id, "failed")
        assert kept.stopped
        assert (kept.stopped.phase, kept.stopped.error, kept.stopped.hint) == (
            "database",
            "no database today",
            "buy one",
        )
        assert [p.name for p in kept.timeline] == ["database"]
        assert kept.started <= kept.timeline[0].start <= kept.timeline[0].end <= kept.finished
        assert kept.provenance.artifact.build == kept.cell.variant
        assert kept.metrics == {}
    assert len({r.run_id for r in records}) == 3
    assert engine.closed == 1


def test_resuming_runs_only_what_has_no_record_and_gives_all(catalog: Catalog, session: Session) -> None:
    put(session, session.plan.runs[1], record())
    engine = Powerless(RunError("no database today"))
    records = run(catalog, session, engine)
    assert engine.prepared == [CELL, QUARKUS]
    assert [r.position for r in records] == [1, 2, 3]
    assert records[1].run_id == record().run_id

    again = Powerless(RunError("not asked"))
    assert run(catalog, session, again) == records
    assert again.prepared == []


def test_a_damaged_record_is_named_before_anything_is_measured(catalog: Catalog, session: Session) -> None:
    path = put(session, session.plan.runs[0], record())
    path.write_bytes(path.read_bytes()[:-9])
    engine = Powerless(RunError("not asked"))
    with pytest.raises(StoreError, match=re.escape(str(path))):
        run(catalog, session, engine)
    assert engine.prepared == []


def test_what_an_interrupted_attempt_left_is_cleared_away(catalog: Catalog, session: Session) -> None:
    folder = session.log_folder(session.plan.runs[0].name)
    folder.mkdir(parents=True)
    (folder / "app.log").write_text("of the attempt before")
    run(catalog, session, Powerless(RunError("no database today")))
    assert [p.name for p in folder.iterdir()] == ["database.log"]


@pytest.mark.parametrize("error", [EnvironmentProblem("the disk is full"), Interrupted("stopped")])
def test_what_says_nothing_about_the_cell_leaves_no_record(
    catalog: Catalog, session: Session, error: TelarError
) -> None:
    engine = Powerless(error)
    with pytest.raises(type(error), match=error.message):
        run(catalog, session, engine)
    assert session.records() == []
    assert engine.closed == 1


def test_a_second_run_on_the_machine_is_refused_until_the_first_is_done(catalog: Catalog) -> None:
    with sessions.alone(catalog):
        with pytest.raises(EnvironmentProblem, match="another telar is measuring") as caught:
            sessions.alone(catalog).__enter__()
        assert str(catalog.root) in caught.value.message
    with sessions.alone(catalog):
        pass


def test_a_runner_bigger_than_the_machine_is_refused(catalog: Catalog, session: Session) -> None:
    runners = {
        name: msgspec.structs.replace(runner, processors=4096) for name, runner in catalog.file.runner.items()
    }
    file = msgspec.structs.replace(catalog.file, runner=runners)
    engine = Powerless(RunError("not asked"))
    with pytest.raises(EnvironmentProblem, match="has 4096 processors, this machine"):
        run(msgspec.structs.replace(catalog, file=file), session, engine)
    assert engine.prepared == []


def test_a_port_in_use_ends_the_session_before_anything_is_prepared(
    catalog: Catalog, session: Session
) -> None:
    engine = Powerless(RunError("not asked"))
    port = catalog.file.ports.metrics
    with socket.create_server(("127.0.0.1", port)), pytest.raises(EnvironmentProblem, match=f"port {port}"):
        run(catalog, session, engine)
    assert engine.prepared == []
    assert session.records() == []

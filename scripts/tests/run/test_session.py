"""A session's order of things, with real cells whose database never starts."""

from __future__ import annotations

import contextlib
import io
import re
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from rich.console import Console

from telar.catalog.load import load
from telar.catalog.settings import PortsFile
from telar.catalog.types import Catalog
from telar.collect.host import Component
from telar.databases.types import Database
from telar.errors import EnvironmentProblem, Interrupted, RunError, StoreError, TelarError
from telar.plan.cells import Cell, PlannedRun
from telar.plan.pairs import pair_runs
from telar.run import session as sessions
from telar.run.engine import AppLaunch, LoadLaunch, Say, Service
from telar.run.http.cell import CellRun
from telar.run.pair import SHIFT
from telar.run.progress import Progress
from telar.store.files import Session
from telar.store.record import Artifact, Gate, Record, Superseded

from ..store.records import CELL, WARMUPS, plan, put, record

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

    def require(self) -> None:
        """It has all that it needs."""

    def prepare(self, cells: list[Cell], say: Say) -> None:
        self.prepared = cells
        say("prepared")

    def fresh_database(self, database: Database, system: str, folder: Path) -> None:
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

    def generator_version(self) -> str:
        return "2.2.0"

    def engine_version(self) -> str:
        return ""

    def telemetry(self, cell: Cell, run_id: str, base: str) -> tuple[str, ...]:
        return ()

    def observers(self) -> tuple[Component, ...]:
        return ()

    def mend(self, say: Say) -> None:
        """It has nothing that could have ended."""

    def close(self) -> None:
        self.closed += 1


def free_port() -> int:
    """One that is free for a second stack, too."""
    while True:
        with socket.socket() as probe, socket.socket() as beside:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
            with contextlib.suppress(OSError):
                beside.bind(("127.0.0.1", port + SHIFT))
                return port


@pytest.fixture
def catalog() -> Catalog:
    """The real one, on ports that nobody has."""
    real = load(ROOT)
    ports = PortsFile(app=free_port(), metrics=free_port(), beside=free_port())
    return msgspec.structs.replace(real, file=msgspec.structs.replace(real.file, ports=ports))


@pytest.fixture(autouse=True)
def _own_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A telar that measures on this machine meanwhile isn't disturbed, and doesn't disturb."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session.create(tmp_path / "20261121-071806-smoke", plan(CELL, PLATFORM, QUARKUS))


def run(catalog: Catalog, session: Session, engine: Powerless, *, again: bool = False) -> list[Record]:
    progress = Progress(Console(file=io.StringIO()), catalog, session.plan, verbose=False)
    return sessions.run(catalog, engine, session, progress, again=again)


@pytest.mark.thorough
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


@pytest.mark.thorough
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


def failing(gate: str) -> Gate:
    return Gate(name=gate, verdict="fail", observed="a lot", expected="less", limited_by="machine")


@pytest.mark.thorough
def test_what_the_machine_alone_disturbed_is_made_again_and_its_record_kept(
    catalog: Catalog, session: Session
) -> None:
    disturbed, beyond, cold = session.plan.runs
    before = Superseded(run_id="0" * 16, gates=("foreign",))
    limited: dict[str, Any] = {"validity": "limited", "superseded": (before,)}
    old = put(session, disturbed, record(run_id="1" * 16, gates=(failing("speed"),), **limited))
    put(session, beyond, record(run_id="2" * 16, gates=(failing("speed"), failing("arrivals")), **limited))
    put(session, cold, record(run_id="3" * 16, gates=(failing("speed"), failing("warm")), **limited))
    assert sessions.disturbed_runs(catalog, session) == [disturbed]
    content = old.read_bytes()

    engine = Powerless(RunError("no database today"))
    records = run(catalog, session, engine, again=True)
    assert engine.prepared == [disturbed.cell]
    assert records[0].stopped
    assert records[0].superseded == (before, Superseded(run_id="1" * 16, gates=("speed",)))
    assert [r.run_id for r in records[1:]] == ["2" * 16, "3" * 16]
    (kept,) = (session.folder / "superseded").iterdir()
    assert (kept.name, kept.read_bytes()) == (f"{disturbed.name}+{'1' * 16}.json", content)
    assert sessions.disturbed_runs(catalog, session) == []


def test_a_run_that_cannot_be_made_again_keeps_its_record(catalog: Catalog, session: Session) -> None:
    for planned in session.plan.runs:
        put(session, planned, record(gates=(failing("foreign"),), validity="limited"))
    before = session.records()
    with pytest.raises(Interrupted):
        run(catalog, session, Powerless(Interrupted("stopped")), again=True)
    assert session.records() == before
    assert list(session.superseded()) == []


def test_a_damaged_record_is_named_before_anything_is_measured(catalog: Catalog, session: Session) -> None:
    path = put(session, session.plan.runs[0], record())
    path.write_bytes(path.read_bytes()[:-9])
    engine = Powerless(RunError("not asked"))
    with pytest.raises(StoreError, match=re.escape(str(path))):
        run(catalog, session, engine)
    assert engine.prepared == []


@pytest.mark.thorough
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


# ---- forks


@pytest.fixture
def forks(tmp_path: Path) -> Session:
    """Two forks of two windows each."""
    runs = pair_runs([(CELL, CELL)], forks=2, windows=2, seed=1, warmups=WARMUPS)
    made = msgspec.structs.replace(plan(CELL), runs=tuple(runs))
    return Session.create(tmp_path / "20261121-071806-calibrate", made)


@pytest.mark.thorough
def test_a_fork_whose_side_does_not_come_up_leaves_one_record_and_the_session_goes_on(
    catalog: Catalog, forks: Session
) -> None:
    engine = Powerless(RunError("no database today"))
    records = run(catalog, forks, engine)
    firsts = [r for r in forks.plan.runs if r.pair and (r.pair.window, r.pair.side) == (1, "a")]
    assert [(r.position, r.pair, r.outcome) for r in records] == [
        (first.position, first.pair, "failed") for first in firsts
    ]
    assert {p.name for p in (forks.folder / "logs").iterdir()} == {"fork-001-a", "fork-002-a"}
    assert engine.closed == 1


def test_a_fork_that_was_cut_short_is_not_gone_on_with(catalog: Catalog, forks: Session) -> None:
    """Its other windows would be of other JVMs."""
    done = forks.plan.runs[:3]
    for planned in done:
        put(forks, planned, record(run_id=f"{planned.position:016x}"))
    out = io.StringIO()
    progress = Progress(Console(file=out), catalog, forks.plan, verbose=False)
    records = sessions.run(catalog, Powerless(RunError("no database today")), forks, progress)
    assert "fork 1 was cut short after 3 windows, and stays so" in out.getvalue()
    assert [r.position for r in records[:3]] == [1, 2, 3]
    assert [r.pair and r.pair.fork for r in records[3:]] == [2]


@pytest.mark.thorough
def test_a_fork_without_a_record_is_begun_anew(catalog: Catalog, forks: Session) -> None:
    folder = forks.log_folder("fork-001-a")
    folder.mkdir(parents=True)
    (folder / "app.log").write_text("of the attempt before")
    assert len(run(catalog, forks, Powerless(RunError("no database today")))) == 2
    assert [p.name for p in folder.iterdir()] == ["database.log"]


@pytest.mark.parametrize("error", [EnvironmentProblem("the disk is full"), Interrupted("stopped")])
def test_what_says_nothing_about_a_fork_leaves_no_record(
    catalog: Catalog, forks: Session, error: TelarError
) -> None:
    with pytest.raises(type(error), match=error.message):
        run(catalog, forks, Powerless(error))
    assert forks.records() == []


def test_a_record_that_cannot_be_kept_ends_both_sides_before_the_engine(
    catalog: Catalog, forks: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[int] = []
    engine = Powerless(RunError("not asked"))

    def two_sides(*_: object, **__: object) -> Iterator[tuple[PlannedRun, Record]]:
        try:
            yield forks.plan.runs[0], record()
            yield forks.plan.runs[1], record()
        finally:
            ended.append(engine.closed)

    def full(name: str, made: Record) -> Path:
        raise EnvironmentProblem("the disk is full")

    monkeypatch.setattr(sessions, "fork", two_sides)
    monkeypatch.setattr(forks, "add", full)
    with pytest.raises(EnvironmentProblem, match="the disk is full"):
        run(catalog, forks, engine)
    assert (ended, engine.closed) == ([0], 1)


@pytest.mark.thorough
def test_pairs_need_the_ports_of_both_sides(catalog: Catalog, forks: Session, session: Session) -> None:
    engine = Powerless(RunError("no database today"))
    port = catalog.file.ports.app + SHIFT
    with socket.create_server(("127.0.0.1", port)):
        with pytest.raises(EnvironmentProblem, match=f"port {port}"):
            run(catalog, forks, engine)
        assert engine.prepared == []
        assert len(run(catalog, session, engine)) == 3  # runs one by one don't


def test_a_window_that_the_metrics_servers_cannot_be_told_of_fails_with_a_record(
    catalog: Catalog, forks: Session, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def gone(cell: Cell, run_id: str, base: str) -> tuple[str, ...]:
        raise RunError(f"no metrics server knows {base}")

    engine, planned = Powerless(RunError("not asked")), forks.plan.runs[0]
    monkeypatch.setattr(engine, "telemetry", gone)
    side = CellRun(
        catalog,
        engine,
        forks.plan,
        planned,
        session=forks.id,
        folder=tmp_path,
        progress=print,
        supersede=forks.supersede,
        shift=SHIFT,
    )
    found = side.window(planned)
    side.close()
    assert found.stopped
    port = catalog.file.ports.metrics + SHIFT
    assert found.stopped.error == f"no metrics server knows http://127.0.0.1:{port}"
    assert (found.position, found.pair, found.outcome) == (planned.position, planned.pair, "failed")

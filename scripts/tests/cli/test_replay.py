"""`telar replay`: which plan it makes of a record, and what it says. Runs stand in for real ones."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.catalog.load import load
from telar.catalog.suite import WarmupFile
from telar.cli import replay as command
from telar.plan.cells import Plan
from telar.run import session as sessions
from telar.store import floors, seal
from telar.store.files import Session, pretty
from telar.store.record import Record

from ..store.calibrations import calibration, floor
from ..store.records import CELL, STOP, plan, put, record
from .conftest import Telar

OLD = "0f3a000000000001"
FAILED: dict[str, Any] = {
    "outcome": "failed",
    "stopped": STOP,
    "load": None,
    "latencies": (),
    "metrics": {},
    "series": None,
}


class Runs:
    """In place of a session's runs: a record for each, as `make` says. Keeps what was asked for."""

    def __init__(self) -> None:
        self.plans: list[Plan] = []
        self.engines: list[str] = []
        self.make: Callable[[int], Record] = lambda n: record(numbers={"p99": 70.1}, run_id=f"{n:016x}")

    def __call__(self, catalog: object, engine: Engine, session: Session, progress: object) -> list[Record]:
        self.plans.append(session.plan)
        self.engines.append(engine.name)
        for run in session.plan.runs:
            put(session, run, self.make(run.position))
        return session.records()


class Engine:
    def __init__(self, name: str) -> None:
        self.name = name


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runs:
    fake = Runs()
    monkeypatch.setattr(sessions, "run", fake)
    monkeypatch.setattr(command, "engine_for", lambda catalog, name: Engine(name))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # a lock of our own
    return fake


def keep(checkout: Path, where: str = "local/20261121-080000-smoke", **changes: Any) -> Path:
    """A record below the checkout's data, without its session's plan."""
    path = checkout / "benchmarks-data" / where / "records" / "001.json"
    path.parent.mkdir(parents=True)
    kept = msgspec.structs.replace(record(run_id=OLD), session=path.parent.parent.name, **changes)
    path.write_bytes(seal.sealed(msgspec.json.encode(kept)))
    return path


# ---- the plan


def test_a_replay_is_planned_as_the_record_says(telar: Telar, checkout: Path, runs: Runs) -> None:
    cell = msgspec.structs.replace(CELL, jdk="21", drivers={"mysql": "8.0.33"}, engine="compose")
    keep(checkout, "reference/a", cell=cell, repetition=3, suite="thesis")
    assert telar("replay", OLD, "--repeat", "2").code == 0
    (asked,) = runs.plans
    assert (asked.suite, asked.seed) == ("thesis", 1)
    assert {run.warmup for run in asked.runs} == {WarmupFile(workload="movies-constant", rate=100)}
    # The repetition is part of the seed: each has the same requests in the same order.
    assert [(r.position, r.repetition, r.cell) for r in asked.runs] == [(1, 3, cell), (2, 3, cell)]
    assert runs.engines == ["compose"]


def test_without_repeat_it_is_run_once(telar: Telar, checkout: Path, runs: Runs) -> None:
    keep(checkout)
    assert telar("replay", "0f3a").code == 0
    assert len(runs.plans[0].runs) == 1


def test_a_record_that_is_older_than_its_plan_takes_the_one_beside_it(
    telar: Telar, checkout: Path, runs: Runs
) -> None:
    path = keep(checkout, planned=None)
    (path.parent.parent / "plan.json").write_bytes(pretty(msgspec.structs.replace(plan(CELL), seed=7)))
    assert telar("replay", OLD).code == 0
    warmup = runs.plans[0].runs[0].warmup
    assert warmup
    assert (runs.plans[0].seed, warmup.seconds) == (7, 10)


def test_a_replay_is_a_session_of_its_own_that_can_be_resumed(
    telar: Telar, checkout: Path, runs: Runs
) -> None:
    keep(checkout)
    telar("replay", OLD)
    (folder,) = (checkout / "benchmarks-data" / "local").glob("*-replay")
    assert Session(folder).plan == runs.plans[0]
    assert len(Session(folder).records()) == 1


def test_a_file_and_another_folder_do_as_well(
    telar: Telar, checkout: Path, runs: Runs, tmp_path: Path
) -> None:
    path = keep(checkout, "elsewhere/s")
    elsewhere = tmp_path / "elsewhere"
    path.parent.parent.rename(elsewhere)
    assert telar("replay", OLD).code == 2
    assert telar("replay", elsewhere / "records" / "001.json").code == 0
    assert telar("replay", OLD, "--data", tmp_path).code == 0
    assert len(list(tmp_path.glob("*-replay"))) == 1  # what was said with --data is kept there


# ---- what it says


def test_old_and_new_stand_side_by_side_after_what_explains(telar: Telar, checkout: Path, runs: Runs) -> None:
    keep(checkout)
    other = msgspec.structs.replace(record().provenance, commit="7777777")
    runs.make = lambda n: record(numbers={"p99": 140.2}, run_id=f"{n:016x}", provenance=other)
    said = telar("replay", OLD)
    assert said.code == 0
    assert said.out.index("Not the same") < said.out.index("7777777") < said.out.index("Old and new")
    line = next(line for line in said.out.splitlines() if line.startswith("p99 (ms)"))
    assert line.split()[2:] == ["70.10", "140.20", "2.00×", "–"]
    assert "No floor measured here of any metric" in said.out
    assert f"old {OLD}" in said.out


def test_floors_of_the_reference_say_what_is_noise(telar: Telar, checkout: Path, runs: Runs) -> None:
    keep(checkout)
    own = calibration(floors={"p99": floor(replay=0.05)})
    floors.write(checkout / "benchmarks-data" / floors.FLOORS, floors.Floors(calibrations=(own,)))
    runs.make = lambda n: record(numbers={"p99": 80.0}, run_id=f"{n:016x}")
    said = telar("replay", OLD)
    assert "± 5.0%  beyond the floor" in said.out
    assert "Beyond the floor: p99." in said.out


def test_a_replay_for_machines_is_json_alone(telar: Telar, checkout: Path, runs: Runs) -> None:
    keep(checkout)
    said = telar("replay", OLD, "--repeat", "2", "--json")
    found = json.loads(said.out)
    assert (found["old"], found["new"]) == (OLD, [f"{n:016x}" for n in (1, 2)])
    p99 = next(m for m in found["metrics"] if m["metric"] == "p99")
    assert (p99["old"], p99["new"], p99["ratio"], p99["floor"], p99["within"]) == (
        70.1,
        70.1,
        1.0,
        None,
        None,
    )
    assert found["differences"] == []
    assert "replay of" in said.err


def test_a_failed_run_can_be_replayed(telar: Telar, checkout: Path, runs: Runs) -> None:
    keep(checkout, **FAILED)
    said = telar("replay", OLD)
    assert said.code == 0
    assert "failed in the phase start: the app ended with exit code 1" in said.out
    line = next(line for line in said.out.splitlines() if line.startswith("p99 (ms)"))
    assert line.split()[2:] == ["–", "70.10", "–", "–"]


def test_a_replay_that_fails_ends_with_5_and_shows_what_there_is(
    telar: Telar, checkout: Path, runs: Runs
) -> None:
    keep(checkout)
    runs.make = lambda n: record(run_id=f"{n:016x}", **(FAILED if n == 2 else {}))
    said = telar("replay", OLD, "--repeat", "2")
    assert said.code == 5
    assert "1 of 2 runs failed" in said.err
    assert "p99 (ms)" in said.out


# ---- what it refuses


def test_a_run_that_is_not_there_ends_with_2_and_names_the_nearest(
    telar: Telar, checkout: Path, runs: Runs
) -> None:
    keep(checkout)
    said = telar("replay", "0f3b000000000001")
    assert (said.code, f"did you mean {OLD!r}?" in said.err) == (2, True)
    assert f"there is no run '0f3b000000000001' below {checkout}" in said.err
    assert runs.plans == []


@pytest.mark.parametrize(
    ("changes", "message", "hint"),
    [
        ({"variant": "spring-mysql-bloking-virtual"}, "no variant", "spring-mysql-blocking-virtual"),
        ({"workload": "movies-shrt"}, "no workload", "movies-short"),
        ({"jdk": "11"}, "no JDK", "21"),
        ({"drivers": {"mysql": "1.2.3"}}, "no version of mysql", ""),
        ({"layout": "splitt"}, "no layout", "split"),
    ],
)
def test_a_cell_that_the_catalogue_no_longer_has_is_refused_by_name(
    telar: Telar, checkout: Path, runs: Runs, changes: dict[str, Any], message: str, hint: str
) -> None:
    path = keep(checkout, cell=msgspec.structs.replace(CELL, **changes))
    said = telar("replay", OLD)
    assert said.code == 2
    assert f"{path}: there is {message}" in said.err
    assert hint in said.err
    assert list((checkout / "benchmarks-data" / "local").glob("*-replay")) == []


def test_a_record_that_says_nothing_of_its_warm_up_is_refused(
    telar: Telar, checkout: Path, runs: Runs
) -> None:
    path = keep(checkout, planned=None)
    said = telar("replay", OLD)
    assert (said.code, f"{path}: does not say how it was warmed up" in said.err) == (2, True)


def test_a_damaged_record_ends_with_7(telar: Telar, checkout: Path, runs: Runs) -> None:
    path = keep(checkout)
    path.write_bytes(path.read_bytes().replace(b"70.1", b"17.1"))
    said = telar("replay", OLD)
    assert (said.code, str(path) in said.err) == (7, True)


def test_while_another_telar_measures_no_session_is_made(telar: Telar, checkout: Path, runs: Runs) -> None:

    keep(checkout)
    with sessions.alone(load(checkout)):
        said = telar("replay", OLD)
    assert (said.code, "another telar is measuring" in said.err) == (6, True)
    assert list((checkout / "benchmarks-data" / "local").glob("*-replay")) == []

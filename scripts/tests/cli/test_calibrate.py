"""`telar calibrate`: which windows it plans, what it keeps and says. Runs stand in for real ones."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.catalog.guest import with_guest
from telar.catalog.load import load
from telar.cli import calibrate as command
from telar.cli import comparing
from telar.cli.ab import ab
from telar.plan.cells import Pair, PlannedRun
from telar.run import session as sessions
from telar.store import floors
from telar.store.files import Session
from telar.store.record import Record

from ..catalog.test_guest import VARIANT as GUEST
from ..store.calibrations import calibration
from ..store.records import CELL, OTHER, STOP, plan, put, record
from .conftest import ROOT, Telar

ONE = ("calibrate", "smoke", "--engine", "embedded", "--only", "spring-mysql-blocking-virtual")
TWO = ("calibrate", "smoke", "--engine", "embedded", "--only", "spring-mysql-blocking-*")
HERE = record().provenance.machine
SHORT = ("--repeat", "2", "--windows", "2")
FAILED = {"outcome": "failed", "stopped": STOP, "load": None, "latencies": (), "metrics": {}, "series": None}


class Runs:
    """In place of a session's runs: a record for each window without one, as `make` says."""

    def __init__(self) -> None:
        self.sessions: list[Session] = []
        self.engines: list[str] = []
        self.make: Callable[[PlannedRun, Pair], dict[str, Any]] = lambda run, pair: {}

    def __call__(self, catalog: object, engine: Engine, session: Session, progress: object) -> list[Record]:
        self.sessions.append(session)
        self.engines.append(engine.name)
        for run in session.plan.runs:
            assert run.pair
            if not session.has(run.name):
                p99 = 100.0 + (run.pair.side == "b") * (-1) ** run.pair.window  # alternates around a's
                sound = {"numbers": {"p99": p99}, "validity": "valid", "run_id": f"{run.position:016x}"}
                put(session, run, record(**{**sound, **self.make(run, run.pair)}))
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


def kept(checkout: Path) -> list[Path]:
    return sorted((checkout / "benchmarks-data" / "local").glob("*-calibrate"))


# ---- the plan


@pytest.mark.thorough
def test_a_calibration_runs_a_cell_against_itself_in_rounds_of_forks(telar: Telar, runs: Runs) -> None:
    assert telar(*TWO, "--repeat", "3", "--windows", "4", "--seed", "7").code == 0
    (session,) = runs.sessions
    made = session.plan
    assert (made.suite, made.seed, runs.engines) == ("smoke", 7, ["embedded"])
    assert len(made.runs) == 2 * 3 * 4 * 2
    cells: dict[int, set[str]] = {}
    for run in made.runs:
        assert run.pair
        cells.setdefault(run.pair.fork, set()).add(run.cell.variant)
    assert sorted(cells) == [1, 2, 3, 4, 5, 6]
    assert all(len(own) == 1 for own in cells.values())


def test_without_more_words_a_variant_takes_less_than_half_an_hour_and_says_so(
    telar: Telar, runs: Runs
) -> None:
    said = telar("calibrate", "--engine", "embedded", "--only", "spring-mysql-blocking-virtual")
    assert said.code == 0
    windows = runs.sessions[0].plan.runs
    assert max(r.pair.fork for r in windows if r.pair) >= 5
    minutes = re.search(r"(\d+) windows, about (\d+) minutes, embedded engine", said.out)
    assert minutes
    assert (int(minutes[1]), 15 <= int(minutes[2]) <= 30) == (len(windows), True)
    assert "telar ab doesn't know this yet" in said.out
    assert "all of them done" in telar("calibrate", "--resume").out


def documented(word: str) -> list[list[str]]:
    """The commands with this word in the documents' blocks, each as the shell would part it."""
    found = []
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        for line in document.read_text().splitlines():
            words = shlex.split(line, comments=True) if line.startswith("./telar ") else []
            if word in words:
                found.append(words[1:])
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("engine", ["embedded", "compose"])
@pytest.mark.parametrize("command", documented("calibrate"), ids=" ".join)
def test_what_the_documents_say_calibrates_what_they_compare(
    telar: Telar,
    runs: Runs,
    checkout: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    engine: str,
    command: list[str],
) -> None:
    """Each `telar ab` of the documents finds the floors of its very cells, and no others."""
    guest = "--guest" in command
    if guest:
        path = guest_file(tmp_path)
        monkeypatch.setenv("TELAR_GUEST", str(path))
        command = command[2:]
    command = [word for word in command if word not in ("--engine", "embedded", "compose")]
    assert telar(*command, "--engine", engine).code == 0
    c = with_guest(load(checkout), path) if guest else load(checkout)
    known = floors.read(c.data / floors.FLOORS)
    # On a hosted machine nothing is calibrated, and a search's noise is none of a window's.
    asked = [words for words in documented("ab") if not {"hosted", "movies-search"} & set(words)]
    compared = [words for words in asked if ("--guest" in words) == guest]
    assert compared
    for words in compared:
        options = words[words.index("ab") + 1 :]
        said = ab.make_context("ab", list(options)).params
        _, cells = comparing.cells(c, {**said, "engine": engine})
        for cell in cells:
            found = known.calibration(cell, HERE)
            assert found
            assert (found.cell.variant, found.cell.workload) == (cell.variant, cell.workload)
            assert known.of(cell, HERE)["service-p99"].pair_to_pair  # these records say nothing of a due time


def guest_file(folder: Path) -> Path:
    (folder / "shop" / "bench" / "k6").mkdir(parents=True)
    (folder / "shop" / "pom.xml").write_text("<project/>")
    (folder / "shop" / "bench" / "k6" / "load.ts").write_text("export default function () {}\n")
    path = folder / "shop" / "bench" / "variant.toml"
    path.write_text(GUEST)
    subprocess.run(["git", "init", "-q", folder / "shop"], check=True)
    return path


# ---- what it keeps and says


def test_floors_lie_beside_the_records_and_are_told(telar: Telar, checkout: Path, runs: Runs) -> None:
    said = telar(*ONE, *SHORT)
    assert said.code == 0
    (folder,) = kept(checkout)
    assert "4 sound pairs in 2 forks, 0 left out" in said.out
    (own,) = floors.read(folder / "floors.json").calibrations
    assert (own.cell, own.session, own.pairs) == (runs.sessions[0].plan.runs[0].cell, folder.name, 4)
    assert own.floors["p99"].pair_to_pair
    assert not (checkout / "benchmarks-data" / floors.FLOORS).exists()
    assert len(Session(folder).records()) == 8
    assert telar("store", "verify", folder).code == 0


def test_what_is_written_takes_the_place_of_the_cells_older_floors_alone(
    telar: Telar, checkout: Path, runs: Runs
) -> None:
    path = checkout / "benchmarks-data" / floors.FLOORS
    assert telar(*ONE, *SHORT).code == 0
    cell = runs.sessions[0].plan.runs[0].cell
    older = floors.Floors(calibrations=(calibration(cell=cell), calibration(cell=OTHER)))
    floors.write(path, older)
    said = telar("calibrate", "--resume", "--write")
    assert (said.code, f"kept in {path}" in said.out.replace("\n", "")) == (0, True)
    found = {c.cell.variant: c.session for c in floors.read(path).calibrations}
    assert found == {cell.variant: kept(checkout)[0].name, OTHER.variant: calibration().session}


def test_a_calibration_for_machines_is_json_alone(telar: Telar, checkout: Path, runs: Runs) -> None:
    said = telar(*ONE, *SHORT, "--json")
    (found,) = json.loads(said.out)["calibrations"]
    assert (found["pairs"], found["floors"]["p99"]["tier"]) == (4, "gate")
    assert "8 windows" in said.err


def test_a_calibration_can_be_reckoned_again_and_gone_on_with(
    telar: Telar, checkout: Path, runs: Runs
) -> None:
    telar(*ONE, *SHORT)
    (folder,) = kept(checkout)
    first = floors.read(folder / "floors.json")
    (folder / "floors.json").unlink()
    Session.create(folder.parent / "99991231-235959-smoke", plan(CELL))  # a later one, but no calibration
    assert telar("calibrate", "--resume").code == 0
    assert [s.folder for s in runs.sessions] == [folder, folder]
    assert floors.read(folder / "floors.json") == first


def test_an_earlier_sessions_forks_are_added(telar: Telar, checkout: Path, runs: Runs) -> None:
    telar(*ONE, *SHORT)
    (own,) = kept(checkout)
    earlier = Session.create(own.parent / "20200101-000000-calibrate", Session(own).plan)
    runs(None, Engine("embedded"), earlier, None)
    said = telar("calibrate", "--resume", "--add", earlier.folder)
    assert "8 sound pairs in 4 forks of 2 sessions, 0 left out" in said.out
    (found,) = floors.read(own / "floors.json").calibrations
    assert (found.session, found.added) == (own.name, (earlier.id,))
    other = Session.create(own.parent / "20200101-000000-smoke", plan(OTHER)).folder
    for again, message in (
        (own, f"--add {own}: is counted already"),
        (other, f"--add {other}: holds no pairs of one build against itself"),
    ):
        said = telar("calibrate", "--resume", "--add", again)
        assert said.code == 2
        assert message in said.err.replace("\n", "")


def test_cells_without_enough_sound_pairs_end_with_5_and_the_others_are_kept(
    telar: Telar, checkout: Path, runs: Runs
) -> None:
    spoilt = "spring-mysql-blocking-virtual"
    runs.make = lambda run, pair: {"validity": "limited"} if run.cell.variant == spoilt else {}
    said = telar(*TWO, *SHORT, "--write")
    assert said.code == 5
    assert f"fewer than 4 sound pairs in 2 forks of {spoilt}+movies-short" in said.err
    assert f"telar report {kept(checkout)[0]}" in said.err
    path = checkout / "benchmarks-data" / floors.FLOORS
    assert [c.cell.variant for c in floors.read(path).calibrations] == ["spring-mysql-blocking-platform"]


def test_where_nothing_was_sound_the_floors_of_earlier_stay(telar: Telar, checkout: Path, runs: Runs) -> None:
    path = checkout / "benchmarks-data" / floors.FLOORS
    floors.write(path, floors.Floors(calibrations=(calibration(),)))
    before = path.read_bytes()
    runs.make = lambda run, pair: FAILED | {"validity": "invalid"}
    assert telar(*ONE, *SHORT, "--write").code == 5
    assert path.read_bytes() == before


# ---- what it refuses


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--repeat", "1"), "--repeat 1: what JVMs differ by takes at least 2 rounds"),
        (("--windows", "1"), "1 is not in the range 2<=x<=1000"),
        (("--jdk", "12"), "there is no JDK '12'"),
        (("--nope",), "No such option '--nope'"),
    ],
)
def test_a_mistake_on_the_command_line_ends_with_2_and_leaves_no_session(
    telar: Telar, checkout: Path, runs: Runs, words: tuple[str, ...], message: str
) -> None:
    said = telar(*ONE, *words)
    assert (said.code, message in said.err) == (2, True)
    assert kept(checkout) == []
    assert runs.sessions == []


def test_a_calibration_is_not_what_run_goes_on_with(telar: Telar, checkout: Path, runs: Runs) -> None:
    assert telar(*ONE, *SHORT).code == 0
    said = telar("run", "--resume")
    assert (said.code, "there is no session" in said.err) == (2, True), said.err


def test_with_nothing_to_resume_it_ends_with_2(telar: Telar, checkout: Path, runs: Runs) -> None:
    data = checkout / "benchmarks-data" / "local"
    Session.create(data / "20261121-080000-smoke", plan(CELL))
    said = telar("calibrate", "--resume")
    assert (said.code, f"there is no calibration below {data}" in said.err) == (2, True)
    assert "telar calibrate SUITE" in said.err
    assert runs.sessions == []


@pytest.mark.parametrize(
    "words", [("smoke",), ("--repeat", "5"), ("--windows", "5"), ("--only", "spring-*"), ("--jdk", "25")]
)
def test_what_is_said_beside_resume_is_refused(telar: Telar, runs: Runs, words: tuple[str, ...]) -> None:
    telar(*ONE, *SHORT)
    said = telar("calibrate", "--resume", *words)
    assert (said.code, "say nothing else with it" in said.err) == (2, True)
    assert len(runs.sessions) == 1


def test_a_plan_that_the_catalogue_has_outgrown_is_not_gone_on_with(
    telar: Telar, tmp_path: Path, runs: Runs
) -> None:
    gone = plan(msgspec.structs.replace(CELL, workload="movies-gone"))
    session = Session.create(tmp_path / "20261121-080000-calibrate", gone)
    said = telar("calibrate", "--resume", "--data", tmp_path)
    assert said.code == 2
    assert f"{session.folder / 'plan.json'}: there is no workload 'movies-gone' any more" in said.err


def test_broken_floors_of_the_reference_end_with_7(telar: Telar, checkout: Path, runs: Runs) -> None:
    path = checkout / "benchmarks-data" / floors.FLOORS
    path.parent.mkdir(parents=True)
    path.write_text("no floors")
    said = telar(*ONE, *SHORT, "--write")
    assert (said.code, str(path) in said.err) == (7, True)
    assert path.read_text() == "no floors"


def test_while_another_telar_measures_no_session_is_made(telar: Telar, checkout: Path, runs: Runs) -> None:
    with sessions.alone(load(checkout)):
        said = telar(*ONE)
    assert (said.code, "another telar is measuring" in said.err) == (6, True)
    assert kept(checkout) == []

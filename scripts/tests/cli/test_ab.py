"""`telar ab`: which pairs it plans, when it stops, what it says. Runs stand in for real ones."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.analyse.budget import Design
from telar.cli import comparing as command
from telar.plan.cells import Pair, PlannedRun
from telar.run import session as sessions
from telar.store import floors
from telar.store.files import Session
from telar.store.record import Gate, Metric, Record

from ..publish.test_verdict import compared
from ..store.calibrations import calibration, floor
from ..store.records import CELL, put, record
from .conftest import Telar

SOUND = Gate(name="warm", verdict="pass", observed="3 %", expected="at most 15 %")
BAD = Gate(name="warm", verdict="fail", observed="40 %", expected="at most 15 %")
QUIET = floor(run_to_run=0.01, pair_to_pair=0.004, fork_to_fork=0.001)
ONE = ("ab", "--engine", "embedded", "--only", "spring-mysql-blocking-virtual", "--head", "flags=-Xss2m")


class Runs:
    """In place of a session's runs: windows are recorded one after the other, until it is enough."""

    def __init__(self) -> None:
        self.sessions: list[Session] = []
        self.effects: dict[str, float] = {}  # metric -> head ÷ base
        self.changes: Callable[[PlannedRun, Pair], dict[str, Any]] = lambda run, pair: {}

    def __call__(
        self,
        catalog: object,
        engine: object,
        session: Session,
        progress: object,
        *,
        enough: Callable[[], bool],
        after: object = None,
        again: bool = False,
    ) -> list[Record]:
        self.sessions.append(session)
        for run in session.plan.runs:
            assert run.pair
            put(session, run, self.record(run, run.pair))
            if enough():
                break
        return session.records()

    def record(self, run: PlannedRun, pair: Pair) -> Record:
        wobble = 1 + 0.002 * (-1) ** (pair.window + pair.fork)
        metrics = {}
        for name, value in (("p50", 4.0), ("allocated", 120.0), ("gc-pause", 30.0)):
            mine = value * (self.effects.get(name, 1.0) if pair.side == "b" else wobble)
            metrics[name] = Metric(value=mine, unit="ms", better="smaller")
        for name in ("failures", "dropped"):
            metrics[name] = Metric(value=0.0, unit="requests", better="smaller")
        given = {"metrics": metrics, "validity": "valid", "gates": (SOUND,), "run_id": f"{run.position:016x}"}
        return record(**{**given, **self.changes(run, pair)})


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, checkout: Path) -> Runs:
    fake = Runs()
    monkeypatch.setattr(sessions, "run", fake)
    monkeypatch.setattr(command, "engine_for", lambda catalog, name: type("E", (), {"name": name}))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # a lock of our own
    known = {"p50": QUIET, "allocated": QUIET, "gc-pause": floor(tier="chart")}
    own = calibration(cell=msgspec.structs.replace(CELL, workload="movies-window"), floors=known)
    floors.write(checkout / "benchmarks-data" / floors.FLOORS, floors.Floors(calibrations=(own,)))
    return fake


def words(out: str) -> dict[str, str]:
    return {v["metric"]: v["word"] for c in json.loads(out)["compared"] for v in c["verdicts"]}


@pytest.mark.thorough
def test_two_that_are_alike_are_the_same_and_it_stops_early(telar: Telar, runs: Runs) -> None:
    said = telar(*ONE, "--budget", "40m", "--json")
    assert said.code == 0
    alike = ("failures", "dropped", "p50", "allocated", "statements")
    assert words(said.out) == dict.fromkeys(alike, "same")
    (session,) = runs.sessions
    assert len(session.records()) < len(session.plan.runs)


@pytest.mark.thorough
def test_what_is_worse_is_named_and_ends_with_8(telar: Telar, runs: Runs) -> None:
    runs.effects = {"p50": 1.2, "gc-pause": 2.0}
    said = telar(*ONE)
    assert said.code == 8
    assert "worse: p50 of spring-mysql-blocking-virtual +20" in said.out
    assert "GC pause" in said.out
    assert said.err.startswith("telar: worse: p50")


TWO = ("ab", "--engine", "embedded", "--only", "spring-mysql-blocking-virtual",
       "--base", "jdk=21", "--head", "jdk=25", "--head", "flags=-Xss2m")  # fmt: skip


def test_where_something_moved_each_factor_is_asked_alone(telar: Telar, runs: Runs) -> None:
    runs.effects = {"allocated": 1.2}
    said = telar(*TWO, "--attribute", "5m", "--json")
    assert said.code == 8, said.err
    (each,) = json.loads(said.out)["attributed"]
    assert (each["variant"], each["metric"]) == ("spring-mysql-blocking-virtual", "allocated")
    assert sorted(p["name"] for p in each["parts"]) == ["all together", "flags", "interaction", "jdk"]
    first, second = runs.sessions
    assert [s.folder.name.rpartition("-")[2] for s in runs.sessions] == ["ab", "attribute"]
    kept = json.loads((first.folder / "verdict.json").read_text())
    assert kept["attributed"] == [each]
    assert "Which of them moved it" in (first.folder / "verdict.md").read_text()
    asked = {(r.cell.jdk, r.cell.flags) for r in second.plan.runs if r.pair and r.pair.side == "b"}
    assert asked == {("25", ()), ("21", ("-Xss2m",)), ("25", ("-Xss2m",))}


def test_where_nothing_moved_nothing_is_attributed(telar: Telar, runs: Runs) -> None:
    said = telar(*TWO, "--attribute", "5m", "--budget", "40m")
    assert (said.code, "nothing to attribute" in said.out) == (0, True)
    assert len(runs.sessions) == 1
    alone = telar(*ONE, "--attribute", "5m")
    assert (alone.code, "differ in flags alone" in alone.err) == (2, True)


def test_a_verdict_stands_whatever_comes_of_its_attribution(telar: Telar, runs: Runs) -> None:
    runs.effects = {"allocated": 1.2}
    runs.changes = lambda run, pair: (
        {"validity": "invalid", "gates": (BAD,)} if len(runs.sessions) > 1 else {}
    )
    said = telar(*TWO, "--attribute", "5m")
    assert said.code == 8
    assert "not attributed: no pair of all together is sound" in said.out


@pytest.mark.thorough
def test_what_is_better_is_told_and_ends_well(telar: Telar, runs: Runs) -> None:
    runs.effects = {"allocated": 0.8}
    said = telar(*ONE, "--json")
    assert said.code == 0
    assert words(said.out)["allocated"] == "better"
    assert json.loads(said.out)["word"] == "better"


@pytest.mark.thorough
def test_sides_are_cells_of_their_own_in_pairs(telar: Telar, runs: Runs) -> None:
    assert telar(*ONE, "--base", "jdk=21", "--budget", "30m").code == 0
    (session,) = runs.sessions
    sides = {(r.pair.side, r.cell.jdk, r.cell.flags) for r in session.plan.runs if r.pair}
    assert sides == {("a", "21", ()), ("b", "25", ("-Xss2m",))}


def test_failures_of_one_side_are_worse_whatever_their_noise(telar: Telar, runs: Runs) -> None:
    def failing(run: PlannedRun, pair: Pair) -> dict[str, Any]:
        made = Runs.record(Runs(), run, pair)
        failures = Metric(value=40.0 if pair.side == "b" else 0.0, unit="requests", better="smaller")
        return {"metrics": {**made.metrics, "failures": failures}}

    runs.changes = failing
    said = telar(*ONE, "--json")
    assert said.code == 8
    assert words(said.out)["failures"] == "worse"


@pytest.mark.thorough
def test_windows_that_are_not_sound_decide_nothing_and_are_counted(telar: Telar, runs: Runs) -> None:
    runs.effects = {"p50": 1.5}
    runs.changes = lambda run, pair: {"validity": "invalid", "gates": (BAD,)}
    said = telar(*ONE, "--json")
    assert said.code == 0
    (compared,) = json.loads(said.out)["compared"]
    assert (compared["pairs"], compared["left_out"] > 0) == (0, True)
    assert json.loads(said.out)["word"] == "undecided"


@pytest.mark.thorough
def test_without_a_calibration_what_forks_differ_by_is_noise(
    telar: Telar, runs: Runs, checkout: Path
) -> None:
    (checkout / "benchmarks-data" / floors.FLOORS).unlink()

    def changes(run: PlannedRun, pair: Pair) -> dict[str, Any]:
        mine = 4.0 * (0.35 + 0.45 * pair.fork if pair.side == "b" else 1)  # 0.8, 1.25 and 1.7 times
        values = {"p50": mine, "failures": 0.0, "dropped": 0.0}
        return {"metrics": {n: Metric(value=v, unit="", better="smaller") for n, v in values.items()}}

    runs.changes = changes
    said = telar(*ONE, "--json")
    assert said.code == 0
    assert words(said.out) == {"failures": "same", "dropped": "same", "statements": "same"}
    beside = {v["metric"]: v["word"] for c in json.loads(said.out)["compared"] for v in c["beside"]}
    assert beside.pop("p50") == "undecided"
    assert set(beside) <= {"answer"}  # of any record that has the counters, and not judged


@pytest.mark.thorough
def test_asking_again_needs_more_certainty_and_says_so(telar: Telar, runs: Runs) -> None:
    """The same bytes on both sides. Other bytes, or other flags, are another question."""
    for times in (1, 2, 3):
        said = telar(*ONE)
        assert (f"asked {times} times of the same two builds" in said.out) == (times > 1)
        folder = runs.sessions[-1].folder  # of a second of its own
        folder.rename(folder.with_name(f"20260101-00000{times}-ab"))
    assert "a change must be 4 times surer by now" in said.out
    assert "of the same two builds" not in telar(*ONE[:-1], "flags=-Xss4m").out
    folder = runs.sessions[-1].folder
    folder.rename(folder.with_name("20260101-000004-ab"))
    changed = msgspec.structs.replace(record().provenance.artifact, digest="ee" * 8)
    provenance = msgspec.structs.replace(record().provenance, artifact=changed)
    runs.changes = lambda run, pair: {"provenance": provenance} if pair.side == "b" else {}
    assert "of the same two builds" not in telar(*ONE).out


@pytest.mark.thorough
def test_the_verdict_is_kept_as_markdown_beside_the_records(telar: Telar, runs: Runs, tmp_path: Path) -> None:
    runs.effects = {"p50": 1.2}
    assert telar(*ONE, "--markdown", tmp_path / "verdict.md").code == 8
    text = (tmp_path / "verdict.md").read_text()
    assert text == (runs.sessions[0].folder / "verdict.md").read_text()
    assert text.startswith("### Telar: 🔴 worse\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--budget", "15"), "--budget '15': say a time"),
        (("--base", "jdk=9"), "no JDK '9'"),
        (("--head", "driver=mongodb=5.6.5"), "takes no driver 'mongodb'"),
    ],
)
def test_a_word_that_makes_no_sense_is_an_error(
    telar: Telar, runs: Runs, words: tuple[str, ...], said: str
) -> None:
    found = telar(*ONE[:5], *words, *(() if "--base" in words or "--head" in words else ("--head", "jdk=27")))
    assert found.code == 2
    assert said in found.err
    assert runs.sessions == []


@pytest.mark.parametrize("value", ["", ",", " "])
def test_an_only_that_names_nothing_is_not_the_whole_suite(telar: Telar, runs: Runs, value: str) -> None:
    said = telar("ab", "--only", value, "--head", "flags=-Xss2m")
    assert said.code == 2
    assert "names nothing" in said.err
    assert runs.sessions == []


@pytest.mark.thorough
def test_sides_that_name_variants_are_compared_whatever_the_suite_has(telar: Telar, runs: Runs) -> None:
    one, other = (f"spring-mongodb-blocking-{launch}" for launch in ("platform", "virtual"))
    said = telar("ab", "--engine", "embedded", "--base", f"variant={one}", "--head", f"variant={other}")
    assert said.code == 0, said.err
    (session,) = runs.sessions
    cells = {(r.pair.side, r.cell.variant, *r.cell.drivers) for r in session.plan.runs if r.pair}
    assert cells == {("a", one, "mongodb"), ("b", other, "mongodb")}


@pytest.mark.parametrize(
    ("seconds", "pairs", "over"), [(899.0, 4, False), (901.0, 4, True), (901.0, 2, True), (901.0, 1, False)]
)
def test_it_ends_where_warm_ups_took_far_longer_than_foreseen(seconds: float, pairs: int, over: bool) -> None:
    """Two comparisons of 300 s each, each with the least pairs."""
    found = [compared(pairs=pairs, left_out=0), compared(pairs=2, left_out=0)]
    records = [record(), record(finished=record().started + seconds)]
    assert command.is_over(records, found, Design(forks=1, windows=9, seconds=300.0)) == over
    benchmarks = [record(kind="jmh"), record(kind="jmh", finished=record().started + seconds)]
    assert not command.is_over(benchmarks, found, Design(forks=9, windows=1, seconds=300.0))

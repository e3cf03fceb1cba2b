"""A suite that compares: which pairs it plans, what it ends in, what other commands make of it. Runs stand in
for real ones.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.catalog.load import load
from telar.cli import answer, common
from telar.cli import run as command
from telar.run import session as sessions
from telar.store import floors
from telar.store.files import Session
from telar.store.record import Gate, Record

from ..store.calibrations import calibration, floor
from ..store.records import CELL, put
from .conftest import ROOT, Telar
from .test_ab import QUIET, Runs

PLATFORM, VIRTUAL = "spring-mysql-blocking-platform", "spring-mysql-blocking-virtual"
FOREIGN = Gate(
    name="foreign",
    verdict="fail",
    observed="9 s",
    expected="at most 1 s",
    limited_by="machine",
    advice="end it",
)


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, checkout: Path) -> Runs:
    """On a machine whose noise is known."""
    fake = Runs()
    monkeypatch.setattr(sessions, "run", fake)
    monkeypatch.setattr(command, "engine_for", lambda catalog, name: type("E", (), {"name": name}))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # a lock of our own
    cell = msgspec.structs.replace(CELL, workload="movies-window", variant=PLATFORM)
    own = calibration(cell=cell, floors={"p50": QUIET, "allocated": QUIET, "gc-pause": floor(tier="chart")})
    floors.write(checkout / "benchmarks-data" / floors.FLOORS, floors.Floors(calibrations=(own,)))
    return fake


def test_the_quickstart_is_one_fork_of_several_pairs_of_platform_and_virtual(telar: Telar) -> None:
    made = json.loads(telar("plan", "quickstart", "--json").out)
    sides = {(r["pair"]["side"], r["cell"]["variant"]) for r in made["runs"]}
    assert sides == {("a", PLATFORM), ("b", VIRTUAL)}
    assert {(r["pair"]["fork"], r["pair"]["window"]) for r in made["runs"]} == {(1, 1), (1, 2), (1, 3)}
    assert {r["cell"]["engine"] for r in made["runs"]} == {"embedded"}
    assert all(r["warmup"]["requests"] for r in made["runs"])


@pytest.mark.parametrize("suite", [s for s, file in load(ROOT).file.suite.items() if file.compare])
def test_every_suite_that_compares_can_be_planned(telar: Telar, suite: str) -> None:
    said = telar("plan", suite)
    assert (said.code, "windows, " in said.out) == (0, True), said.err


@pytest.mark.thorough
def test_it_ends_in_valid_rows_a_verdict_and_what_to_try_next(
    telar: Telar, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common.console, "_width", 80)
    runs.effects = {"p50": 1.2, "allocated": 1.0}
    said = telar("run", "quickstart")
    assert said.code == 0, said.err  # neither side is a change of whoever runs it
    assert max(map(len, said.out.splitlines()[2:-12])) <= 80
    rows = [line.split() for line in said.out.splitlines()]
    assert [row[1] for row in rows if row[:1] == ["valid"]][:2] == ["platform", "virtual"]
    worse = next(line for line in said.out.splitlines() if line.startswith("worse"))
    for part in ("p50", "4.00 → 4.80", "+20", " … ", "5.0%"):
        assert part in worse
    assert f"worse: p50 of {VIRTUAL} +20" in said.out
    at = said.out.index("What to try next:")
    assert [line.split()[:2] for line in said.out[at:].splitlines()[1:3]] == [
        ["./telar", "ab"],
        ["./telar", "run"],
    ]
    (session,) = runs.sessions
    assert (session.folder / "verdict.md").read_text().startswith("### Telar: 🔴 worse\n")


@pytest.mark.thorough
def test_at_least_two_pairs_are_measured_however_clear_the_first_is(telar: Telar, runs: Runs) -> None:
    runs.effects = {"p50": 3.0, "allocated": 3.0}
    assert telar("run", "quickstart").code == 0
    assert len(runs.sessions[0].records()) >= 4


@pytest.mark.thorough
def test_for_machines_it_is_the_verdict_with_a_summary_of_each_side(telar: Telar, runs: Runs) -> None:
    said = json.loads(telar("run", "quickstart", "--json").out)
    assert (said["word"], [c["cell"]["variant"] for c in said["cells"]]) == ("same", [PLATFORM, VIRTUAL])
    assert said["occasion"]["base"] == f"variant={PLATFORM}"
    again = json.loads(telar("report", "--json").out)
    assert again == said


@pytest.mark.thorough
def test_a_report_says_the_verdict_again_and_with_the_noise_that_is_known_by_then(
    telar: Telar, runs: Runs, checkout: Path
) -> None:
    path = checkout / "benchmarks-data" / floors.FLOORS
    kept = path.read_bytes()
    path.unlink()
    runs.effects = {"p50": 1.2, "allocated": 1.0}
    assert "undecided: " in telar("run", "quickstart").out
    path.write_bytes(kept)
    said = telar("report")
    assert said.code == 0
    assert f"worse: p50 of {VIRTUAL} +19.9% (" in said.out


@pytest.mark.thorough
def test_what_is_open_is_followed_by_a_command_that_would_decide_it(
    telar: Telar, runs: Runs, checkout: Path
) -> None:
    runs.effects = {"p50": 1.03, "allocated": 1.018}  # about as much as matters
    noisy = floor(run_to_run=0.03, pair_to_pair=0.03, fork_to_fork=0.01)
    cell = msgspec.structs.replace(CELL, workload="movies-window", variant=PLATFORM)
    own = calibration(cell=cell, floors={"p50": noisy, "allocated": QUIET})
    floors.write(checkout / "benchmarks-data" / floors.FLOORS, floors.Floors(calibrations=(own,)))
    said = telar("run", "quickstart")
    assert said.code == 0
    opening = "What would decide allocated per request: "
    line = next(line for line in said.out.splitlines() if line.startswith(opening))
    assert line.removeprefix(opening).startswith(
        f"./telar ab quickstart --base variant={PLATFORM} --head variant={VIRTUAL} "
    )
    assert line.endswith("m")
    assert "--budget " in line


@pytest.mark.thorough
def test_where_the_noise_is_not_known_a_calibration_would_decide_it(
    telar: Telar, runs: Runs, checkout: Path
) -> None:
    (checkout / "benchmarks-data" / floors.FLOORS).unlink()
    said = telar("run", "quickstart")
    line = next(line for line in said.out.splitlines() if line.startswith("What would decide "))
    assert f"./telar calibrate pull-request --only {PLATFORM} --workload movies-window" in line


def test_a_neighbour_that_spoilt_it_is_named_with_what_the_numbers_are_still_worth(
    telar: Telar, runs: Runs
) -> None:
    runs.changes = lambda run, pair: {"validity": "limited", "gates": (FOREIGN,)}
    said = telar("run", "quickstart")
    assert said.code == 0
    text = " ".join(said.out.split())
    assert "something else used the machine" in text
    assert "what was allocated, failed or asked of the database is the service's own" in text
    assert "undecided: no pair of windows is sound on both sides" in text
    assert "limited: machine" in text


def test_a_disturbed_window_is_measured_again_only_as_often_as_the_suite_says(checkout: Path) -> None:
    c = load(checkout)
    for suite in ("quickstart", "seeds-short"):  # one that compares, and one that doesn't
        rules = answer.patient(c, suite).file.again
        assert (rules.times, rules.patience) == (1, 0)
    assert answer.patient(c, "smoke").file.again == c.file.again


@pytest.mark.thorough
def test_an_interrupted_one_goes_on_with_its_forks_and_ends_in_the_verdict(
    telar: Telar, runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    telar("run", "quickstart", "--repeat", "2")
    (whole,) = runs.sessions
    session = Session.create(whole.folder.with_name("20991231-000000-quickstart"), whole.plan)
    first = [r for r in whole.plan.runs if r.pair and r.pair.fork == 1]
    for run in first:
        assert run.pair
        put(session, run, runs.record(run, run.pair))
    interrupted = telar("report")
    assert (interrupted.code, "same: nothing moved" in interrupted.out) == (0, True)

    def rest(_: Any, __: Any, given: Session, ___: Any, **____: Any) -> list[Record]:
        for run in sessions.left(given):
            assert run.pair
            put(given, run, runs.record(run, run.pair))
        return given.records()

    monkeypatch.setattr(sessions, "run", rest)
    said = telar("run", "--resume")
    assert (said.code, "6 sound pairs in 2 forks" in said.out) == (0, True), said.err
    assert (session.folder / "verdict.json").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("run", "quickstart", "--only", "quarkus-*"), "compares spring-mysql-blocking-platform with"),
        (("plan", "quickstart", "--to", "jobs"), "which one runner measures in one go"),
        (("run", "quickstart", "--jdk", "9"), "there is no JDK '9'"),
    ],
)
def test_what_has_no_place_in_it_is_refused(
    telar: Telar, runs: Runs, words: tuple[str, ...], said: str
) -> None:
    found = telar(*words)
    assert (found.code, runs.sessions) == (2, [])
    assert said in found.err or "this suite has none of these variants" in found.err


def test_the_sides_of_a_suite_must_be_in_the_catalogue(telar: Telar, checkout: Path) -> None:
    toml = checkout / "telar.toml"
    toml.write_text(toml.read_text().replace(f'head = ["variant={VIRTUAL}"]', 'head = ["variant=spring-x"]'))
    said = telar("list")
    assert (said.code, "suite.quickstart.compare.head: variant = 'spring-x': not known" in said.err) == (
        2,
        True,
    )


def test_other_jdks_are_compared_too(telar: Telar) -> None:
    made = json.loads(telar("plan", "quickstart", "--jdk", "21", "--json").out)
    assert {r["cell"]["jdk"] for r in made["runs"]} == {"21"}

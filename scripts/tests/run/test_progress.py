"""What a log shows of a session: plain lines, in CI grouped by cell or fork."""

from __future__ import annotations

import io
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from telar.catalog.load import load
from telar.plan.cells import Plan, warmup_guess
from telar.plan.pairs import pair_runs
from telar.run.progress import Progress
from telar.store.record import Gate, Superseded, Verdict
from telar.tools import shell

from ..store.records import CELL, STOP, WARMUP, plan, record

CATALOG = load(Path(__file__).parents[3])
PLATFORM = msgspec.structs.replace(CELL, variant="spring-mysql-blocking-platform")
TWO = plan(CELL, PLATFORM)


@pytest.fixture
def output() -> io.StringIO:
    return io.StringIO()


def progress(output: io.StringIO, made: Plan = TWO, *, verbose: bool = False) -> Progress:
    return Progress(Console(file=output, width=200, force_terminal=False), CATALOG, made, verbose=verbose)


def run_both(shown: Progress) -> None:
    first, second = TWO.runs
    with shown.runs([first]) as say:
        say(first, "database")
        say(first, "window")
        shown.done(record())
    with shown.runs([second]) as say:
        say(second, "start")
        shown.done(record(outcome="failed", stopped=STOP))


def test_in_ci_each_cell_is_a_group_that_the_log_viewer_folds(
    output: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    run_both(progress(output))
    assert output.getvalue().splitlines() == [
        "::group::[1/2] spring-mysql-blocking-virtual · movies-short · JDK 25 mysql 9.7.0",
        "  database",
        "  window",
        "  ✓ [1/2] spring-mysql-blocking-virtual"
        "  p50 3.20 ms  p99 70.10 ms  failed 2  dropped 1  valid  (60 s)",
        "::endgroup::",
        "::group::[2/2] spring-mysql-blocking-platform · movies-short · JDK 25 mysql 9.7.0",
        "  start",
        "  ✗ [2/2] spring-mysql-blocking-platform failed in the phase start: the app ended with exit code 1",
        "::endgroup::",
    ]


def test_elsewhere_each_cell_has_a_line_with_the_time_that_is_left(
    output: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    run_both(progress(output))
    lines = output.getvalue().splitlines()
    # Two runs of 20 s, each with 10 s of warm-up and a guess of 14 s for the rest: 88 s.
    assert lines[0] == (
        "[1/2] spring-mysql-blocking-virtual · movies-short · JDK 25 mysql 9.7.0 · about 2 min left"
    )
    # The first one took no time: now that is what is expected of the second.
    assert lines[4].endswith(" · about 0 s left")
    assert not any("::" in line for line in lines)


def test_what_a_cell_says_is_no_markup(output: io.StringIO) -> None:
    shown = progress(output)
    with shown.runs(TWO.runs[:1]):
        stopped = msgspec.structs.replace(STOP, error="/bin/[/usr/bin/java] said [red]no")
        shown.done(record(outcome="failed", stopped=stopped))
    assert "/bin/[/usr/bin/java] said [red]no" in output.getvalue()


def test_a_long_session_is_told_in_minutes(output: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    made = plan(*[CELL] * 14)
    with progress(output, made).runs(made.runs[:1]):
        pass
    assert "about 11 min left" in output.getvalue()  # 14 × 47 s


def pairs() -> Plan:
    """One fork with two windows of each side, warmed up until steady."""
    warmup = msgspec.structs.replace(WARMUP, seconds=None)
    runs = pair_runs([(CELL, CELL)], forks=1, windows=2, seed=1, warmups={CELL.workload: warmup})
    return msgspec.structs.replace(plan(CELL), runs=tuple(runs))


def test_the_windows_of_a_fork_are_told_together_each_with_its_place(
    output: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    made = pairs()
    shown = progress(output, made)
    with shown.runs(made.runs) as say:
        for side in ("a", "b"):
            say(next(r for r in made.runs if r.pair and r.pair.side == side), "warm-up")
        for planned in made.runs:
            say(planned, "window")
            shown.done(record())
    lines = output.getvalue().splitlines()
    places = [
        f"[{n}/4] spring-mysql-blocking-virtual window {r.pair.window} {r.pair.side}"
        for n, r in enumerate(made.runs, start=1)
        if r.pair
    ]
    assert lines[0] == f"::group::{places[0]} · movies-short · JDK 25 mysql 9.7.0"
    assert lines[-1] == "::endgroup::"
    assert lines[1:3] == ["  warm-up", "  warm-up"]
    assert [line.partition("  p50")[0] for line in lines if "✓" in line] == [f"  ✓ {p}" for p in places]


def test_a_forks_guess_has_both_sides_warm_up_once(
    output: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    made = pairs()
    warmup = warmup_guess(CATALOG, made.runs[0].warmup)
    with progress(output, made).runs(made.runs):
        pass
    # Four windows of 20 s with 14 s around each, and two warm-ups.
    assert f"about {(4 * (22.9 + 14) + 2 * warmup) / 60:.0f} min left" in output.getvalue()


def gate(name: str, verdict: Verdict) -> Gate:
    return Gate(name=name, verdict=verdict, observed="3", expected="4")


@pytest.mark.parametrize(
    ("validity", "gates", "mark", "told"),
    [
        ("valid", (gate("warm", "warn"),), "✓", "valid  ("),
        ("limited", (gate("speed", "fail"),), "!", "limited: speed  ("),
        ("invalid", (gate("warm", "fail"), gate("state", "fail")), "!", "invalid: warm, state  ("),
    ],
)
def test_only_a_valid_run_is_ticked_off_and_the_others_tell_which_gates_say_so(
    output: io.StringIO, validity: str, gates: tuple[Gate, ...], mark: str, told: str
) -> None:
    shown = progress(output)
    with shown.runs(TWO.runs[:1]):
        shown.done(record(validity=validity, gates=gates))
    assert f"{mark} [1/2] spring-mysql-blocking-virtual" in output.getvalue()
    assert told in output.getvalue()


def test_a_window_that_was_measured_again_says_for_what(output: io.StringIO) -> None:
    shown = progress(output)
    again = tuple(Superseded(run_id=n * 16, gates=("warm", "speed")) for n in "ab")
    with shown.runs(TWO.runs[:1]):
        shown.done(record(superseded=again))
    assert "valid, measured 3 times (warm, speed)  (" in output.getvalue()


def test_a_resumed_session_says_what_has_its_record_already(output: io.StringIO) -> None:
    with progress(output).preparing(1):
        pass
    with progress(output).preparing(2):
        pass
    assert output.getvalue().splitlines() == [
        "preparing 1 run (1 of 2 have their record already)",
        "preparing 2 runs",
    ]


@pytest.mark.parametrize("verbose", [True, False])
def test_commands_are_shown_to_who_asked(output: io.StringIO, verbose: bool) -> None:
    shown = progress(output, verbose=verbose)
    with shown.commands():
        shell.run(["true", "[bold]"])
    assert output.getvalue() == ("  $ true '[bold]'\n" if verbose else "")

"""Two sides alive at once: in which order they are measured, and that neither outlives the fork."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.catalog.load import load
from telar.databases import types
from telar.errors import EnvironmentProblem
from telar.plan.cells import Plan, PlannedRun
from telar.plan.pairs import pair_runs
from telar.run import kinds, pair
from telar.run.http.hooks import Hooks
from telar.store.record import Record

from ..store.records import CELL, OTHER, STOP, WARMUPS, plan, record

CATALOG = load(Path(__file__).parents[3])
WINDOWS = pair_runs([(CELL, OTHER)], forks=1, windows=3, seed=1, warmups=WARMUPS)
PLAN = msgspec.structs.replace(plan(CELL), runs=tuple(WINDOWS))
FAILED = record(outcome="failed", stopped=STOP, load=None, latencies=(), metrics={}, series=None)


class Sides:
    """In place of real services: keeps what is done with each, and fails as `fail` says."""

    def __init__(self) -> None:
        self.done: list[tuple[str, ...]] = []
        self.given: dict[str, dict[str, Any]] = {}
        self.fail: dict[tuple[str, ...], Exception | Record] = {}

    def act(self, *what: str) -> Record | None:
        """What was asked to fail at this; raises it, if it is to be raised."""
        self.done.append(what)
        found = self.fail.get(what)
        if isinstance(found, Exception):
            raise found
        return found

    def __call__(
        self, catalog: object, engine: object, plan: Plan, planned: PlannedRun, **given: Any
    ) -> Side:
        side = name(planned)[0]
        self.given[side] = {"cell": planned.cell, **given}
        return Side(self, side, given["progress"])


class Side:
    def __init__(self, sides: Sides, side: str, progress: Callable[[str], None]) -> None:
        self.sides, self.side, self.progress = sides, side, progress

    def begin(self) -> Record | None:
        self.progress("warm-up")
        return self.sides.act("begin", self.side)

    def window(self, planned: PlannedRun) -> Record:
        self.progress("window")
        found = self.sides.act("window", name(planned))
        return found or record(run_id=f"{planned.position:016x}", pair=planned.pair)

    def close(self) -> None:
        self.sides.act("close", self.side)


def name(planned: PlannedRun) -> str:
    assert planned.pair
    return f"{planned.pair.side}{planned.pair.window}"


@pytest.fixture
def sides(monkeypatch: pytest.MonkeyPatch) -> Sides:
    fake = Sides()
    monkeypatch.setitem(kinds.RUNS, "http", fake)
    return fake


class Told(list[tuple[str, str]]):
    def __call__(self, planned: PlannedRun, phase: str) -> None:
        self.append((name(planned), phase))


def fork(folder: Path, told: Told | None = None, **more: Any) -> Any:
    engine: Any = None
    return pair.fork(
        CATALOG,
        engine,
        PLAN,
        WINDOWS,
        session="20261121-071806-calibrate",
        folder=folder / "fork-001",
        progress=told if told is not None else Told(),
        supersede=lambda planned, record: None,
        **more,
    )


ORDER = [name(w) for w in WINDOWS]
UP = [("begin", "a"), ("begin", "b")]
DOWN = [("close", "b"), ("close", "a")]


def test_both_sides_are_up_before_the_first_window_and_down_after_the_last(
    sides: Sides, tmp_path: Path
) -> None:
    found = list(fork(tmp_path))
    assert sides.done == [*UP, *(("window", each) for each in ORDER), *DOWN]
    assert [planned for planned, _ in found] == WINDOWS
    assert [made.pair for _, made in found] == [w.pair for w in WINDOWS]


def test_each_side_has_its_cell_its_ports_and_its_folder(sides: Sides, tmp_path: Path) -> None:
    list(fork(tmp_path))
    a, b = sides.given["a"], sides.given["b"]
    assert (a["cell"], b["cell"]) == (CELL, OTHER)
    assert (a["shift"], b["shift"]) == (0, pair.SHIFT)
    assert (a["folder"], b["folder"]) == (tmp_path / "fork-001-a", tmp_path / "fork-001-b")
    assert a["session"] == b["session"] == "20261121-071806-calibrate"


def test_no_two_ports_of_a_fork_are_the_same() -> None:
    own = CATALOG.file.ports
    ports = [own.app, own.metrics, *(types.load(d).file.port for d in CATALOG.databases.values())]
    assert len({port + shift for port in ports for shift in (0, pair.SHIFT)}) == 2 * len(ports)


def test_what_is_done_is_told_of_the_window_that_it_is_done_for(sides: Sides, tmp_path: Path) -> None:
    told = Told()
    list(fork(tmp_path, told))
    assert told == [("a1", "warm-up"), ("b1", "warm-up"), *((each, "window") for each in ORDER)]


@pytest.mark.parametrize(("side", "up"), [("a", UP[:1]), ("b", UP)])
def test_a_side_that_does_not_come_up_ends_the_fork_with_its_record(
    sides: Sides, tmp_path: Path, side: str, up: list[tuple[str, str]]
) -> None:
    sides.fail["begin", side] = FAILED
    ((planned, found),) = fork(tmp_path)
    assert (name(planned), found) == (f"{side}1", FAILED)
    assert sides.done == [*up, *DOWN]


@pytest.mark.parametrize("count", range(1, len(ORDER) + 1))
def test_a_window_that_fails_ends_the_fork_with_its_record(sides: Sides, tmp_path: Path, count: int) -> None:
    """The other side would be measured beside nothing, and this one is none any more."""
    sides.fail["window", ORDER[count - 1]] = FAILED
    found = list(fork(tmp_path))
    assert [name(planned) for planned, _ in found] == ORDER[:count]
    assert [bool(made.stopped) for _, made in found] == [False] * (count - 1) + [True]
    assert sides.done[-2:] == DOWN


@pytest.mark.parametrize("where", [("begin", "a"), ("begin", "b"), ("window", "a1"), ("window", "b3")])
def test_what_is_raised_leaves_nothing_up(sides: Sides, tmp_path: Path, where: tuple[str, str]) -> None:
    sides.fail[where] = EnvironmentProblem("the disk is full")
    with pytest.raises(EnvironmentProblem, match="the disk is full"):
        list(fork(tmp_path))
    assert sides.done[-3:] == [where, *DOWN]


def test_a_side_that_cannot_be_ended_does_not_keep_the_other_up(sides: Sides, tmp_path: Path) -> None:
    sides.fail["close", "b"] = EnvironmentProblem("it hangs")
    with pytest.raises(EnvironmentProblem, match="it hangs"):
        list(fork(tmp_path))
    assert sides.done[-2:] == DOWN


def test_who_stops_asking_ends_both(sides: Sides, tmp_path: Path) -> None:
    windows = fork(tmp_path)
    next(windows)
    assert sides.done == [*UP, ("window", ORDER[0])]
    windows.close()
    assert sides.done == [*UP, ("window", ORDER[0]), *DOWN]


def test_what_is_put_into_a_side_is_put_into_that_side_alone(sides: Sides, tmp_path: Path) -> None:
    mine = Hooks()
    list(fork(tmp_path, hooks={"b": mine}))
    assert {side: given["hooks"] for side, given in sides.given.items()} == {"a": None, "b": mine}


def test_what_comes_after_the_last_window_finds_both_sides_still_up(sides: Sides, tmp_path: Path) -> None:
    seen: list[object] = []

    def after(up: object, windows: object) -> None:
        seen.append((sorted(up), windows, list(sides.done)))  # type: ignore[call-overload]

    list(fork(tmp_path, after=after))
    assert seen == [(["a", "b"], WINDOWS, [*UP, *(("window", each) for each in ORDER)])]
    assert sides.done[-2:] == DOWN


def test_no_more_is_measured_once_it_is_enough_and_what_comes_after_still_comes(
    sides: Sides, tmp_path: Path
) -> None:
    seen: list[object] = []
    made: list[str] = []
    windows = fork(tmp_path, enough=lambda: len(made) == 2, after=lambda up, windows: seen.append(windows))
    for planned, _ in windows:
        made.append(name(planned))
    assert made == ORDER[:2]
    assert len(seen) == 1
    assert sides.done[-2:] == DOWN


def test_nothing_comes_after_a_window_that_failed(sides: Sides, tmp_path: Path) -> None:
    sides.fail["window", ORDER[1]] = FAILED
    seen: list[object] = []
    list(fork(tmp_path, after=lambda up, windows: seen.append(windows)))
    assert seen == []


def test_what_comes_after_and_fails_leaves_nothing_up(sides: Sides, tmp_path: Path) -> None:
    def after(up: object, windows: object) -> None:
        raise EnvironmentProblem("the disk is full")

    with pytest.raises(EnvironmentProblem, match="the disk is full"):
        list(fork(tmp_path, after=after))
    assert sides.done[-2:] == DOWN

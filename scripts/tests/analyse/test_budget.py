"""How a budget is spent: as the noise of forks and of windows says."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from telar.analyse.budget import LEAST, design
from telar.catalog.load import load
from telar.plan.cells import Wishes, make_plan
from telar.store.floors import Floors

from ..store.calibrations import calibration, floor
from ..store.records import record

CATALOG = load(Path(__file__).parents[3])
PLAN = make_plan(
    CATALOG, Wishes(suite="pull-request", engine="embedded", only=("spring-mysql-blocking-virtual",))
)
CELL = PLAN.runs[0].cell
HERE = record().provenance.machine


def floors(between: float, whole: float) -> Floors:
    own = {"p50-by-database": floor(fork_to_fork=between, pair_to_pair=whole)}
    return Floors(calibrations=(calibration(cell=CELL, floors=own),))


def test_a_budget_that_holds_no_fork_gets_one_all_the_same() -> None:
    found = design(CATALOG, PLAN, CELL, 10, Floors(), HERE)
    assert (found.forks, found.windows) == (1, LEAST)
    assert found.seconds > 10


@pytest.mark.thorough
def test_what_is_planned_fits_the_budget() -> None:
    for minutes in (15, 30, 60, 120):
        found = design(CATALOG, PLAN, CELL, minutes * 60, floors(0.01, 0.03), HERE)
        assert found.seconds <= minutes * 60


def test_where_forks_differ_there_are_more_of_them_and_where_windows_do_more_windows() -> None:
    forks, windows = (
        design(CATALOG, PLAN, CELL, 1500, f, HERE) for f in (floors(0.05, 0.051), floors(0.0, 0.05))
    )
    assert forks.forks > windows.forks
    assert windows.windows > forks.windows


def in_a_quarter_of_an_hour(known: Floors) -> list[tuple[int, int]]:
    """Forks and windows without containers, and in them, where a side takes longer to start."""
    cells = (CELL, msgspec.structs.replace(CELL, engine="compose"))
    found = [design(CATALOG, PLAN, cell, 900, known, HERE) for cell in cells]
    return [(each.forks, each.windows) for each in found]


@pytest.mark.thorough
def test_a_quarter_of_an_hour_has_as_many_forks_as_hold_two_pairs() -> None:
    """However much alike forks were in a calibration of three, that says little."""
    for between in (0.0, 0.0126):
        assert in_a_quarter_of_an_hour(floors(between, 0.0185)) == [(4, 2), (3, 4)]


def test_where_nothing_was_calibrated_a_quarter_of_an_hour_has_as_many_forks_too() -> None:
    """Fewer couldn't say how much forks differ, which no one measured."""
    assert in_a_quarter_of_an_hour(Floors()) == [(4, 2), (3, 4)]


def test_an_engine_without_containers_starts_sooner_so_that_five_minutes_hold_a_pair_more() -> None:
    plan, cell = PLAN, CELL
    other = msgspec.structs.replace(cell, engine="compose")
    windows = [design(CATALOG, plan, c, 300, Floors(), HERE).windows for c in (cell, other)]
    assert windows == [5, 4]

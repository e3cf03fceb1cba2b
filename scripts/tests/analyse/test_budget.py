"""How a budget is spent: as the noise of forks and of windows says."""

from __future__ import annotations

from pathlib import Path

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


def test_what_is_planned_fits_the_budget() -> None:
    for minutes in (15, 30, 60, 120):
        found = design(CATALOG, PLAN, CELL, minutes * 60, floors(0.01, 0.03), HERE)
        assert found.seconds <= minutes * 60


def test_where_forks_differ_there_are_more_of_them_and_where_windows_do_more_windows() -> None:
    forks, windows = (
        design(CATALOG, PLAN, CELL, 2600, f, HERE) for f in (floors(0.05, 0.051), floors(0.0, 0.05))
    )
    assert forks.forks > windows.forks
    assert windows.windows > forks.windows


def test_a_quarter_of_an_hour_has_three_forks() -> None:
    """However much alike forks were in a calibration of three, that says little."""
    for between in (0.0, 0.0126):
        assert design(CATALOG, PLAN, CELL, 900, floors(between, 0.0185), HERE).forks == 3


def test_where_nothing_was_calibrated_a_quarter_of_an_hour_has_three_forks_too() -> None:
    """Fewer couldn't say how much forks differ, which no one measured."""
    assert design(CATALOG, PLAN, CELL, 900, Floors(), HERE).forks == 3

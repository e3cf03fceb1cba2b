"""How a budget is spent: as the noise of forks and of windows says."""

from __future__ import annotations

from pathlib import Path

from telar.analyse.budget import LEAST, design
from telar.catalog.load import load
from telar.plan.cells import Wishes, make_plan
from telar.store.floors import Floors

from ..store.calibrations import calibration, floor

CATALOG = load(Path(__file__).parents[3])
PLAN = make_plan(
    CATALOG, Wishes(suite="pull-request", engine="embedded", only=("spring-mysql-blocking-virtual",))
)
CELL = PLAN.runs[0].cell


def floors(between: float, whole: float) -> Floors:
    own = {"p50-by-database": floor(fork_to_fork=between, pair_to_pair=whole)}
    return Floors(calibrations=(calibration(cell=CELL, floors=own),))


def test_a_budget_that_holds_no_fork_gets_one_all_the_same() -> None:
    found = design(CATALOG, PLAN, CELL, 10, Floors())
    assert (found.forks, found.windows) == (1, LEAST)
    assert found.seconds > 10


def test_what_is_planned_fits_the_budget() -> None:
    for minutes in (15, 30, 60, 120):
        found = design(CATALOG, PLAN, CELL, minutes * 60, floors(0.01, 0.03))
        assert found.seconds <= minutes * 60


def test_where_forks_differ_there_are_more_of_them_and_where_windows_do_more_windows() -> None:
    forks, windows = (design(CATALOG, PLAN, CELL, 3600, f) for f in (floors(0.05, 0.051), floors(0.0, 0.05)))
    assert forks.forks > windows.forks
    assert windows.windows > forks.windows


def test_a_quarter_of_an_hour_has_three_forks() -> None:
    """However much alike forks were in a calibration of three, that says little."""
    for between in (0.0, 0.0126):
        assert design(CATALOG, PLAN, CELL, 900, floors(between, 0.0185)).forks == 3


def test_where_nothing_was_calibrated_there_are_as_many_forks_as_the_budget_holds() -> None:
    found = design(CATALOG, PLAN, CELL, 1800, Floors())
    assert found.windows <= LEAST + 1

"""What verdicts rest on where runner or workload say so themselves: on a machine whose clock says little,
and of a search for the highest rate.
"""

from __future__ import annotations

from itertools import product
from pathlib import Path

import msgspec
from rich.console import Console

from telar.analyse.verdicts import Compared, compare
from telar.catalog.load import load
from telar.gates import judge, validity
from telar.publish.deciding import lines
from telar.publish.verdict import headline, markdown, print_verdict
from telar.store.floors import Floors
from telar.store.record import DatabaseState

from ..gates.sound import BUSY, CATALOG, failures, series, sound, steadily
from ..publish.test_verdict import comparison
from ..store.calibrations import calibration, floor, window
from ..store.records import CELL

REAL = load(Path(__file__).resolve().parents[3])
HOSTED = msgspec.structs.replace(CELL, runner="hosted")
QUIET = floor(run_to_run=0.003, pair_to_pair=0.001, fork_to_fork=0.0005)
COUNTED = {"statements": QUIET, "rows-read": QUIET, "answer": QUIET, "allocated": QUIET}


def compared(cpu: float = 1.0, statements: float = 1.0, cell: object = HOSTED) -> Compared:
    """Two forks of three pairs; its noise was measured elsewhere."""
    windows = []
    for fork, number in product((1, 2), (1, 2, 3)):
        wobble = 1 + 0.0005 * (-1) ** (fork + number)
        for side, own, asked in (("a", 1.0, 1.0), ("b", cpu, statements)):
            numbers = {
                "work-cpu-relative": 0.5 * own * wobble,
                "statements": 3.0 * asked * wobble,
                "allocated": 40.0 * wobble,
                "failures": 0.0,
                "dropped": 0.0,
            }
            windows.append(window(fork, number, side, numbers, cell=cell))
    known = Floors(calibrations=(calibration(floors=COUNTED),))
    (found,) = compare(REAL, windows, known, {(CELL.name, CELL.name): 6}, ended=True)
    return found


def test_what_is_counted_decides_and_what_is_timed_is_only_shown() -> None:
    found = compared(cpu=2.0)
    assert found.word == "same"
    assert {v.metric for v in found.verdicts} >= {"statements", "allocated"}
    assert "work-cpu-relative" not in {v.metric for v in found.verdicts}
    assert "work-cpu-relative" in {v.metric for v in found.beside}
    assert compared(statements=2.0).word == "worse"
    assert compared(statements=0.5).word == "better"


def test_on_a_machine_of_ones_own_the_same_windows_are_judged_by_the_clock() -> None:
    found = compared(cpu=2.0, cell=CELL)
    assert "work-cpu-relative" in {v.metric for v in found.verdicts}


def test_a_disturbed_clock_refuses_no_window_there() -> None:
    busy = {"host.busy_seconds": steadily(sum(BUSY.values()) + 0.5)}  # half a processor of somebody's
    for cell, word in ((CELL, "limited"), (HOSTED, "valid")):
        gates = judge(sound(cell=cell, series=series(busy)), CATALOG)
        assert {g.name: g.verdict for g in gates}["foreign"] == ("fail" if word == "limited" else "warn")
        assert validity(gates) == word
    lost = DatabaseState(rows_seeded=999, rows_at_window_start=5, rows_at_window_end=207)
    assert validity(judge(sound(cell=HOSTED, database=lost), CATALOG)) == "invalid"  # no clock is in that


def test_it_is_said_what_such_a_machine_cannot_judge_and_no_calibration_is_advised() -> None:
    made = comparison(compared(cpu=2.0), calibrated_on=None)
    text = markdown(REAL, made)
    assert "on a hosted machine only what is counted is judged (statements of the database" in text
    assert "calibrate" not in text
    console = Console(width=80, record=True)
    print_verdict(REAL, console, made)
    assert "only what is counted is judged" in " ".join(console.export_text().split())
    assert headline(REAL, made).startswith("same: ")
    few = compared(statements=1.004)
    open_ = msgspec.structs.replace(few.verdicts[-1], word="undecided", tier="unknown", metric="statements")
    said = list(lines(REAL, (msgspec.structs.replace(few, verdicts=(open_,)),), "./telar ab", 10.0))
    assert said
    assert all("--budget" in line or "hours" in line for line in said)


def test_a_search_is_judged_by_what_it_found_and_by_nothing_that_it_broke() -> None:
    searching = msgspec.structs.replace(CELL, workload="movies-search")
    windows = []
    for fork, number in product((1, 2, 3), (1, 2, 3)):
        wobble = 1 + 0.004 * (-1) ** (fork + number)
        for side, rate, failed in (("a", 1800.0, 0.0), ("b", 1350.0 * wobble, 900.0)):
            numbers = {"ceiling": rate, "failures": failed, "dropped": failed, "work-cpu-relative": 0.5}
            windows.append(window(fork, number, side, numbers, cell=searching))
    planned = {(searching.name, searching.name): 9}
    (found,) = compare(REAL, windows, Floors(calibrations=()), planned, ended=True)
    assert found.word == "worse"
    assert {v.metric: v.word for v in found.verdicts}["ceiling"] == "worse"
    assert {"failures", "dropped", "work-cpu-relative"}.isdisjoint(v.metric for v in found.verdicts)


def test_what_a_search_breaks_refuses_no_window() -> None:
    searching = msgspec.structs.replace(CELL, workload="movies-search")
    wrong = (failures(3, "status 500"),)
    gates = {g.name: g for g in judge(sound(cell=searching, failures=wrong), CATALOG)}
    assert gates["status"].verdict == "warn"
    assert gates["status"].advice.startswith("the search goes beyond what the service holds")
    assert {g.name: g for g in judge(sound(failures=wrong), CATALOG)}["status"].verdict == "fail"

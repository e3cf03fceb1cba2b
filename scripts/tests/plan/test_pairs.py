"""The order of windows: what drifts on a machine falls on both sides alike."""

from __future__ import annotations

from collections import Counter
from itertools import groupby, pairwise

import msgspec
import pytest

from telar.plan.cells import Cell, Pair, Plan, PlannedRun
from telar.plan.pairs import pair_runs

from ..store.records import CELL, OTHER, WARMUPS, plan

QUARKUS = msgspec.structs.replace(CELL, variant="quarkus-mysql-blocking-virtual")
SELF = [(CELL, CELL), (OTHER, OTHER), (QUARKUS, QUARKUS)]


def runs(
    sides: list[tuple[Cell, Cell]] = SELF, *, forks: int = 4, windows: int = 5, seed: int = 1
) -> list[tuple[PlannedRun, Pair]]:
    made = pair_runs(sides, forks=forks, windows=windows, seed=seed, warmups=WARMUPS)
    return [(r, r.pair) for r in made if r.pair]


def firsts(made: list[tuple[PlannedRun, Pair]]) -> list[list[str]]:
    """Of each fork: the side that goes first, window by window."""
    by_fork = groupby(made, key=lambda item: item[1].fork)
    return [[pair.side for _, pair in list(own)[::2]] for _, own in by_fork]


def test_every_window_of_every_fork_is_planned_once_for_each_side() -> None:
    made = runs()
    assert Counter((p.fork, p.window, p.side) for _, p in made) == {
        (fork, window, side): 1 for fork in range(1, 13) for window in range(1, 6) for side in "ab"
    }
    assert [r.position for r, _ in made] == list(range(1, 121))


def test_a_fork_is_one_pair_of_cells_from_its_beginning_to_its_end() -> None:
    made = runs([(CELL, OTHER)], forks=2, windows=2)
    assert {(p.side, r.cell.variant) for r, p in made} == {("a", CELL.variant), ("b", OTHER.variant)}
    made = runs()
    assert [p.fork for _, p in made] == [n for n in range(1, 13) for _ in range(10)]
    assert len({(p.fork, r.cell.variant) for r, p in made}) == 12


def test_a_window_is_measured_on_both_sides_before_the_next_one() -> None:
    made = runs()
    for (_, one), (_, two) in zip(made[::2], made[1::2], strict=True):
        assert (one.fork, one.window) == (two.fork, two.window)
        assert {one.side, two.side} == {"a", "b"}


@pytest.mark.parametrize("windows", [1, 2, 5])
def test_the_side_that_goes_first_alternates_from_window_to_window(windows: int) -> None:
    for order in firsts(runs(windows=windows)):
        assert len(order) == windows
        assert all(one != next_ for one, next_ in pairwise(order))


def test_which_side_begins_a_fork_is_a_coin() -> None:
    begins = Counter(order[0] for order in firsts(runs(SELF[:1], forks=400, windows=1)))
    assert 160 <= begins["a"] <= 240


def test_each_round_has_a_fork_of_every_pair_in_an_order_of_its_own() -> None:
    made = runs(forks=6, windows=2)
    rounds = [[r.cell.variant for r, _ in made[n : n + 12 : 4]] for n in range(0, len(made), 12)]
    assert len(rounds) == 6
    assert all(sorted(order) == sorted(cell.variant for cell, _ in SELF) for order in rounds)
    assert len({tuple(order) for order in rounds}) > 1


def test_both_sides_have_the_same_repetition_and_so_the_same_requests() -> None:
    """The repetition is part of the load's seed: each window of a cell has its own."""
    made = runs()
    for (one, _), (two, _) in zip(made[::2], made[1::2], strict=True):
        assert one.repetition == two.repetition
    for cell, _ in SELF:
        own = sorted({r.repetition for r, _ in made if r.cell == cell})
        assert own == list(range(1, 21))


def test_the_same_seed_gives_the_same_order_and_another_seed_another() -> None:
    assert runs(seed=7) == runs(seed=7)
    assert runs(seed=7) != runs(seed=8)


def test_names_are_unique_file_names_in_the_order_of_the_runs() -> None:
    names = [r.name for r, _ in runs()]
    assert len(set(names)) == len(names)
    assert names == sorted(names)
    assert not any(set("/ \0:") & set(name) for name in names)
    first, pair = runs()[0]
    assert first.name == f"001+{first.cell.name}+f1{pair.side}1"


def test_a_plan_of_pairs_is_the_same_after_a_round_trip_through_its_file() -> None:
    made = msgspec.structs.replace(plan(CELL), runs=tuple(r for r, _ in runs()))
    assert msgspec.json.decode(msgspec.json.encode(made), type=Plan) == made

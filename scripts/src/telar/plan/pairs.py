"""Plans of pairs: two sides alive at once, measured in turns, over several pairs of fresh JVMs (forks)."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

from telar.catalog.suite import WarmupFile
from telar.plan.cells import Cell, Pair, PlannedRun


def pair_runs(
    sides: Sequence[tuple[Cell, Cell]],
    *,
    forks: int,
    windows: int,
    seed: int,
    warmups: Mapping[str, WarmupFile | None],
) -> list[PlannedRun]:
    """Every window, in order. `warmups`: by the workload that they come before.

    Forks of the pairs of cells are interleaved, in an order drawn for each round. Which side goes first is
    drawn for a fork's first window and alternates from there: what drifts falls on both sides alike.
    """
    order = random.Random(f"pairs {seed}")  # noqa: S311 - nothing secret
    found: list[PlannedRun] = []
    fork = 0
    for round_ in range(forks):
        for cells in order.sample(sides, len(sides)):
            fork += 1
            for pair, cell in _windows(cells, fork, windows, order):
                repetition = round_ * windows + pair.window  # both sides' load is the same
                found.append(
                    PlannedRun(
                        position=len(found) + 1,
                        repetition=repetition,
                        cell=cell,
                        warmup=warmups[cell.workload],
                        pair=pair,
                    )
                )
    return found


def _windows(
    cells: tuple[Cell, Cell], fork: int, windows: int, order: random.Random
) -> Iterator[tuple[Pair, Cell]]:
    a_first = order.random() < 0.5  # noqa: PLR2004 - a coin
    for window in range(1, windows + 1):
        both = (
            (Pair(fork=fork, window=window, side="a"), cells[0]),
            (
                Pair(fork=fork, window=window, side="b"),
                cells[1],
            ),
        )
        yield from both if a_first == (window % 2 == 1) else reversed(both)

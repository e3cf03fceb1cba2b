"""How to spend a budget of time on a comparison: how many forks, and how many pairs of windows in each."""

from __future__ import annotations

import math

import msgspec

from telar.catalog.types import Catalog
from telar.plan.cells import Cell, Plan, warmup_guess
from telar.store.floors import Floors

START = 15.0  # seconds of a side: database, app, contract
AROUND = 8.0  # seconds of a window beside its load: reset, the ruler, k6's start, collecting
LEAST = 2  # pairs in a fork
MOST_FORKS = 12


class Design(msgspec.Struct, frozen=True, kw_only=True):
    forks: int
    windows: int  # pairs in each fork
    seconds: float  # that it may take


def design(catalog: Catalog, plan: Plan, cell: Cell, budget: float, floors: Floors) -> Design:
    """The forks and windows that tell most in so many seconds, by what calibration found of forks and
    windows.

    A budget that doesn't hold a fork of LEAST pairs gets one all the same: less would answer nothing.
    """
    warm = 2 * (START + warmup_guess(catalog, plan))
    pair = 2 * (catalog.workloads[cell.workload].duration + AROUND)
    spreads = [
        (f.fork_to_fork**2, max(0.0, (f.pair_to_pair or 0.0) ** 2 - f.fork_to_fork**2))
        for metric, f in floors.of(cell).items()
        if f.fork_to_fork is not None and f.pair_to_pair and metric in catalog.file.metric
        and catalog.file.metric[metric].matters is not None
    ] or [(1.0, 1.0)]  # fmt: skip
    best: tuple[float, Design] | None = None
    for forks in range(1, MOST_FORKS + 1):
        windows = int((budget / forks - warm) / pair)
        if windows < LEAST:
            break
        error = sum(math.log((b + w / windows) / forks) for b, w in spreads if b + w > 0)
        found = Design(forks=forks, windows=windows, seconds=forks * (warm + windows * pair))
        if best is None or error < best[0]:
            best = error, found
    return best[1] if best else Design(forks=1, windows=LEAST, seconds=warm + LEAST * pair)

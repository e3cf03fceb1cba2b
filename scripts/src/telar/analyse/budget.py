"""How to spend a budget of time on a comparison: how many forks, and how many pairs of windows in each."""

from __future__ import annotations

import math

import msgspec

from telar.analyse import decide, priors
from telar.analyse.calibration import LEAST_FORKS
from telar.analyse.posterior import Prior
from telar.catalog.kinds import kind_of
from telar.catalog.types import Catalog
from telar.plan.cells import Cell, Plan, warmup_guess
from telar.store.floors import Floors
from telar.store.record import Machine

# Seconds of a side: database, app, contract, k6's own start and end.
START = {"embedded": 6.0, "compose": 20.0}
AROUND = 5.0  # seconds of a window beside its load: reset, the ruler, k6's start, collecting
LEAST = 2  # pairs in a fork
MOST_FORKS = 12
LEAST_JVMS, MOST_JVMS = 3, 40  # pairs of them, where each window is one
CALIBRATED = 3  # pairs in a fork of a calibration: what forks differ by takes the most of them to be seen


class Design(msgspec.Struct, frozen=True, kw_only=True):
    forks: int
    windows: int  # pairs in each fork
    seconds: float  # that it may take


def design(
    catalog: Catalog, plan: Plan, cell: Cell, budget: float, floors: Floors, machine: Machine
) -> Design:
    """The forks and windows that tell most in so many seconds: those with the least geometric mean of the
    smallest effects that they would show, over the metrics that a verdict rests on.

    A budget that doesn't hold a fork of LEAST pairs gets one all the same: less would answer nothing.
    """
    catalog = catalog.asked(cell.runner, cell.workload)
    warm, pair = _seconds(catalog, plan, cell)
    if kind_of(catalog, cell.label) != "http":  # every window is a JVM of its own
        forks = min(MOST_JVMS, max(LEAST_JVMS, int(budget / pair)))
        return Design(forks=forks, windows=1, seconds=forks * pair)
    noise = _noise(catalog, cell, floors, machine)
    chance = catalog.file.verdict.false_alarms * decide.parts(catalog.file.verdict.looks)[-1] / len(noise)
    best: tuple[float, Design] | None = None
    for forks in range(1, MOST_FORKS + 1):
        windows = int((budget / forks - warm) / pair)
        if windows < LEAST:
            break
        surer = [priors.surer(n, forks, windows, chance) for n in noise]
        smallest = sum(math.log(decide.foreseen(n, forks, windows).smallest(chance)) for n in surer)
        found = Design(forks=forks, windows=windows, seconds=forks * (warm + windows * pair))
        if best is None or smallest < best[0]:
            best = smallest, found
    return best[1] if best else Design(forks=1, windows=LEAST, seconds=warm + LEAST * pair)


def calibration(
    catalog: Catalog, plan: Plan, cell: Cell, budget: float, *, forks: int | None, windows: int | None
) -> Design:
    """As many forks as so many seconds hold, and no fewer than a floor is found from; or as the user says."""
    warm, pair = _seconds(catalog, plan, cell)
    windows = windows or CALIBRATED
    forks = forks or max(LEAST_FORKS, int(budget / (warm + windows * pair)))
    return Design(forks=forks, windows=windows, seconds=forks * (warm + windows * pair))


def _seconds(catalog: Catalog, plan: Plan, cell: Cell) -> tuple[float, float]:
    """Until both sides of a fork are warm, and of a pair of windows."""
    if kind_of(catalog, cell.label) != "http":
        return 0.0, 2 * (catalog.work[cell.workload].duration + AROUND)
    warm = 2 * (START[cell.engine] + warmup_guess(catalog, plan.warmups[cell.workload]))
    return warm, 2 * (catalog.work[cell.workload].duration + AROUND)


def _noise(catalog: Catalog, cell: Cell, floors: Floors, machine: Machine) -> list[Prior]:
    """Of the metrics that a verdict rests on, where it isn't none at all."""
    own = floors.of(cell, machine)
    known = [
        priors.of_metric(catalog, floors, cell, machine, metric)
        for metric, file in catalog.file.metric.items()
        if file.matters is not None
        and kind_of(catalog, cell.label) in file.kinds
        and not file.once
        and not file.each
        and not file.counted  # any design shows it
        and (metric not in own or own[metric].tier == "gate")
    ]
    return [n for n in known if n and float(n.between) + float(n.within) > 0]

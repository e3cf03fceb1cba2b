"""What a comparison knows of a metric's noise before it begins: from here, from elsewhere, or guessed."""

from __future__ import annotations

import math
from dataclasses import replace

from telar.analyse import endpoints
from telar.analyse.posterior import Prior
from telar.catalog.types import Catalog
from telar.plan.cells import Cell
from telar.store.floors import Calibration, Floor, Floors
from telar.store.record import Machine

ELSEWHERE = 2.0  # times the noise that any other machine, workload or engine showed
COMMON = 0.5  # of the noise inside forks: what forks have in common at least, where it wasn't measured here
UNSEEN = 3.0  # times the change that matters: whoever chose that had seen smaller noise
# How much a guess counts for. Of what forks have in common it is wide in place of discounted, so that a
# session of one fork can call what takes three times as long (docs/method.md).
GUESSED = Prior(between=1.0, within=1.0, forks=8, pairs=24, worth=4.0, alike=math.inf)


def of_metric(catalog: Catalog, floors: Floors, cell: Cell, machine: Machine, metric: str) -> Prior | None:
    """None where nothing is known, not even which change would matter.

    Without a calibration on such a machine it is wide: twice the noise that the metric showed anywhere else.
    A session of three forks soon knows better, and one of a single fork calls large changes alone.
    """
    floor = floors.of(cell, machine).get(metric)
    own = of_floor(floors.calibration(cell, machine), floor)
    if own:
        return own
    if floor:  # measured here, and without a ratio
        return None
    found = _elsewhere(floors, metric)
    elsewhere = of_floor(None, found) if found else None
    if elsewhere:
        return wide(elsewhere)
    file = endpoints.file_of(catalog, metric)
    matters = file.matters if file else None
    return None if matters is None else guessed(matters)


def _elsewhere(floors: Floors, metric: str) -> Floor | None:
    """The noisiest of this metric; of an endpoint that was never measured, the noisiest of any endpoint."""
    known, (name, endpoint) = floors.noisiest(), endpoints.split(metric)
    if metric in known or not endpoint:
        return known.get(metric)
    others = [f for m, f in known.items() if endpoints.split(m)[0] == name and f.pair_to_pair is not None]
    return max(others, key=lambda f: f.pair_to_pair or 0.0, default=None)


def of_floor(calibration: Calibration | None, floor: Floor | None) -> Prior | None:
    """As it was measured; None where it wasn't, or where its values have no ratio."""
    if floor is None or floor.pair_to_pair is None or floor.fork_to_fork is None:
        return None
    forks = floor.forks or (calibration.forks if calibration else GUESSED.forks)
    pairs = floor.pairs or (calibration.pairs if calibration else GUESSED.pairs)
    within = math.sqrt(max(0.0, floor.pair_to_pair**2 - floor.fork_to_fork**2))
    return Prior(between=floor.fork_to_fork, within=within, forks=forks, pairs=pairs)


def guessed(matters: float) -> Prior:
    """Of a metric that was never measured: from the smallest change of it that matters."""
    return replace(GUESSED, between=UNSEEN * COMMON * matters, within=UNSEEN * matters)


def wide(prior: Prior) -> Prior:
    """Of another machine's noise: twice of it, which counts for no less than a guess does."""
    between, within = ELSEWHERE * float(prior.between), ELSEWHERE * float(prior.within)
    return replace(
        prior,
        between=max(between, COMMON * within),
        within=within,
        forks=max(prior.forks, GUESSED.forks),
        pairs=max(prior.pairs, GUESSED.pairs),
        alike=math.inf,
    )

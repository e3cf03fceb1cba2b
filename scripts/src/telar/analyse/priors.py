"""What a comparison knows of a metric's noise before it begins: from here, from elsewhere, or guessed."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from telar.analyse import decide, endpoints
from telar.analyse.posterior import Prior
from telar.catalog.settings import MetricFile
from telar.catalog.types import Catalog
from telar.plan.cells import Cell
from telar.store.floors import Calibration, Floor, Floors
from telar.store.record import Machine

ELSEWHERE = 2.0  # times the noise that any other machine, workload or engine showed
COMMON = 0.5  # of the noise inside forks: what forks have in common at least, where it wasn't measured here
COUNTED = (
    0.2  # of the change that matters, a count's noise at least: few calibrations meet a pool's own pings
)
UNSEEN = 3.0  # times the change that matters: whoever chose that had seen smaller noise
GUESSED = Prior(between=1.0, within=1.0, forks=8, pairs=24, worth=2.0)  # how much a guess counts for
# What is wide already isn't discounted too, so that a session of one fork can call what takes three times as
# long: noise that was measured, doubled, and a guess of endpoints' noise, that of each variant being smaller.
WIDE = Prior(between=1.0, within=1.0, forks=12, pairs=36, alike=math.inf)
BY_ENDPOINT = replace(WIDE, worth=4.0)


def of_metric(catalog: Catalog, floors: Floors, cell: Cell, machine: Machine, metric: str) -> Prior | None:
    """None where nothing is known, not even which change would matter.

    Without a calibration on such a machine it is wide: twice the noise that the metric showed anywhere else.
    A session of three forks soon knows better, and one of a single fork calls large changes alone.
    """
    file = endpoints.file_of(catalog, metric)
    floor = floors.of(cell, machine).get(metric)
    own = of_floor(floors.calibration(cell, machine), floor)
    if own:
        return at_least(own, file)
    if floor:  # measured here, and without a ratio
        return None
    found = _elsewhere(floors, metric)
    elsewhere = of_floor(None, found) if found else None
    if elsewhere:
        return at_least(wide(elsewhere), file)
    return guessed(file) if file else None


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


def guessed(file: MetricFile) -> Prior | None:
    """Of a metric that was never measured: from the smallest change of it that matters, if any does."""
    if file.matters is None:
        return None
    if file.counted:
        return at_least(replace(WIDE, between=0.0, within=0.0), file)
    worth = BY_ENDPOINT if file.each else GUESSED
    return replace(worth, between=UNSEEN * COMMON * file.matters, within=UNSEEN * file.matters)


def at_least(prior: Prior, file: MetricFile | None) -> Prior:
    """Of a count no less than a share of the change that matters: one that never varied may still do so."""
    if file is None or not file.counted or not file.matters:
        return prior
    least = COUNTED * file.matters
    between, within = np.maximum(prior.between, COMMON * least), np.maximum(prior.within, least)
    return replace(prior, between=between, within=within)


def surer(prior: Prior, forks: int, windows: int, chance: float) -> Prior:
    """The one of `prior` and what is twice as wide, that shows the smaller change in so many forks of so many
    pairs, with `chance` of a false alarm.

    A single fork can't see what forks differ by, and a short calibration hardly knows: without this, three of
    its forks would be worth less than none at all. It is chosen before any value is seen.
    """
    if prior.alike == math.inf:
        return prior
    twice = wide(prior)
    own, other = (decide.foreseen(p, forks, windows).smallest(chance) for p in (prior, twice))
    return prior if own <= other else twice


def wide(prior: Prior) -> Prior:
    """Of another machine's noise: twice of it."""
    between, within = ELSEWHERE * np.asarray(prior.between), ELSEWHERE * np.asarray(prior.within)
    return replace(
        prior,
        between=np.maximum(between, COMMON * within),
        within=within,
        forks=max(prior.forks, WIDE.forks),
        pairs=max(prior.pairs, WIDE.pairs),
        alike=WIDE.alike,
    )

"""From the records of A/A pairs to each metric's noise floor and tier."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from itertools import groupby
from statistics import fmean

from telar.analyse import noise
from telar.catalog.types import Catalog, TiersFile
from telar.store.floors import Calibration, Floor, Tier
from telar.store.record import Record

LEAST_FORKS, LEAST_PAIRS = 2, 4
FORKS = (1, 2, 3, 6, 12)  # for which the smallest effects are told


def calibrate(catalog: Catalog, records: Sequence[Record]) -> list[Calibration]:
    """The floors of every cell of which there are enough sound pairs."""
    found = []
    ordered = sorted(records, key=lambda r: r.cell.name)
    for _, own in groupby(ordered, key=lambda r: r.cell.name):
        calibration = _of_cell(catalog, list(own))
        if calibration:
            found.append(calibration)
    return found


def pairs_of(records: Iterable[Record], *, moved: float | None) -> dict[int, list[tuple[Record, Record]]]:
    """Fork -> its windows, a before b, in which both sides' records are valid, and the machine's speed was
    the same within `moved`. None: in which both were completed.
    """
    sides: dict[tuple[int, int], dict[str, Record]] = {}
    for record in records:
        if record.pair and (record.outcome == "completed" if moved is None else record.validity == "valid"):
            sides.setdefault((record.pair.fork, record.pair.window), {})[record.pair.side] = record
    found: dict[int, list[tuple[Record, Record]]] = {}
    for (fork, _), both in sorted(sides.items()):
        if len(both) == 2 and (moved is None or _moved(both["a"], both["b"]) <= moved):  # noqa: PLR2004 - a pair
            found.setdefault(fork, []).append((both["a"], both["b"]))
    return found


def _moved(a: Record, b: Record) -> float:
    """By which share the machine was faster for one of them."""
    speeds = [r.ruler.speed for r in (a, b) if r.ruler]
    return max(speeds) / min(speeds) - 1 if speeds else 0.0


def _of_cell(catalog: Catalog, records: list[Record]) -> Calibration | None:
    forks = pairs_of(records, moved=catalog.file.gate.speed.moved)
    pairs = sum(map(len, forks.values()))
    if len(forks) < LEAST_FORKS or pairs < LEAST_PAIRS:
        return None
    last = max(records, key=lambda r: r.finished)
    return Calibration(
        cell=last.cell,
        session=last.session,
        measured=time.strftime("%Y-%m-%d", time.gmtime(last.finished)),
        commit=last.provenance.commit,
        machine=last.provenance.machine,
        forks=len(forks),
        pairs=pairs,
        left_out=len({(r.pair.fork, r.pair.window) for r in records if r.pair}) - pairs,
        floors={
            metric: floor
            for metric in catalog.file.metric
            if (floor := _floor(metric, list(forks.values()), catalog.file.tiers))
        },
    )


def _floor(metric: str, forks: list[list[tuple[Record, Record]]], tiers: TiersFile) -> Floor | None:
    """None where the metric isn't known in every window."""
    values = [[tuple(value_of(r, metric) for r in pair) for pair in fork] for fork in forks]
    flat = [v for fork in values for pair in fork for v in pair]
    if any(v is None for v in flat):
        return None
    if len(set(flat)) == 1:  # whatever it is next time, it isn't noise
        return Floor(
            tier="gate",
            run_to_run=0,
            jvm_to_jvm=0,
            pair_to_pair=0,
            fork_to_fork=0,
            observed=0,
            replay=0,
            smallest={str(n * tiers.windows): 0.0 for n in FORKS},
        )
    if min(v for v in flat if v is not None) <= 0:
        return Floor(
            tier="chart",
            run_to_run=None,
            jvm_to_jvm=None,
            pair_to_pair=None,
            fork_to_fork=None,
            observed=None,
            replay=None,
            smallest={},
        )
    logs = [[(math.log(a or 0), math.log(b or 0)) for a, b in fork] for fork in values]
    runs = noise.spread([[pair[side] for pair in fork] for fork in logs for side in (0, 1)])
    ratios = [[b - a for a, b in fork] for fork in logs]
    pairs = noise.spread(ratios, centre=0.0)
    return Floor(
        tier=_tier(noise.smallest(pairs, tiers.forks, tiers.windows), tiers),
        run_to_run=runs.total,
        jvm_to_jvm=runs.between,
        pair_to_pair=pairs.total,
        fork_to_fork=pairs.between,
        observed=math.expm1(fmean(r for fork in ratios for r in fork)),
        replay=noise.replay(runs),
        smallest={str(n * tiers.windows): noise.smallest(pairs, n, tiers.windows) for n in FORKS},
    )


def value_of(record: Record, metric: str) -> float | None:
    """None where the run doesn't know it."""
    found = record.metrics.get(metric)
    return found.value if found else None


def _tier(smallest: float, tiers: TiersFile) -> Tier:
    if smallest <= tiers.gate:
        return "gate"
    return "watch" if smallest <= tiers.watch else "chart"

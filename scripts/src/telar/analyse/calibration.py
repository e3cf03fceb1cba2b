"""From the records of A/A pairs to each metric's noise floor and tier."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from statistics import fmean

import msgspec

from telar.analyse import counted, counts, decide, endpoints, growth, noise, priors
from telar.analyse.posterior import Prior
from telar.catalog.settings import MetricFile, TiersFile
from telar.catalog.types import Catalog
from telar.plan.cells import Cell
from telar.store.floors import Calibration, Floor, Tier
from telar.store.meaning import latency_from
from telar.store.record import LatencyFrom, Machine, Record

LEAST_FORKS, LEAST_PAIRS = 2, 4

Sides = tuple[Record, Record]  # base and head, a and b
FORKS = (1, 2, 3, 6, 12)  # for which the minimum detectable effects are kept


def calibrate(
    catalog: Catalog, records: Sequence[Record], added: Sequence[Sequence[Record]] = ()
) -> list[Calibration]:
    """The floors of every cell of which there are enough sound pairs. `added`: the records of earlier
    sessions, whose A/A pairs of the same cell on the same machine count as more forks.
    """
    found = []
    ordered = sorted(records, key=lambda r: r.cell.name)
    for _, group in groupby(ordered, key=lambda r: r.cell.name):
        own = list(group)
        calibration = _of_cell(catalog, own, [more for each in added if (more := alike(own[0], each))])
        if calibration:
            found.append(calibration)
    return found


def alike(one: Record, others: Iterable[Record]) -> list[Record]:
    """Those of a build against itself, of the same cell and machine, whose latencies count from the same
    moment. Whose revision it was doesn't matter: noise is the machine's.
    """

    def key(record: Record) -> tuple[Cell, Machine, LatencyFrom]:
        cell = msgspec.structs.replace(record.cell, revision="")
        return cell, record.provenance.machine, latency_from(record)

    found = [r for r in others if r.pair and key(r) == key(one)]
    return found if len({r.cell.revision for r in found}) == 1 else []


def pairs_of(records: Iterable[Record], *, sound: bool = True) -> dict[int, list[Sides]]:
    """Fork -> its windows, a before b, in which both sides' records are valid but for the machine's speed.
    Not `sound`: in which both were completed.
    """
    sides: dict[tuple[int, int], dict[str, Record]] = {}
    for record in records:
        if record.pair and (is_sound(record) if sound else record.outcome == "completed"):
            sides.setdefault((record.pair.fork, record.pair.window), {})[record.pair.side] = record
    found: dict[int, list[Sides]] = {}
    for (fork, _), both in sorted(sides.items()):
        if len(both) == 2:  # noqa: PLR2004 - a pair
            found.setdefault(fork, []).append((both["a"], both["b"]))
    return found


def steady(forks: Mapping[int, list[Sides]], moved: float) -> dict[int, list[Sides]]:
    """Those in which the machine's speed was the same within `moved`, inside each window and in both, and in
    which the generator kept its schedule: metrics in seconds may be compared.
    """
    found = {
        fork: [pair for pair in pairs if all(r.validity == "valid" for r in pair) and _moved(*pair) <= moved]
        for fork, pairs in forks.items()
    }
    return {fork: pairs for fork, pairs in found.items() if pairs}


def is_sound(record: Record) -> bool:
    """Whether its pair counts, if only for metrics that aren't in seconds: they follow neither the machine's
    speed nor the generator's waiting. Not so where the generator's own requests failed.
    """
    failed = {g.name for g in record.gates if g.verdict == "fail"}
    if any(failure.side == "client" for failure in record.failures):
        return record.validity == "valid"
    return record.validity == "valid" or (bool(failed) and failed <= {"speed", "client"})


def _moved(a: Record, b: Record) -> float:
    """By which share the machine was faster for one of them."""
    speeds = [r.ruler.speed for r in (a, b) if r.ruler]
    return max(speeds) / min(speeds) - 1 if speeds else 0.0


def _enough(forks: Mapping[int, list[Sides]]) -> bool:
    return len(forks) >= LEAST_FORKS and sum(map(len, forks.values())) >= LEAST_PAIRS


def _of_cell(catalog: Catalog, own: list[Record], added: list[list[Record]]) -> Calibration | None:
    records = _in_one(own, added)
    forks = pairs_of(records)
    if not _enough(forks):
        return None
    pairs = sum(map(len, forks.values()))
    timed = steady(forks, catalog.file.gate.speed.moved)
    last = max(own, key=lambda r: r.finished)
    catalog = catalog.asked(last.cell.runner, last.cell.workload)
    metrics = endpoints.metrics(catalog, records)
    chances = of_error(catalog, metrics)
    return Calibration(
        cell=last.cell,
        session=last.session,
        measured=time.strftime("%Y-%m-%d", time.gmtime(last.finished)),
        commit=last.provenance.commit,
        machine=last.provenance.machine,
        forks=len(forks),
        pairs=pairs,
        left_out=len({(r.pair.fork, r.pair.window) for r in records if r.pair}) - pairs,
        latency_from=latency_from(last),
        floors={
            metric: floor
            for metric, file in metrics.items()
            if _enough(sound := timed if file.timed else forks)
            and (floor := _floor(metric, file, list(sound.values()), catalog.file.tiers, chances[metric]))
        },
        added=tuple(each[0].session for each in added),
    )


def _in_one(own: list[Record], added: list[list[Record]]) -> list[Record]:
    """With forks numbered on from session to session."""
    found: list[Record] = []
    for records in (own, *added):
        before = max((r.pair.fork for r in found if r.pair), default=0)
        for record in records:
            pair = record.pair and msgspec.structs.replace(record.pair, fork=record.pair.fork + before)
            found.append(msgspec.structs.replace(record, pair=pair))
    return found


def of_error(catalog: Catalog, metrics: Mapping[str, MetricFile]) -> dict[str, float]:
    """Metric -> the chance of a false positive that a comparison's last look leaves to it.

    The error is that of a whole comparison (`[verdict]`): looks and questions share it, and the primary
    metric has the most of it. What carries no verdict gets as much as any other question.
    """
    rules = catalog.file.verdict
    asked = [m for m, file in metrics.items() if file.matters is not None and not file.once]
    primary = [m for m in rules.primary if m in asked][:1]
    asked += [m for m in (*counts.COUNTS, growth.METRIC) if m not in asked]
    weights = decide.shares(asked, primary, rules.primary_share)
    last = rules.false_alarms * decide.parts(rules.looks)[-1] / len(asked)
    other = next((w for m, w in weights.items() if m not in primary), 1.0)
    return {metric: last * weights.get(metric, other) for metric in metrics}


def smallest(prior: Prior, forks: int, windows: int, chance: float) -> float:
    """The minimum detectable effect, as a share, of a comparison of so many forks of so many pairs of
    windows, if its noise is as calibrated: what its own verdict would give as `would have seen`.
    """
    surer = priors.surer(prior, forks, windows, chance)
    return decide.foreseen(surer, forks, windows).smallest(chance)


def _floor(
    metric: str, file: MetricFile, forks: list[list[Sides]], tiers: TiersFile, chance: float
) -> Floor | None:
    """None where the metric isn't known in every window."""
    values = [[tuple(value_of(r, metric) for r in pair) for pair in fork] for fork in forks]
    flat = [v for fork in values for pair in fork for v in pair]
    count = sum(map(len, forks))
    if any(v is None for v in flat):
        return None
    if len(set(flat)) == 1 and not (file.counted and flat[0]):  # whatever it is next time, it isn't noise
        return Floor(
            forks=len(forks),
            pairs=count,
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
            forks=len(forks),
            pairs=count,
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
    found = Prior(between=pairs.between, within=pairs.within, forks=len(forks), pairs=count)
    prior = priors.at_least(found, file)
    return Floor(
        forks=len(forks),
        pairs=count,
        tier=_tier(smallest(prior, tiers.forks, tiers.windows, chance), tiers),
        run_to_run=runs.total,
        jvm_to_jvm=runs.between,
        pair_to_pair=pairs.total,
        fork_to_fork=pairs.between,
        observed=math.expm1(fmean(r for fork in ratios for r in fork)),
        replay=noise.replay(runs),
        smallest={str(n * tiers.windows): smallest(prior, n, tiers.windows, chance) for n in FORKS},
    )


def value_of(record: Record, metric: str) -> float | None:
    """None where the run doesn't know it."""
    if endpoints.split(metric)[1]:
        return endpoints.value_of(record, metric)
    found = record.metrics.get(metric)
    return found.value if found else counted.of_record(record).get(metric)


def _tier(effect: float, tiers: TiersFile) -> Tier:
    if effect <= tiers.gate:
        return "gate"
    return "watch" if effect <= tiers.watch else "chart"

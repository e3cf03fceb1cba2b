"""Which statistic of an endpoint's latency shows a change best, from the windows of A/A sessions.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/endpoint_statistics.py SESSION…

SESSION: a session's folder, whose pairs are of one build against itself. Of each statistic and unit the noise
of a pair, as a standard deviation of logarithms: of the noisiest endpoint of a variant, and the root of the
mean square of all. Beside it, in the mean over endpoints, what changes that are made up in the head's
histograms amount to in such deviations: the larger, the fewer pairs see it. `scale`: each request takes a
tenth longer. `sleep`: each takes 0.2 ms longer. `tail`: one of ten takes five times as long.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, product
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from scipy.stats import trim_mean

from telar.analyse import histogram, noise
from telar.analyse.calibration import Sides, pairs_of
from telar.store.files import Session
from telar.store.record import Record

Values = NDArray[np.float64]  # latencies of a window, in ms
SLEEP, SCALE, TAIL = 0.2, 1.1, 5.0
STATISTICS: dict[str, Callable[[Values], float]] = {
    "p50": lambda v: float(np.quantile(v, 0.5)),
    "p75": lambda v: float(np.quantile(v, 0.75)),
    "p90": lambda v: float(np.quantile(v, 0.9)),
    "mean": lambda v: float(v.mean()),
    "mean of logarithms": lambda v: math.exp(float(np.log(v).mean())),
    "mean of logarithms, tenths cut off": lambda v: math.exp(float(trim_mean(np.log(v), 0.1))),
}
UNITS = {"ms": None, "÷ generator CPU": "generator-cpu", "÷ database CPU": "database-cpu"}
CHANGES: dict[str, Callable[[Values], Values]] = {
    "scale": lambda v: v * SCALE,
    "sleep": lambda v: v + SLEEP,
    "tail": lambda v: v * np.where(np.arange(len(v)) % 10 == 0, TAIL, 1.0),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sessions", nargs="+", type=Path, metavar="SESSION")
    said = parser.parse_args()
    found = sorted((r for path in said.sessions for r in Session(path).records()), key=_variant)
    by_variant = {variant: list(group) for variant, group in groupby(found, key=_variant)}
    every = [seen for variant, records in by_variant.items() for seen in cases(variant, records)]
    heads = " | ".join(CHANGES)
    print(f"| statistic | unit | noisiest | pair to pair | {heads} |")
    print("|---|---|---|--:|" + "--:|" * len(CHANGES))
    for (name, unit), own in groupby(sorted(every, key=_judged), key=_judged):
        seen = list(own)
        worst = max(seen, key=lambda each: each.noise)
        noise_ = math.sqrt(fmean(each.noise**2 for each in seen))
        sizes = " | ".join(f"{fmean(each.sizes[n] for each in seen):.1f}" for n in range(len(CHANGES)))
        print(f"| {name} | {unit} | {worst.noise:.1%} ({worst.of}) | {noise_:.1%} | {sizes} |")


@dataclass(frozen=True, kw_only=True)
class Case:
    """One endpoint of a variant by one statistic."""

    statistic: str
    unit: str
    of: str  # variant and endpoint
    noise: float  # of a pair
    sizes: tuple[float, ...]  # of each change, in units of the noise


def cases(variant: str, records: list[Record]) -> Iterator[Case]:
    forks = list(pairs_of(records).values())
    for endpoint in sorted({latency.endpoint for r in records for latency in r.latencies}):
        for (name, statistic), (unit, metric) in product(STATISTICS.items(), UNITS.items()):
            ratios = [[_ratio(pair, endpoint, statistic, metric) for pair in fork] for fork in forks]
            total = noise.spread(ratios, centre=0.0).total
            sizes = [_size(forks, endpoint, statistic, change) / total for change in CHANGES.values()]
            of = f"{variant.partition('-')[0]}, {endpoint}"
            yield Case(statistic=name, unit=unit, of=of, noise=total, sizes=tuple(sizes))


def latencies(record: Record, endpoint: str) -> Values:
    return _values(tuple(each.histogram for each in record.latencies if each.endpoint == endpoint))


@lru_cache(maxsize=4096)
def _values(encoded: tuple[str, ...]) -> Values:
    """In an order that has nothing to do with their size, the same each time."""
    steps = [
        (
            max(1, step.value_iterated_to) / 1000,
            step.count_added_in_this_iter_step,
        )  # read at once: it changes
        for step in histogram.merged(encoded).get_recorded_iterator()
    ]
    values, counts = (np.array(each) for each in zip(*steps, strict=True))
    found = np.repeat(values, counts.astype(int))
    shuffled: Values = np.random.default_rng(len(found)).permutation(found)
    return shuffled


def _ratio(pair: Sides, endpoint: str, statistic: Callable[[Values], float], unit: str | None) -> float:
    base, head = (statistic(latencies(r, endpoint)) / (r.metrics[unit].value if unit else 1.0) for r in pair)
    return math.log(head / base)


def _size(
    forks: list[list[Sides]],
    endpoint: str,
    statistic: Callable[[Values], float],
    change: Callable[[Values], Values],
) -> float:
    """What the change adds to the logarithm, in the mean over heads."""
    heads = [latencies(pair[1], endpoint) for fork in forks for pair in fork]
    return fmean(math.log(statistic(change(v)) / statistic(v)) for v in heads)


def _judged(case: Case) -> tuple[str, str]:
    return case.statistic, case.unit


def _variant(record: Record) -> str:
    return record.cell.variant


if __name__ == "__main__":
    main()

"""Latency endpoint by endpoint: what a record has histograms for, and no metric of its own.

A metric of the catalogue with `each = "endpoint"` asks one question for each endpoint of the load, under the
name `metric@endpoint`. A single endpoint that became slow is lost in what all requests have in common: one
of a hundred requests moves no percentile of theirs.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from statistics import median

import msgspec
import numpy as np

from telar.analyse import histogram
from telar.catalog.settings import MetricFile
from telar.catalog.types import Catalog
from telar.plan.cells import Cell
from telar.store.record import Record

AT = "@"
LEAST = 20  # requests of an endpoint in a window: a median of fewer is hardly one
FASTEST = 0.5  # microseconds, of what the histogram has as none


class Quantiles(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An endpoint's latency on both sides, base and head, in milliseconds: medians over windows."""

    p50: tuple[float, float]
    p95: tuple[float, float]


def named(metric: str, endpoint: str) -> str:
    return f"{metric}{AT}{endpoint}"


def split(metric: str) -> tuple[str, str]:
    """The metric of the catalogue, and the endpoint; empty where it is of all of them."""
    name, _, endpoint = metric.partition(AT)
    return name, endpoint


def file_of(catalog: Catalog, metric: str) -> MetricFile | None:
    """None where the catalogue has no such metric, or not by endpoint."""
    name, endpoint = split(metric)
    found = catalog.file.metric.get(name)
    return found if found and bool(endpoint) == (found.each is not None) else None


def title(catalog: Catalog, cell: Cell, endpoint: str) -> str:
    """As people call it: `POST /movies`; by its own name where its system doesn't say."""
    workload = catalog.workloads.get(cell.workload)
    system = catalog.systems.get(workload.file.system) if workload else None
    return system.file.endpoints.get(endpoint, endpoint) if system else endpoint


def metrics(catalog: Catalog, records: Iterable[Record]) -> dict[str, MetricFile]:
    """All that may be asked of these records, in the catalogue's order."""
    endpoints = sorted({latency.endpoint for r in records for latency in r.latencies})
    return {
        metric: file
        for name, file in catalog.file.metric.items()
        for metric in ([named(name, e) for e in endpoints] if file.each else [name])
    }


def value_of(record: Record, metric: str) -> float | None:
    """The endpoint's typical latency, the mean of its logarithms, in units of the generator's processor time
    per request; None where too few requests say, or either isn't known.

    What slows the machine slows both, and the generator did the same work on both sides.
    """
    _, endpoint = split(metric)
    found, unit = _histograms(record, endpoint), record.metrics.get("generator-cpu")
    if _requests(record, endpoint) < LEAST or not found or unit is None or unit.value <= 0:
        return None
    return _summary(found)[0] / unit.value


def too_few(records: Iterable[Record], endpoint: str) -> int | None:
    """The fewest requests that a window had, where they are too few; else None."""
    least = min((_requests(r, endpoint) for r in records), default=0)
    return least if least < LEAST else None


def quantiles(pairs: Iterable[tuple[Record, Record]], endpoint: str) -> Quantiles | None:
    """None where some window has no request of it."""
    found = [[_summary(h) if (h := _histograms(r, endpoint)) else None for r in pair] for pair in pairs]
    if not found or any(each is None for pair in found for each in pair):
        return None
    p50, p95 = (
        tuple(median(pair[side][place] for pair in found if pair[side]) for side in (0, 1))  # type: ignore[index]
        for place in (1, 2)
    )
    return Quantiles(p50=(p50[0], p50[1]), p95=(p95[0], p95[1]))


def _requests(record: Record, endpoint: str) -> int:
    return sum(latency.count for latency in record.latencies if latency.endpoint == endpoint)


def _histograms(record: Record, endpoint: str) -> tuple[str, ...]:
    return tuple(latency.histogram for latency in record.latencies if latency.endpoint == endpoint)


@lru_cache(maxsize=4096)
def _summary(encoded: tuple[str, ...]) -> tuple[float, float, float]:
    """Geometric mean, p50 and p95, in milliseconds: a session looks at its windows after each of them."""
    whole = histogram.merged(encoded)
    counts = Counter(
        {step.value_iterated_to: step.count_added_in_this_iter_step for step in whole.get_recorded_iterator()}
    )
    values, weights = (np.array(list(each), dtype=float) for each in (counts.keys(), counts.values()))
    typical = math.exp(float(np.average(np.log(np.maximum(values, FASTEST)), weights=weights))) / 1000
    return typical, histogram.percentile_ms(whole, 50.0), histogram.percentile_ms(whole, 95.0)

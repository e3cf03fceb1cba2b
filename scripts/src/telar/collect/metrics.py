"""From what was collected in a window to the metrics of a record.

To add a metric: its entry in `telar.toml`, and its line in `compute`. A metric that can't be known for
a run (no such pool, a JRE too old) is left out, never set to zero.
"""

from __future__ import annotations

import msgspec

from telar.analyse import histogram
from telar.catalog.types import Catalog
from telar.collect import gclog
from telar.collect.gclog import Collection
from telar.collect.k6 import Results
from telar.collect.sampler import Timeline
from telar.store.record import Latency, Metric, Ruler, Stage, Warmup

MIB = 1024 * 1024
SERVICE = ("p50", "p95", "p99")  # of the time from the sending, kept beside the latency


class Observed(msgspec.Struct, frozen=True, kw_only=True):
    """All that was collected about one measured window."""

    results: Results
    timeline: Timeline
    collections: list[Collection] | None  # None where the collector's log doesn't tell them
    latencies: tuple[Latency, ...]
    stages: tuple[Stage, ...]
    started: float  # the app process's start, seconds since the epoch
    ready: float
    first_response: float
    warmup: Warmup
    ruler: Ruler


def compute(catalog: Catalog, seen: Observed) -> dict[str, Metric]:
    """Every metric of telar.toml that this window has a value for."""
    values: dict[str, float | None] = {
        **_load(seen),
        **_latency(seen),
        **_resources(seen),
        **_heap(seen),
        "capacity": _capacity(catalog, seen),
        "telemetry-gap": seen.timeline.gap(seen.results.start, seen.results.end),
        "startup-ready": seen.ready - seen.started,
        "startup-first": seen.first_response - seen.started,
        "speed": seen.ruler.speed,
    }
    values |= _normalised(values, seen)
    if seen.warmup.steady:  # at the ceiling nobody knows when it would have been
        values |= {"warm-seconds": seen.warmup.seconds, "warm-requests": seen.warmup.requests}
    table = catalog.file.metric
    return {
        name: Metric(value=value, unit=table[name].unit, better=table[name].better)
        for name in table
        if (value := values.get(name)) is not None
    }


def latencies(results: Results) -> tuple[Latency, ...]:
    """One histogram for each endpoint and stage."""
    return tuple(
        Latency(
            endpoint=endpoint,
            stage=stage,
            count=len(values),
            histogram=histogram.encode(histogram.of(values)),
        )
        for (endpoint, stage), values in sorted(results.latencies_us.items())
    )


def _load(seen: Observed) -> dict[str, float | None]:
    results = seen.results
    answered = sum(results.requests.values()) - sum(results.failures.values())
    return {
        "throughput": answered / (results.end - results.start),
        "failures": sum(results.failures.values()),
        "dropped": results.dropped,
        "connection-wait": sum(results.blocked_us) / len(results.blocked_us) / 1000,
        "new-connections": 100 * results.connections / len(results.ends),
    }


def _latency(seen: Observed) -> dict[str, float | None]:
    whole = histogram.merged(latency.histogram for latency in seen.latencies)
    service = histogram.of(seen.results.service_us)
    percentiles = {"p50": 50.0, "p95": 95.0, "p99": 99.0, "p999": 99.9, "max": 100.0}
    return {
        **{name: histogram.percentile_ms(whole, p) for name, p in percentiles.items()},
        **{f"service-{name}": histogram.percentile_ms(service, percentiles[name]) for name in SERVICE},
    }


def _capacity(catalog: Catalog, seen: Observed) -> float | None:
    """The highest rate held for a stage with p99 within the SLO, nothing failed, nothing dropped."""
    failed = {stage for _, stage, _, _ in seen.results.failures}
    held = [0.0]
    for stage in seen.stages:
        own = [h.histogram for h in seen.latencies if h.stage == stage.name]
        if stage.from_rate != stage.to_rate or not own or stage.name in failed:
            continue
        within = histogram.percentile_ms(histogram.merged(own), 99) <= catalog.file.slo.p99_ms
        if within and not _dropped_in(seen, stage):
            held.append(stage.to_rate)
    return max(held)


def _dropped_in(seen: Observed, stage: Stage) -> bool:
    start = seen.results.start
    return any(start + stage.start <= t < start + stage.end for t in seen.results.dropped_at)


def _resources(seen: Observed) -> dict[str, float | None]:
    line, start, end = seen.timeline, seen.results.start, seen.results.end
    requests = sum(seen.results.requests.values())

    def per_request(name: str, scale: float = 1.0) -> float | None:
        delta = line.delta(name, start, end)
        return None if delta is None else delta * scale / requests

    def peak(name: str, scale: float = 1.0) -> float | None:
        value = line.peak(name, start, end)
        return None if value is None else value / scale

    pinned = line.delta("app.virtual_pinned_seconds", start, end)
    return {
        "app-cpu": per_request("app.cpu_seconds", 1000),
        "database-cpu": per_request("database.cpu_seconds", 1000),
        "generator-cpu": per_request("generator.cpu_seconds", 1000),
        "context-switches": per_request("app.voluntary_switches"),
        "rss": peak("app.rss", MIB),
        "cgroup-memory": peak("app.cgroup_memory", MIB),
        "os-threads": peak("app.os_threads"),
        "pool": peak("app.pool_max"),
        "pool-waiting": peak("app.pool_waiting"),
        "pinned": None if pinned is None else pinned * 1000,
    }


def _normalised(values: dict[str, float | None], seen: Observed) -> dict[str, float | None]:
    """Processor time as it would be on a machine of speed 1, and in units of the generator's and of the
    database's, which did the same work on the same machine at the same time; latencies in the latter's, too.
    """
    app, generator, database = values["app-cpu"], values["generator-cpu"], values["database-cpu"]
    requests = sum(seen.results.requests.values())

    def own(name: str) -> float | None:
        seconds = seen.timeline.delta(name, seen.results.start, seen.results.end)
        return None if seconds is None else seconds * 1000 / requests

    compilers, collectors = own("app.compiler_seconds"), own("app.gc_seconds")
    service = None
    if app is not None and compilers is not None and collectors is not None:
        service = app - compilers - collectors
    return {
        "app-cpu-normalised": None if app is None else app * seen.ruler.speed,
        "app-cpu-relative": _ratio(app, generator),
        "compiler-cpu": compilers,
        "gc-cpu": collectors,
        "service-cpu": service,
        "service-cpu-relative": _ratio(service, generator),
        "service-cpu-by-database": _ratio(service, database),
        # Of the service's time: what waited in the generator, the database never met.
        **{f"{name}-by-database": _ratio(values.get(f"service-{name}"), database) for name in ("p50", "p95")},
    }


def _ratio(value: float | None, unit: float | None) -> float | None:
    return value / unit if value is not None and unit else None


def _heap(seen: Observed) -> dict[str, float | None]:
    line, start, end = seen.timeline, seen.results.start, seen.results.end
    known = seen.collections is not None
    pauses = [c for c in seen.collections or () if start <= c.time <= end]
    used = line.points("app.heap_used", start - 2, end + 2)
    peaks = [v for t, v in used if start <= t <= end] + [c.before for c in pauses]
    committed = line.peak("app.heap_committed", start, end)
    return {
        "allocated": _allocated(seen, used),
        "heap-peak": max(peaks) / MIB if peaks else None,
        "heap-committed": None if committed is None else committed / MIB,
        "gc-count": sum(c.collects for c in pauses) if known else None,
        "gc-pause": sum(c.pause_ms for c in pauses) if known else None,
        "gc-pause-max": max((c.pause_ms for c in pauses), default=0.0) if known else None,
    }


def _allocated(seen: Observed, used: list[tuple[float, float]]) -> float | None:
    """KiB a request. Allocation since the JVM's start is known whenever the heap in use is read."""
    if seen.collections is None:
        return None
    known = [(t, gclog.allocated_until(seen.collections, t, v)) for t, v in used]
    if len(known) < 2:  # noqa: PLR2004 - a difference needs two
        return None
    (t0, first), (t1, last) = known[0], known[-1]
    served = sum(1 for end, _, _ in seen.results.ends if t0 <= end <= t1)
    return (last - first) / 1024 / served if served else None

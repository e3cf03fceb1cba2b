"""From what was collected in a window to the metrics of a record.

To add a metric: its entry in `telar.toml`, and its line in `compute`. A metric that can't be known for
a run (no such pool, a JRE too old) is left out, never set to zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, pairwise
from statistics import median

import msgspec

from telar.analyse import counted, histogram
from telar.catalog.types import Catalog
from telar.collect import gclog
from telar.collect.gclog import Log
from telar.collect.k6 import Results
from telar.collect.recording import Recorded
from telar.collect.sampler import Timeline
from telar.store.record import Latency, Metric, Ruler, Stage, Warmup

MIB = 1024 * 1024
LEAST_COLLECTIONS = 4  # for a slope
MISSED = 0.1  # of what is allocated: more than the heap's whole MiB can pretend
SETTLED = 0.25  # of the requests that were served: before, a service fills what it keeps
SUDDEN = 10.0  # times the rate before: a load that jumps
PEAK_SECONDS, NEARLY = 5, 0.9  # of a mean, and of the highest one
SERVICE = ("p50", "p95", "p99")  # of the time from the sending, kept beside the latency


class Observed(msgspec.Struct, frozen=True, kw_only=True):
    """All that was collected about one measured window."""

    results: Results
    timeline: Timeline
    log: Log  # of the collector
    recorded: Recorded | None  # by the JVM itself; None where it has no recording
    latencies: tuple[Latency, ...]
    stages: tuple[Stage, ...]
    started: float  # the app process's start, seconds since the epoch
    ready: float
    first_response: float
    warmup: Warmup
    ruler: Ruler | None  # None where the machine's speed wasn't measured beside it
    counters: Mapping[str, int] = {}  # the database's own, of the window
    limit_ms: float | None = None  # of p99, by which a search for the highest rate went


def compute(catalog: Catalog, seen: Observed) -> dict[str, Metric]:
    """Every metric of telar.toml that this window has a value for."""
    values: dict[str, float | None] = {
        **_load(seen),
        **_latency(seen),
        **_resources(seen),
        **_heap(seen),
        **_counted(seen),
        "capacity": _capacity(catalog.file.slo.p99_ms, seen),
        "ceiling": None if seen.limit_ms is None else _capacity(seen.limit_ms, seen) or None,
        "telemetry-gap": seen.timeline.gap(seen.results.start, seen.results.end),
        "startup-ready": seen.ready - seen.started,
        "startup-first": seen.first_response - seen.started,
        "speed": seen.ruler.speed if seen.ruler else None,
    }
    values |= _normalised(values, seen)
    if seen.warmup.steady:  # at the ceiling it isn't known when it would have been
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
        "held": _held(seen),
        "time-to-peak": _time_to_peak(seen),
        "failures": sum(results.failures.values()),
        "dropped": results.dropped,
        "connection-wait": sum(results.blocked_us) / len(results.blocked_us) / 1000,
        "new-connections": 100 * results.connections / len(results.ends),
    }


def _counted(seen: Observed) -> dict[str, float | None]:
    results = seen.results
    requests, received = sum(results.requests.values()), sum(results.bytes_received.values())
    return counted.per_request(requests, received, seen.counters)


def _held(seen: Observed) -> float | None:
    """Answers a second while the load lasts and answers come: neither the first one's wait nor the last ones'
    is in it, which make up much of a window where each answer takes seconds.
    """
    ends = sorted(end for end, _, failed in seen.results.ends if not failed)
    until = seen.results.start + seen.stages[-1].end if seen.stages else 0.0
    inside = [end for end in ends if end <= until]
    seconds = until - inside[0] if inside else 0.0
    return (len(inside) - 1) / seconds if seconds > 0 and len(inside) > 1 else None


def _time_to_peak(seen: Observed) -> float | None:
    """Of a load that jumps: seconds from the first answer to a request after the jump until answers come at
    nine tenths of the highest rate, each in the mean of five seconds. None where the load doesn't jump.

    What a request waits for anyway is in neither: it passes before the first answer.
    """
    jumps = (
        after.start
        for before, after in pairwise(seen.stages)
        if after.from_rate >= SUDDEN * before.to_rate > 0
    )
    at = next(jumps, None)
    if at is None:
        return None
    begun = seen.results.start + at
    ends = sorted(e for e, took, failed in seen.results.ends if not failed and e - took / 1e6 >= begun)
    if not ends:
        return None
    counts = [0] * (int(ends[-1] - ends[0]) + 1)
    for end in ends:
        counts[int(end - ends[0])] += 1
    means = [sum(counts[n : n + PEAK_SECONDS]) for n in range(len(counts) - PEAK_SECONDS + 1)]
    enough = NEARLY * max(means, default=0.0)
    return next((float(n) for n, mean in enumerate(means) if mean >= enough), None)


def _latency(seen: Observed) -> dict[str, float | None]:
    whole = histogram.merged(latency.histogram for latency in seen.latencies)
    service = histogram.of(seen.results.service_us)
    percentiles = {"p50": 50.0, "p95": 95.0, "p99": 99.0, "p999": 99.9, "max": 100.0}
    return {
        **{name: histogram.percentile_ms(whole, p) for name, p in percentiles.items()},
        **{f"service-{name}": histogram.percentile_ms(service, percentiles[name]) for name in SERVICE},
    }


def _capacity(limit_ms: float, seen: Observed) -> float:
    """The highest rate held for a stage with p99 within the limit, nothing failed, nothing dropped."""
    failed = {stage for _, stage, _, _ in seen.results.failures}
    held = [0.0]
    for stage in seen.stages:
        own = [h.histogram for h in seen.latencies if h.stage == stage.name]
        if stage.from_rate != stage.to_rate or not own or stage.name in failed:
            continue
        within = histogram.percentile_ms(histogram.merged(own), 99) <= limit_ms
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

    pins = None if seen.recorded is None else [p.seconds for p in seen.recorded.pins]
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
        "pinned": None if pins is None else sum(pins) * 1000,
        "pins": None if pins is None else len(pins),
    }


def _normalised(values: dict[str, float | None], seen: Observed) -> dict[str, float | None]:
    """Processor time as it would be on a machine of speed 1, and in units of the generator's and of the
    database's, which did the same work on the same machine at the same time; latencies in the latter's, too.
    """
    app, generator, database = values["app-cpu"], values["generator-cpu"], values["database-cpu"]
    line, start, end = seen.timeline, seen.results.start, seen.results.end
    requests = sum(seen.results.requests.values())

    def own(*names: str) -> float | None:
        seconds = [line.delta(name, start, end) for name in names]
        return None if None in seconds else sum(filter(None, seconds)) * 1000 / requests

    # Serial has no threads of its own: the one that stops the others collects.
    serial = ("app.vm_seconds",) if seen.log.collector == "Serial" else ()
    compilers, collectors = own("app.compiler_seconds"), own("app.gc_seconds", *serial)
    work = None if app is None or compilers is None else app - compilers
    service = None if work is None or collectors is None else work - collectors
    return {
        "app-cpu-normalised": app * seen.ruler.speed if app is not None and seen.ruler else None,
        "app-cpu-relative": _ratio(app, generator),
        "compiler-cpu": compilers,
        "gc-cpu": collectors,
        "work-cpu": work,
        "work-cpu-relative": _ratio(work, generator),
        "work-cpu-by-database": _ratio(work, database),
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
    known = seen.log.collections is not None
    pauses = [c for c in seen.log.collections or () if start <= c.time <= end]
    peaks = [v for _, v in line.points("app.heap_used", start, end)] + [c.before for c in pauses]
    committed = line.peak("app.heap_committed", start, end)
    live = [each for each in seen.log.live if each.time <= end]
    return {
        "allocated": allocated(seen.results, line, seen.log, seen.recorded),
        "heap-peak": max(peaks) / MIB if peaks else None,
        "heap-committed": None if committed is None else committed / MIB,
        "live-set": live[-1].heap / MIB if live else None,
        "live-set-slope": growth(line, seen.log, end),
        "gc-count": sum(c.collects for c in pauses) if known else None,
        "gc-pause": sum(c.pause_ms for c in pauses) if known else None,
        "gc-pause-max": max((c.pause_ms for c in pauses), default=0.0) if known else None,
    }


def allocated(results: Results, timeline: Timeline, log: Log, recorded: Recorded | None) -> float | None:
    """KiB a request, between two moments in the window: by what the JVM says that its threads have allocated,
    of any collector; where it doesn't say that, by the heap in use and the collector's log. Of a service that
    ends its threads within a second, too: what these allocated since they were last asked isn't in their sum.
    """
    threads = _by_request(results, _by_threads(results, recorded))
    heap = _by_request(results, _by_heap(results, timeline, log))
    if threads is None or (heap is not None and heap > threads * (1 + MISSED)):
        return heap
    return threads


def _by_request(results: Results, known: list[tuple[float, float]]) -> float | None:
    """KiB, of bytes that were allocated until each of these moments."""
    if len(known) < 2:  # noqa: PLR2004 - a difference needs two
        return None
    (t0, first), (t1, last) = known[0], known[-1]
    served = sum(1 for end, _, _ in results.ends if t0 <= end <= t1)
    return (last - first) / 1024 / served if served else None


def _by_threads(results: Results, recorded: Recorded | None) -> list[tuple[float, float]]:
    found = recorded.allocated if recorded else ()
    return [(t, total) for t, total in found if results.start <= t <= results.end]


def _by_heap(results: Results, timeline: Timeline, log: Log) -> list[tuple[float, float]]:
    if log.collections is None:
        return []
    readings = [
        gclog.allocated_at(log.collections, s.begun, s.ended, s.heap)
        for s in timeline.scrapes(results.start, results.end)
        if s.heap is not None
    ]
    return [found for found in readings if found]


def growth(line: Timeline, log: Log, end: float) -> float | None:
    """KiB by which what collections leave in use grows with each request that is served: the median of the
    slopes between any two collections (Theil 1950, Sen 1968), since a single old collection moves a line.

    A window of seconds may have one collection or none, so it looks back: to when the service had served a
    quarter of what it has served by the window's end. What it keeps for good from its start on isn't in it;
    nor, in the median, what each new set of connections leaves behind until a full collection.
    """
    served = line.points("app.requests_served", 0.0, end)
    if not served:
        return None
    since = next(t for t, count in served if count >= served[-1][1] * SETTLED)
    found = [(line.at("app.requests_served", c.time), c.heap) for c in log.live if since <= c.time <= end]
    known = [(count, heap) for count, heap in found if count is not None]
    slopes = [(h1 - h0) / (n1 - n0) for (n0, h0), (n1, h1) in combinations(known, 2) if n1 > n0]
    return median(slopes) / 1024 if len(known) >= LEAST_COLLECTIONS and slopes else None

"""Metrics of a window of four requests, with every number worked out by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.catalog.load import load
from telar.collect import metrics
from telar.collect.gclog import Collection
from telar.collect.k6 import Results
from telar.collect.sampler import Timeline
from telar.store.record import Ruler, Stage, Warmup

CATALOG = load(Path(__file__).parents[3])
MIB = 1024**2
T = 1000.0

STAGES = (
    Stage(name="hold-1", from_rate=1.0, to_rate=1.0, start=0.0, end=2.0),
    Stage(name="climb", from_rate=1.0, to_rate=3.0, start=2.0, end=3.0),
    Stage(name="hold-3", from_rate=3.0, to_rate=3.0, start=3.0, end=4.0),
)


def results(latencies_ms: dict[tuple[str, str], list[float]], **changes: Any) -> Results:
    """Requests of these latencies; the first begins at T, the last ends at T + 4."""
    microseconds = {key: [v * 1000 for v in values] for key, values in latencies_ms.items()}
    first, *middle, last = [v for values in microseconds.values() for v in values]
    made = Results(
        latencies_us=defaultdict(list, microseconds),
        waits_us=[0.0] * 4,
        connections=1,
        blocked_us=[100.0, 0.0, 0.0, 300.0],
        statuses=Counter((endpoint, "200") for (endpoint, _), v in microseconds.items() for _ in v),
        ends=[(T + first / 1e6, first, False), *((T + 2, v, False) for v in middle), (T + 4, last, False)],
        iterations=4,
    )
    for name, value in changes.items():
        setattr(made, name, value)
    return made


FOUR = {("get", "hold-1"): [1.0, 2.0], ("list", "climb"): [4.0], ("get", "hold-3"): [8.0]}


def readings(**series: list[float | None]) -> Timeline:
    """One value a second from T - 1 on, of series whose name has a dot for each double underscore."""
    size = max(map(len, series.values()))
    samples = [
        (T - 1 + n, {name.replace("__", "."): values[n] for name, values in series.items()})
        for n in range(size)
    ]
    return Timeline(samples, [(t, True) for t, _ in samples])


TIMELINE = readings(
    app__cpu_seconds=[9.0, 10.0, 10.5, 11.0, 11.5, 12.0, 20.0],
    database__cpu_seconds=[1.0, 1.0, 1.0, 1.0, 1.0, 1.5, 1.5],
    app__voluntary_switches=[0, 100, 110, 120, 130, 140, 900],
    app__rss=[900 * MIB, 300 * MIB, 310 * MIB, 305 * MIB, 300 * MIB, 300 * MIB, 999 * MIB],
    app__os_threads=[40, 41, 45, 44, 43, 42, 41],
    app__pool_max=[20, 20, 20, 20, 20, 20, 20],
    app__pool_waiting=[0, 0, 3, 1, 0, 0, 0],
    app__virtual_pinned_seconds=[0.0, 0.1, 0.1, 0.35, 0.35, 0.35, 0.35],
    app__heap_used=[50 * MIB, 60 * MIB, 80 * MIB, 30 * MIB, 50 * MIB, 70 * MIB, 90 * MIB],
    app__heap_committed=[500 * MIB] * 7,
    app__compiler_seconds=[4.0, 5.0, 5.1, 5.1, 5.1, 5.2, 9.0],
    app__gc_seconds=[1.0, 1.0, 1.0, 1.1, 1.1, 1.1, 1.1],
    generator__cpu_seconds=[0.0, 0.0, 0.25, 0.5, 0.75, 1.0, 5.0],
)
STEADY = Warmup(requests=15_000, seconds=50.0, steady=True)
FAST = Ruler(work="fixed", before=0.018, after=0.014)  # 32 ms in place of 40
COLLECTIONS = [
    Collection(time=T - 5, collects=True, before=70 * MIB, after=20 * MIB, pause_ms=50.0),
    Collection(time=T + 1.5, collects=True, before=90 * MIB, after=25 * MIB, pause_ms=3.0),
    Collection(time=T + 2, collects=False, before=40 * MIB, after=40 * MIB, pause_ms=0.5),
    Collection(time=T + 3.5, collects=True, before=60 * MIB, after=40 * MIB, pause_ms=4.5),
    Collection(time=T + 9, collects=True, before=99 * MIB, after=40 * MIB, pause_ms=70.0),
]


def compute(found: Results | None = None, **changes: Any) -> dict[str, float]:
    found = found or results(FOUR)
    seen = metrics.Observed(
        results=found,
        timeline=TIMELINE,
        collections=COLLECTIONS,
        latencies=metrics.latencies(found),
        stages=STAGES,
        started=T - 20,
        ready=T - 17.5,
        first_response=T - 17.25,
        warmup=STEADY,
        ruler=FAST,
    )
    seen = msgspec.structs.replace(seen, **changes)
    return {name: metric.value for name, metric in metrics.compute(CATALOG, seen).items()}


def test_the_window_used_here_is_four_seconds() -> None:
    window = results(FOUR)
    assert (window.start, window.end) == (T, T + 4)


@pytest.mark.parametrize(
    ("metric", "value"),
    [
        ("throughput", 4 / 4),
        ("failures", 0),
        ("dropped", 0),
        ("connection-wait", 0.4 / 4),  # ms
        ("app-cpu", 2000 / 4),  # 10 s to 12 s, in ms a request
        ("database-cpu", 500 / 4),
        ("generator-cpu", 1000 / 4),
        ("compiler-cpu", 200 / 4),
        ("gc-cpu", 100 / 4),
        ("speed", 1.25),
        ("app-cpu-normalised", 500 * 1.25),  # on a machine of speed 1 it would have taken longer
        ("app-cpu-relative", 2),
        ("service-cpu", (2000 - 200 - 100) / 4),
        ("service-cpu-relative", 1.7),
        ("service-cpu-by-database", 3.4),
        ("warm-seconds", 50),
        ("warm-requests", 15_000),
        ("context-switches", 40 / 4),
        ("rss", 310),  # only within the window
        ("os-threads", 45),
        ("pool", 20),
        ("pool-waiting", 3),
        ("pinned", 250),  # ms
        ("heap-peak", 90),  # before a collection, higher than any reading
        ("heap-committed", 500),
        ("gc-count", 2),  # Remark and Cleanup pause, and collect nothing
        ("gc-pause", 8.0),
        ("gc-pause-max", 4.5),
        ("telemetry-gap", 0),
        ("startup-ready", 2.5),
        ("startup-first", 2.75),
        # From T - 1 to T + 5: in use 50 → 90 MiB, with 65 and 20 collected between; four requests ended.
        ("allocated", (40 + 65 + 20) * 1024 / 4),
    ],
)
def test_a_metric_is_what_it_comes_to_by_hand(metric: str, value: float) -> None:
    assert compute()[metric] == pytest.approx(value)


def test_percentiles_are_those_of_all_endpoints_and_stages_together() -> None:
    found = compute()
    assert found["p50"] == pytest.approx(2.0, rel=0.001)
    assert found["p95"] == found["p99"] == found["max"] == pytest.approx(8.0, rel=0.001)
    assert found["p50-by-database"] == pytest.approx(found["p50"] / 125)  # ms of its CPU a request
    assert found["p95-by-database"] == pytest.approx(found["p95"] / 125)


def test_failed_requests_are_counted_and_no_throughput() -> None:
    failures = Counter({("get", "hold-3", "server", "timeout"): 1})
    found = compute(results(FOUR, failures=failures))
    assert found["failures"] == 1
    assert found["throughput"] == 3 / 4


def test_a_metric_that_cannot_be_known_is_left_out_and_never_zero() -> None:
    found = compute(timeline=readings(app__cpu_seconds=[1.0, 1.0]), collections=[])
    gone = {
        "rss",
        "pinned",
        "pool",
        "pool-waiting",
        "heap-peak",
        "allocated",
        "os-threads",
        "cgroup-memory",
        "app-cpu",
        "app-cpu-normalised",
        "app-cpu-relative",
        "compiler-cpu",
        "gc-cpu",
        "service-cpu",
        "service-cpu-relative",
        "service-cpu-by-database",
        "p50-by-database",
    }
    assert gone.isdisjoint(found)
    assert found["gc-count"] == 0  # the log says so


@pytest.mark.parametrize("steady", [None, False])
def test_how_long_warming_up_takes_is_known_only_of_what_became_steady(steady: bool | None) -> None:
    otherwise = msgspec.structs.replace(STEADY, steady=steady)
    assert {"warm-seconds", "warm-requests"}.isdisjoint(compute(warmup=otherwise))


def test_every_metric_has_the_unit_and_direction_of_telar_toml() -> None:
    found = results(FOUR)
    made = metrics.compute(
        CATALOG,
        metrics.Observed(
            results=found,
            timeline=TIMELINE,
            collections=COLLECTIONS,
            latencies=metrics.latencies(found),
            stages=STAGES,
            started=T,
            ready=T,
            first_response=T,
            warmup=STEADY,
            ruler=FAST,
        ),
    )
    assert set(CATALOG.file.metric) - set(made) == {"cgroup-memory"}  # nobody read it
    for name, metric in made.items():
        entry = CATALOG.file.metric[name]
        assert (metric.unit, metric.better) == (entry.unit, entry.better)


def test_what_a_collector_beside_the_app_did_is_not_known() -> None:
    lost = set(compute()) - set(compute(collections=None))
    assert lost == {"allocated", "gc-count", "gc-pause", "gc-pause-max"}


# ---- capacity: the highest rate held with p99 within 100 ms, nothing failed, nothing dropped

GET3 = ("get", "hold-3")


@pytest.mark.parametrize(
    ("changes", "capacity"),
    [
        ({}, 3),
        ({"failures": Counter({(*GET3, "server", "timeout"): 1})}, 1),
        ({"failures": Counter({("get", "climb", "server", "timeout"): 1})}, 3),  # a climb holds no rate
        ({"dropped_at": [T + 3.5]}, 1),
        ({"dropped_at": [T + 0.5, T + 3.5]}, 0),
        ({"dropped_at": [T + 2.5]}, 3),
    ],
)
def test_capacity_is_the_highest_rate_held_without_fault(changes: dict[str, Any], capacity: float) -> None:
    assert compute(results(FOUR, **changes))["capacity"] == capacity


def test_capacity_is_held_only_with_p99_within_the_objective() -> None:
    assert CATALOG.file.slo.p99_ms == 100
    assert compute(results({**FOUR, GET3: [99.0]}))["capacity"] == 3
    assert compute(results({**FOUR, GET3: [101.0]}))["capacity"] == 1


def test_latencies_are_kept_by_endpoint_and_stage() -> None:
    kept = metrics.latencies(results(FOUR))
    assert [(h.endpoint, h.stage, h.count) for h in kept] == [
        ("get", "hold-1", 2),
        ("get", "hold-3", 1),
        ("list", "climb", 1),
    ]

"""Metrics of a window of four requests, with every number worked out by hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.catalog.load import load
from telar.collect import metrics
from telar.collect.gclog import Collection, Live, Log
from telar.collect.k6 import Results
from telar.collect.recording import Pin, Recorded
from telar.collect.sampler import Scrape, Timeline, Values
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
    return Timeline(
        samples, [Scrape(begun=t, ended=t, good=True, heap=v.get("app.heap_used")) for t, v in samples]
    )


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
    app__vm_seconds=[3.0, 3.0, 3.0, 3.3, 3.3, 3.3, 3.3],
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
LOG = Log(
    collector="G1",
    collections=tuple(COLLECTIONS),
    live=tuple(Live(time=c.time, heap=c.after) for c in COLLECTIONS if c.collects),
)
RECORDED = Recorded(
    pins=tuple(Pin(time=T + n, seconds=0.0005, reason="", stack=()) for n in range(3)),
    allocated=(
        (T - 0.5, 1 * MIB),
        (T + 0.5, 40 * MIB),
        (T + 1.5, 70 * MIB),
        (T + 3, 100 * MIB),
        (T + 4.5, 999 * MIB),
    ),
)
NO_LOG = Log(collector="Z", collections=None, live=())


def compute(found: Results | None = None, **changes: Any) -> dict[str, float]:
    found = found or results(FOUR)
    seen = metrics.Observed(
        results=found,
        timeline=TIMELINE,
        log=LOG,
        recorded=None,
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


def test_the_ceiling_is_what_a_search_found_by_its_own_limit() -> None:
    assert "ceiling" not in compute()
    assert compute(limit_ms=25.0)["ceiling"] == 3.0
    assert compute(limit_ms=5.0)["ceiling"] == 1.0
    assert "ceiling" not in compute(limit_ms=0.5)  # not even the first rate was held


def test_where_the_machines_speed_was_not_measured_only_what_needs_it_is_missing() -> None:
    assert compute().keys() - compute(ruler=None).keys() == {"speed", "app-cpu-normalised"}


def test_what_is_counted_is_told_by_request() -> None:
    counters = {"Com_select": 6, "Com_commit": 2, "Handler_read_key": 12}
    found = results(FOUR)
    found.bytes_received["get"] = 8 * 1024
    seen = compute(found, counters=counters)
    requests = sum(found.requests.values())
    assert seen["statements"] == 8 / requests
    assert seen["rows-read"] == 12 / requests
    assert seen["answer"] == sum(found.bytes_received.values()) / 1024 / requests
    alone = compute(found)  # Telar serves no database
    assert {"statements", "rows-read"}.isdisjoint(alone)


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
        ("work-cpu", (2000 - 200) / 4),  # the collector's part is work
        ("work-cpu-relative", 1.8),
        ("work-cpu-by-database", 3.6),
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
        ("heap-peak", 90),  # before a collection, higher than any reading
        ("heap-committed", 500),
        ("gc-count", 2),  # Remark and Cleanup pause, and collect nothing
        ("gc-pause", 8.0),
        ("gc-pause-max", 4.5),
        ("telemetry-gap", 0),
        ("startup-ready", 2.5),
        ("startup-first", 2.75),
        # From T to T + 4: in use 60 → 70 MiB, with 65 and 20 collected between. Four requests ended.
        ("allocated", (10 + 65 + 20) * 1024 / 4),
        ("live-set", 40),  # after the collection at T + 3.5
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
    found = compute(timeline=readings(app__cpu_seconds=[1.0, 1.0]), log=NO_LOG)
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
        "work-cpu",
        "work-cpu-relative",
        "work-cpu-by-database",
        "live-set",
        "live-set-slope",
        "service-cpu",
        "service-cpu-relative",
        "service-cpu-by-database",
        "p50-by-database",
    }
    assert gone.isdisjoint(found)
    assert "gc-count" not in found
    silent = compute(log=Log(collector="G1", collections=(), live=()))
    assert silent["gc-count"] == 0  # the log says so


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
            log=LOG,
            recorded=RECORDED,
            latencies=metrics.latencies(found),
            stages=STAGES,
            started=T,
            ready=T,
            first_response=T,
            warmup=STEADY,
            ruler=FAST,
            counters={"Com_select": 4, "Handler_read_key": 8},
        ),
    )
    known = CATALOG.file.metric.items()
    whole = {name for name, file in known if not file.each and "http" in file.kinds}  # others: of histograms
    # Not read, too few, no load that jumps; no search, and no answer of any length.
    missing = {"cgroup-memory", "live-set-slope", "time-to-peak", "ceiling", "answer"}
    assert whole - set(made) == missing
    for name, metric in made.items():
        entry = CATALOG.file.metric[name]
        assert (metric.unit, metric.better) == (entry.unit, entry.better)


def test_what_a_collector_beside_the_app_did_is_not_known() -> None:
    lost = set(compute()) - set(compute(log=replace(LOG, collector="Z", collections=None)))
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


# ---- Serial collects in the thread that stops all others


@pytest.mark.parametrize(("collector", "milliseconds"), [("Serial", 400), ("G1", 100), ("Parallel", 100)])
def test_the_work_of_serial_is_that_of_the_thread_that_stops_the_others(
    collector: str, milliseconds: float
) -> None:
    found = compute(log=replace(LOG, collector=collector))
    assert found["gc-cpu"] == pytest.approx(milliseconds / 4)
    assert found["work-cpu"] == pytest.approx(found["service-cpu"] + found["gc-cpu"])


# ---- allocated: the window's, wherever a collection falls

RATE = 10 * MIB  # a second
REACH = 0.060  # seconds that a scrape takes, and a pause


def allocated_with_a_collection(at: float) -> float | None:
    """Eleven seconds at 10 MiB/s and 100 requests/s, and one pause of 60 ms that leaves 20 MiB. Readings
    begin at each full second; the heap is really looked at 50 ms later, the readings end 60 ms later.
    """
    freed = 200 * MIB + RATE * at - 20 * MIB

    def used(second: float) -> float:
        return 200 * MIB + RATE * second - (freed if second >= at else 0)

    scrapes = [
        Scrape(begun=T + n, ended=T + n + REACH, good=True, heap=used(n + 0.05)) for n in range(-3, 15)
    ]
    pause = Collection(
        time=T + at, collects=True, before=round(freed + 20 * MIB), after=20 * MIB, pause_ms=60.0
    )
    ends = [(T - 4 + n / 100, 1000.0, False) for n in range(1900)]  # k6's setup asks before the window, too
    found = results(FOUR, ends=[(T + 0.001, 1000.0, False), *(e for e in ends if T < e[0] <= T + 11)])
    log = Log(collector="G1", collections=(pause,), live=())
    return metrics.allocated(found, Timeline([], scrapes), log, None)


@pytest.mark.thorough
def test_allocated_is_the_same_wherever_a_collection_falls() -> None:
    """At each 5 ms from two seconds before the window to two after it, so also inside readings."""
    for step in range(-400, 2600):
        at = step * 0.005
        assert allocated_with_a_collection(at) == pytest.approx(RATE / 1024 / 100, rel=0.01), at


def test_allocated_isnt_known_where_fewer_than_two_readings_are_free_of_collections() -> None:
    scrapes = [Scrape(begun=T + n, ended=T + n + 1, good=True, heap=50.0 * MIB) for n in range(4)]
    timeline = Timeline([], scrapes)
    pauses = tuple(
        Collection(time=T + n + 0.5, collects=True, before=90 * MIB, after=40 * MIB, pause_ms=3.0)
        for n in range(3)
    )
    log = Log(collector="G1", collections=pauses, live=())
    assert "allocated" not in compute(timeline=timeline, log=log)


def test_what_the_jvm_says_that_it_allocated_comes_before_what_the_heap_says() -> None:
    found = compute(recorded=RECORDED)
    assert found["allocated"] == pytest.approx(
        60 * 1024 / 2
    )  # from T + 0.5 to T + 3: two requests ended then
    assert compute(recorded=RECORDED, log=NO_LOG)["allocated"] == found["allocated"]  # of any collector
    short_lived = replace(RECORDED, allocated=((T + 0.5, 4 * MIB), (T + 3, 5 * MIB)))
    assert compute(recorded=short_lived, log=NO_LOG)["allocated"] == pytest.approx(1024 / 2)
    assert compute(recorded=short_lived)["allocated"] == compute()["allocated"]  # the heap knows more
    silent = Recorded(pins=(), allocated=())
    assert compute(recorded=silent)["allocated"] == compute()["allocated"]


def test_pins_are_those_that_the_jvm_recorded() -> None:
    found = compute(recorded=RECORDED)
    assert (found["pins"], found["pinned"]) == (3, pytest.approx(1.5))
    none = compute(recorded=Recorded(pins=(), allocated=()))
    assert (none["pins"], none["pinned"]) == (0, 0)
    assert {"pins", "pinned"}.isdisjoint(compute())  # no recording: not known


# ---- a leak: what collections leave in use


def grown(kib: float, *, stopped: bool = True) -> dict[str, float]:
    """Forty collections, one each second, 1,000 requests apart, on a heap that grows by so much a request
    from 40 MiB on; the start keeps 20 MiB more in the first ten.
    """
    since = T + 4 - 40
    served: list[tuple[float, Values]] = [(since + n, {"app.requests_served": 1000.0 * n}) for n in range(41)]
    live = tuple(
        Live(
            time=since + n,
            heap=round((40 + 2 * min(n, 10)) * MIB + kib * 1024 * 1000 * n + (n % 3 - 1) * MIB),
        )
        for n in range(1, 41)
    )
    log = Log(collector="G1" if stopped else "Z", collections=() if stopped else None, live=live)
    return compute(timeline=Timeline(served, []), log=log)


@pytest.mark.parametrize("kib", [0.0, 0.1, 1.2, 50.0])
@pytest.mark.parametrize("stopped", [True, False])
def test_the_growth_of_the_live_set_is_told_by_request(kib: float, stopped: bool) -> None:
    found = grown(kib, stopped=stopped)
    assert found["live-set-slope"] == pytest.approx(kib, abs=0.03)
    assert found["live-set"] == pytest.approx(60 + kib * 40_000 / 1024, abs=1.1)


def test_what_windows_leave_behind_once_each_is_no_growth_by_request() -> None:
    """After young collections of Serial: 17 in the warm-up at 47 MiB, then windows that add 12 MiB each."""
    heaps = [47] * 17 + [48, 59, 59, 59, 71, 69, 71]
    since = T + 4 - len(heaps)
    served: list[tuple[float, Values]] = [
        (since + n, {"app.requests_served": 20_000.0 + 2_000 * n}) for n in range(len(heaps) + 1)
    ]
    live = tuple(Live(time=since + n, heap=heap * MIB) for n, heap in enumerate(heaps))
    found = compute(timeline=Timeline(served, []), log=Log(collector="Serial", collections=(), live=live))
    assert found["live-set-slope"] == 0
    assert found["live-set"] == 71


def test_the_live_set_is_of_the_last_collection_before_the_windows_end() -> None:
    early = tuple(Live(time=T - n, heap=n * MIB) for n in (9, 6, 3))
    late = Live(time=T + 4.1, heap=99 * MIB)
    assert compute(log=replace(LOG, live=(*early, late)))["live-set"] == 3


def test_the_rate_that_was_held_counts_from_the_first_answer_to_the_loads_end() -> None:
    """Ten a second for eight seconds, each answered after four: the last answers come after the load."""
    ends = [(T + 4 + n / 10, 4e6, False) for n in range(80)]
    stages = (Stage(name="hold-10", from_rate=10, to_rate=10, start=0, end=8),)
    found = compute(results(FOUR, ends=ends, statuses=Counter({("op", "200"): 80})), stages=stages)
    assert found["held"] == pytest.approx(10)
    assert found["throughput"] == pytest.approx(80 / 11.9)


def jumped(answers: list[int], to: float = 100) -> dict[str, float]:
    """One a second for ten seconds, then a jump: so many answers in each second, the first 8 s after it."""
    before = [(T + n + 1, 1e6, False) for n in range(10)]
    after = [
        (T + 18 + second + n / count, 7.9e6, False)
        for second, count in enumerate(answers)
        for n in range(count)
    ]
    stages = (
        Stage(name="few", from_rate=1, to_rate=1, start=0, end=10),
        Stage(name="many", from_rate=to, to_rate=to, start=10, end=10 + len(answers)),
    )
    ends = before + after
    found = results(FOUR, ends=ends, statuses=Counter({("op", "200"): len(ends)}))
    return compute(found, stages=stages)


def test_time_to_peak_counts_from_the_first_answer_after_the_jump() -> None:
    assert jumped([100] * 20)["time-to-peak"] == 0
    assert jumped([10] * 12 + [100] * 20)["time-to-peak"] == 12


def test_a_load_that_does_not_jump_has_no_time_to_peak() -> None:
    assert "time-to-peak" not in jumped([5] * 20, to=9)

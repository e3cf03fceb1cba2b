"""Made-up runs of the stairs of sleep's crossover suite."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import msgspec
from hdrh.histogram import HdrHistogram

from telar.analyse import histogram
from telar.catalog.suite import WarmupFile
from telar.plan.cells import Cell, Plan, PlannedRun
from telar.store.record import Failure, Latency, Load, Planned, Record, Series, Stage

from .records import CELL, record

IDS = itertools.count(1)
SECONDS = 8  # of a step
WARMUP = WarmupFile(workload="sleep-crossover-1ms", rate=1000, requests=12000)
WORKLOADS = {0: "0ms", 1: "1ms", 10: "10ms", 100: "100ms", 1000: "1s", 4000: "4s"}


def cell(model: str, wait_ms: int, **changes: Any) -> Cell:
    own = {"system": "sleep", "variant": f"spring-tomcat-{model}", "drivers": {}, **changes}
    return msgspec.structs.replace(CELL, workload=f"sleep-crossover-{WORKLOADS[wait_ms]}", **own)


def stairs(
    model: str,
    wait_ms: int,
    rates: Sequence[int],
    *,
    ends: float = float("inf"),
    full: float = float("inf"),
    cpu_ms: float = 0.3,
    threads: float = 50.0,
    failing: float = float("inf"),
    later_ms: float = 2.0,
    late_ms: float = 1.0,
    **changes: Any,
) -> Record:
    """A run that holds all rates below `ends`, uses both processors from `full` on, answers with `later_ms`
    more than the wait while it holds, and fails every tenth request from `failing` on.
    """
    stages = tuple(
        Stage(name=f"hold-{rate}", from_rate=rate, to_rate=rate, start=SECONDS * n, end=SECONDS * (n + 1))
        for n, rate in enumerate(rates)
    )
    endpoint = f"wait-{wait_ms}ms"
    arrivals = {s.name: round(s.to_rate * SECONDS) for s in stages}
    failures = tuple(
        Failure(endpoint=endpoint, stage=s.name, side="server", kind="timeout", count=arrivals[s.name] // 10)
        for s in stages
        if s.to_rate >= failing
    )
    total = sum(arrivals.values())
    given: dict[str, Any] = {
        "cell": cell(model, wait_ms),
        "run_id": f"{next(IDS):016x}",
        "load": Load(
            scheduled=total, iterations=total, dropped=0, requests={endpoint: total}, bytes={endpoint: 120.0},
            late=0.001, setup_created=0, seed=1, stages=stages, seconds=SECONDS * len(stages),
            latency_from="due",
        ),
        "latencies": tuple(
            _latency(endpoint, s, arrivals[s.name], wait_ms + later_ms, queue=s.to_rate >= ends)
            for s in stages
        ),
        "failures": failures,
        "series": _series(stages, full, cpu_ms, threads, late_ms),
        "planned": Planned(
            seed=1, warmup_workload=WARMUP.workload, warmup_rate=1000, warmup_seconds=None,
            warmup_requests=12000,
        ),
        "validity": "valid",
        "database": None,
        "benchmark": None,
    }  # fmt: skip
    whole = record()
    own = msgspec.structs.replace(whole.provenance, database=None)
    return msgspec.structs.replace(whole, provenance=own, **{**given, **changes})


def _latency(endpoint: str, stage: Stage, count: int, ms: float, *, queue: bool) -> Latency:
    found = HdrHistogram(histogram.LOWEST, histogram.HIGHEST, histogram.DIGITS)
    late = count // 10 if queue else 0  # p50 alone wouldn't show it
    found.record_value(round(ms * 1000), count - late)
    if late:
        found.record_value(round((ms + 900) * 1000), late)
    return Latency(endpoint=endpoint, stage=stage.name, count=count, histogram=histogram.encode(found))


def _series(stages: Sequence[Stage], full: float, cpu_ms: float, threads: float, late_ms: float) -> Series:
    """Counters as they stand at the beginning of each second; the compilers use a tenth of a processor."""
    rates = [s.to_rate for s in stages for _ in range(SECONDS)]
    app = [0.0, *itertools.accumulate(rate * cpu_ms / 1000 + 0.1 for rate in rates)]
    busy = [0.0, *itertools.accumulate(2.0 if rate >= full else 1.0 for rate in rates)]
    return Series(
        start=1795245540.0,
        step=1.0,
        values={
            "app.cpu_seconds": tuple(app),
            "app.compiler_seconds": tuple(n * 0.1 for n in range(len(app))),
            "host.busy_seconds": tuple(busy),
            "load.answered": (*rates, 0.0),
            "load.failed": (0.0,) * len(app),
            "load.late_ms": (late_ms,) * len(app),
            "app.os_threads": (threads,) * len(app),
        },
    )


def plan_of(records: Sequence[Record]) -> Plan:
    """In which each of these has a place, in this order."""
    runs = tuple(
        PlannedRun(position=n, repetition=r.repetition, cell=r.cell, warmup=WARMUP)
        for n, r in enumerate(records, start=1)
    )
    return Plan(suite="sleep-crossover", seed=1, runs=runs)

"""A session to be shown: a pair, a run without a counterpart and one that failed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from telar.analyse import histogram
from telar.analyse.summary import PERCENTILES
from telar.plan.cells import Plan, PlannedRun
from telar.store.files import Session
from telar.store.record import Latency, Load, Metric, Phase, Record, Series

from ..store.records import STAGES, STOP, WARMUP, latency, put, record

START = 1795245500.0
BASE, OTHER, ALONE = (
    "spring-mysql-blocking-platform",
    "spring-mysql-blocking-virtual",
    "quarkus-mysql-nonblocking-platform",
)
FAILED = "quarkus-mysql-blocking-virtual"
PHASES = (("database", 0, 1), ("start", 1, 5), ("warm-up", 5, 12), ("window", 12, 20), ("stop", 20, 21))


def session() -> list[Record]:
    return [
        measured(BASE, 4.0, position=1),
        measured(OTHER, 2.0, position=2),
        measured(ALONE, 3.0, position=3),
        failed(FAILED, position=4),
    ]


def measured(variant: str, slowness: float, **changes: Any) -> Record:
    """A completed run whose percentiles are those of its histograms."""
    latencies = tuple(_latencies(slowness))
    whole = histogram.merged(h.histogram for h in latencies)
    found = {name: histogram.percentile_ms(whole, p) for name, p in PERCENTILES.items()}
    found |= {"throughput": 1234.5, "failures": 0.0, "dropped": 0.0, "app-cpu": slowness / 10, "rss": 512.0}
    metrics = {n: Metric(value=v, unit="", better="smaller") for n, v in found.items()}
    load = Load(
        scheduled=800.0, iterations=800, dropped=0, requests={"get": 600, "list": 200},
        bytes={"get": 900.0, "list": 16000.0}, late=0.004, setup_created=0,
        seed=1, stages=STAGES, seconds=8.0,
    )  # fmt: skip
    timeline = tuple(Phase(name=name, start=START + a, end=START + b) for name, a, b in PHASES)
    given: dict[str, Any] = {
        "started": START, "finished": START + 21, "timeline": timeline, "metrics": metrics, "load": load,
        "latencies": latencies, "failures": (), "series": _series(), "validity": "valid", **changes,
    }  # fmt: skip
    return record(variant=variant, **given)


def failed(variant: str, **changes: Any) -> Record:
    nothing: dict[str, Any] = {"load": None, "latencies": (), "failures": (), "series": None, "metrics": {}}
    given: dict[str, Any] = {"outcome": "failed", "stopped": STOP, **nothing, **changes}
    timeline = (
        Phase(name="database", start=START, end=START + 1),
        Phase(name="start", start=START + 1, end=START + 3),
    )
    return msgspec.structs.replace(
        record(variant=variant), started=START, finished=START + 3, timeline=timeline, **given
    )


def _latencies(slowness: float) -> list[Latency]:
    own = [(stage.name, endpoint, n) for stage in STAGES for endpoint, n in (("get", 300), ("list", 50))]
    return [
        latency([1000 * slowness * (1 + k / 100) for k in range(n)], endpoint=endpoint, stage=stage)
        for stage, endpoint, n in own
    ]


def _series() -> Series:
    """Two seconds of warm-up and eight of the window; a second of it could not be read."""
    ten = tuple(float(n) for n in range(10))
    gap = (*ten[:5], None, *ten[6:])
    return Series(
        start=START + 10,
        step=1.0,
        values={
            "load.offered": ten,
            "load.answered": ten,
            "app.heap_used": tuple(v and v * 1024**2 for v in gap),
            "app.cpu_seconds": tuple(n * 0.5 for n in ten),
            "app.classes_loaded": ten,
            "app.threads_new": (7.0,) * 10,
            "app.cgroup_memory": (None,) * 10,
        },
    )


def kept(folder: Path, records: list[Record]) -> Session:
    """The records in a session's folder, as they would have been measured."""
    runs = tuple(
        PlannedRun(position=n, repetition=r.repetition, cell=r.cell, warmup=WARMUP)
        for n, r in enumerate(records, start=1)
    )
    made = Session.create(folder, Plan(suite="smoke", seed=1, runs=runs))
    for n, (run, own) in enumerate(zip(runs, records, strict=True)):
        put(made, run, msgspec.structs.replace(own, run_id=f"{n:016x}"))
    return made

"""A record that no gate has anything to say about, to be broken by the tests; rules that stay as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import msgspec

from telar.catalog.load import load
from telar.catalog.rules import (
    ArrivalsGate,
    ClientGate,
    FlagsGate,
    ForeignGate,
    GatesFile,
    LittleGate,
    PayloadGate,
    PlanGate,
    RepeatsGate,
    SaturationGate,
    ScoreGate,
    SpeedGate,
    StatusGate,
    TargetGate,
    TelemetryGate,
    WarmGate,
)
from telar.catalog.settings import JvmFile
from telar.collect.jmh import metrics
from telar.gates import GATES
from telar.store.record import (
    Benchmark,
    DatabaseState,
    Failure,
    Gate,
    Java,
    Limits,
    Load,
    Profiled,
    Provenance,
    Record,
    Ruler,
    Series,
    Stage,
    Warmup,
)

from ..store.records import record

REAL = load(Path(__file__).parents[3])
FLAGS = ("-Xms500m", "-Xmx500m", "-XX:+UseG1GC", "-XX:ActiveProcessorCount=2", "-Dfile.encoding=UTF-8")
LAUNCH = ("-Dspring.threads.virtual.enabled=true",)  # spring-mysql-blocking-virtual's own

CATALOG = msgspec.structs.replace(
    REAL,
    file=msgspec.structs.replace(
        REAL.file,
        jvm=JvmFile(flags=FLAGS),
        gate=GatesFile(
            arrivals=ArrivalsGate(tolerance=5),
            client=ClientGate(busy=0.7, late=0.5, tick_ms=4, connections=0.01),
            status=StatusGate(mix=0.01),
            little=LittleGate(tolerance=0.1, overhead=0.5, floor_ms=0.5),
            plan=PlanGate(scanned_rows=2.0, own_rows=1000),
            target=TargetGate(tolerance=0.02),
            telemetry=TelemetryGate(share=0.05),
            warm=WarmGate(compiling=0.1),
            saturation=SaturationGate(database=0.9, machine=0.95),
            foreign=ForeignGate(seconds_per_30=1.0, stolen_per_30=2.0),
            flags=FlagsGate(pool=20),
            payload=PayloadGate(tolerance=0.03, headers=64),
            repeats=RepeatsGate(least=3),
            speed=SpeedGate(moved=0.05),
            score=ScoreGate(moved=0.05, error=0.10),
        ),
    ),
)

STAGES = (
    Stage(name="hold-50", from_rate=50.0, to_rate=50.0, start=0.0, end=10.0),
    Stage(name="climb-100", from_rate=50.0, to_rate=100.0, start=10.0, end=20.0),
    Stage(name="hold-100", from_rate=100.0, to_rate=100.0, start=20.0, end=30.0),
)
SECONDS = 30  # of the window; there are as many readings, and one more
ANSWERED = [50.0] * 10 + [52.5 + 5 * n for n in range(10)] + [100.0] * 10 + [0.0]  # 2250
BUSY = {"app": 0.5, "database": 0.2, "generator": 0.2, "runner": 0.02}  # processors


def counter(growth: Sequence[float], start: float = 1000.0) -> tuple[float, ...]:
    """What a counter shows at each second's beginning."""
    return tuple(accumulate(growth[:-1], initial=start))


def steadily(per_second: float, start: float = 1000.0) -> tuple[float, ...]:
    return counter([per_second] * (SECONDS + 1), start)


SERIES: dict[str, tuple[float | None, ...]] = {
    "load.answered": tuple(ANSWERED),
    "load.failed": (0.0,) * (SECONDS + 1),
    "load.waited_seconds": tuple(n * 0.0042 for n in ANSWERED),
    "app.requests_served": counter(ANSWERED),
    "app.request_seconds": counter([n * 0.0040 for n in ANSWERED]),
    "app.compiler_seconds": steadily(0.01),
    "app.pool_max": (20.0,) * (SECONDS + 1),
    **{f"{name}.cpu_seconds": steadily(cores) for name, cores in BUSY.items()},
    "host.busy_seconds": steadily(sum(BUSY.values()) + 0.01, 90_000.0),
}

LOAD = Load(
    scheduled=2250.0,
    iterations=2250,
    dropped=0,
    requests={"get": 1575, "list": 450, "create": 202, "delete": 23},
    bytes={"get": 900.0, "list": 16000.0, "create": 950.0, "delete": 120.0},
    late=0.004,
    setup_created=23,
    seed=1001,
    stages=STAGES,
    seconds=30.0,
)

JAVA = Java(
    version="25.0.2",
    vendor="OpenJDK Runtime Environment",
    flags={
        "InitialHeapSize": "524288000",
        "MaxHeapSize": "524288000",
        "UseG1GC": "true",
        "ActiveProcessorCount": "2",
        "CICompilerCount": "2",
    },
    command=(
        "/opt/bin/java", "-showversion", "-XX:+PrintFlagsFinal", "-Xlog:gc:file=/runs/1/gc.log:timemillis",
        *FLAGS, *LAUNCH, "-jar", "/app/app.jar",
    ),
    class_path=("app.jar", "mysql-connector-j-9.7.0.jar"),
    class_path_source="open files",
)  # fmt: skip
PROVENANCE = msgspec.structs.replace(
    record().provenance,
    java=JAVA,
    limits={"app": Limits(cpus="0-1", quota=None, memory_mib=1024, priority="-20")},
)


def sound(**changes: Any) -> Record:
    """A completed run of 30 seconds; `changes` replace any field."""
    fields: dict[str, Any] = {
        "load": LOAD,
        "failures": (),
        "series": series(),
        "telemetry_gaps": {"app": 0.0},
        "database": DatabaseState(
            rows_seeded=999,
            rows_at_window_start=999,
            rows_at_window_end=999 + 23 + 202 - 23,
            statements={"Com_select": 2025, "Handler_read_rnd_next": 500},
            plans={"one": "const PRIMARY", "page": "index PRIMARY"},
        ),
        "warmup": Warmup(requests=60_000, seconds=190.0, steady=True),
        "ruler": Ruler(work="zlib", before=0.0200, after=0.0204),
        "provenance": PROVENANCE,
        "gates": (),
        "validity": "invalid",
    }
    return record(**(fields | changes))


def series(changes: Mapping[str, Sequence[float | None] | None] | None = None) -> Series:
    """The sound series with some replaced, or left out where they are None."""
    values: dict[str, Sequence[float | None] | None] = {**SERIES, **(changes or {})}
    kept = {name: tuple(v) for name, v in values.items() if v is not None}
    return Series(start=1795245540.0, step=1.0, values=kept)


def java(**changes: Any) -> Provenance:
    """The sound provenance with another JVM."""
    return msgspec.structs.replace(PROVENANCE, java=msgspec.structs.replace(JAVA, **changes))


def load_with(**changes: Any) -> Load:
    return msgspec.structs.replace(LOAD, **changes)


def failures(count: int, kind: str, *, endpoint: str = "get", side: str = "server") -> Failure:
    return Failure(endpoint=endpoint, stage="hold-50", side=side, kind=kind, count=count)  # type: ignore[arg-type]


def judged(name: str, **changes: Any) -> Gate:
    return GATES[name].judge(sound(**changes), CATALOG)


BENCHMARK = Benchmark(
    jmh="1.37",
    benchmark="org.acme.Parse.small",
    mode="avgt",
    unit="ms/op",
    params={"size": "10", "depth": "2"},
    warmup=(14.0, 10.2),
    iterations=(10.0, 10.1, 9.9, 10.0, 10.1),
    score=10.02,
    error=0.3,
    secondary={"gc.alloc.rate.norm": Profiled(score=2048.0, unit="B/op", iterations=(2048.0,))},
    invoker="/opt/jdk/bin/java",
    options="",
)


def benchmark() -> Record:
    """A sound run of a benchmark: no generator, no database, no load."""
    series, timed = sound().series, sound().ruler
    assert series
    assert timed
    gone = ("generator.", "database.", "load.")
    values = {name: v for name, v in series.values.items() if not name.startswith(gone)}
    return sound(
        kind="jmh",
        benchmark=BENCHMARK,
        metrics=metrics(CATALOG, BENCHMARK, timed),
        load=None,
        latencies=(),
        failures=(),
        warmup=None,
        planned=None,
        database=None,
        telemetry_gaps={},
        series=msgspec.structs.replace(series, values=values),
        provenance=msgspec.structs.replace(sound().provenance, database=None, generator=None),
    )

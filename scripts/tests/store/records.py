"""A whole record, every part of it filled, to be varied by the tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from telar.analyse import histogram
from telar.catalog.suite import WarmupFile
from telar.plan.cells import Cell, Plan, PlannedRun
from telar.store.files import Session
from telar.store.record import (
    FORMAT,
    Artifact,
    Benchmark,
    DatabaseState,
    Failure,
    Gate,
    Generator,
    Java,
    Latency,
    Limits,
    Load,
    Machine,
    Metric,
    Phase,
    Planned,
    Product,
    Profiled,
    Program,
    Provenance,
    Record,
    Ruler,
    Series,
    Stage,
    Stop,
    Warmup,
    WarmupCycle,
)

CELL = Cell(
    variant="spring-mysql-blocking-virtual",
    workload="movies-short",
    jdk="25",
    drivers={"mysql": "9.7.0"},
    engine="embedded",
    runner="two-cpu",
    layout="co-located",
)
OTHER = msgspec.structs.replace(CELL, variant="spring-mysql-blocking-platform")
WARMUP = WarmupFile(workload="movies-constant", rate=100, seconds=10)
WARMUPS = {"movies-short": WARMUP}
STAGES = (
    Stage(name="hold-50", from_rate=50.0, to_rate=50.0, start=0.0, end=4.0),
    Stage(name="climb-100", from_rate=50.0, to_rate=100.0, start=4.0, end=8.0),
)


def plan(*cells: Cell) -> Plan:
    runs = (
        PlannedRun(position=n, repetition=1, cell=cell, warmup=WARMUP)
        for n, cell in enumerate(cells, start=1)
    )
    return Plan(suite="smoke", seed=1, runs=tuple(runs))


def latency(microseconds: Sequence[float], *, endpoint: str = "get", stage: str = "hold-50") -> Latency:
    encoded = histogram.encode(histogram.of(microseconds))
    return Latency(endpoint=endpoint, stage=stage, count=len(microseconds), histogram=encoded)


def record(
    *, variant: str = CELL.variant, numbers: Mapping[str, float] | None = None, **changes: Any
) -> Record:
    """`numbers` are metrics; `changes` replace any field."""
    cell = msgspec.structs.replace(CELL, variant=variant)
    found = {"p50": 3.2, "p99": 70.1, "failures": 2.0, "dropped": 1.0, **(numbers or {})}
    metrics = {n: Metric(value=v, unit="ms", better="smaller") for n, v in found.items()}
    return msgspec.structs.replace(_WHOLE, **{"cell": cell, "metrics": metrics, **changes})


def put(session: Session, run: PlannedRun, made: Record) -> Path:
    """Adds a record in a run's place, as of that run."""
    own = {"position": run.position, "repetition": run.repetition, "cell": run.cell, "pair": run.pair}
    return session.add(run.name, msgspec.structs.replace(made, session=session.id, **own))


def three_of_four(folder: Path) -> Session:
    """A session of which three runs are done; the second failed."""
    session = Session.create(folder, plan(CELL, OTHER, CELL, OTHER))
    first, second, third, _ = session.plan.runs
    put(session, first, record(run_id="0" * 16))
    put(session, second, record(run_id="1" * 16, outcome="failed", stopped=STOP))
    put(session, third, record(run_id="2" * 16))
    return session


def record_files(session: Session) -> list[Path]:
    """Where the records of its runs are, or would be."""
    return [session.record_path(run.name) for run in session.plan.runs]


def unsealed(read: Record) -> Record:
    """As it was before it was written."""
    return msgspec.structs.replace(read, digest="")


STOP = Stop(phase="start", error="the app ended with exit code 1", logs={"app": "no such flag"})

_WHOLE = Record(
    format=FORMAT,
    run_id="0123456789abcdef",
    session="20261121-071806-smoke",
    suite="smoke",
    position=1,
    repetition=1,
    cell=CELL,
    started=1795245500.25,
    finished=1795245560.75,
    outcome="completed",
    provenance=Provenance(
        telar="0.1.0",
        commit="6d652bd",
        dirty="",
        artifact=Artifact(build="spring-mysql-blocking", digest="ab12", maven=("-Dx=1",)),
        java=Java(
            version="25.0.2",
            vendor="OpenJDK Runtime Environment",
            flags={"UseG1GC": "true"},
            command=("java", "-jar", "app.jar"),
            class_path=("mysql-connector-j-9.7.0.jar",),
            class_path_source="open files",
            picked_up=("JAVA_TOOL_OPTIONS: -Da=b",),
        ),
        database=Product(
            name="MariaDB", version="11.4.3", settings={"max_connections": "200"}, command=("mariadbd",)
        ),
        generator=Generator(version="2.2.0", script_digest="cd34"),
        machine=Machine(
            hostname_digest="ef56",
            kernel="6.1",
            cpu_model="A CPU",
            processors=2,
            memory_mib=4096,
            governor="performance",
            cgroup="v2",
            smt="off",
            transparent_huge_pages="madvise",
            swap_mib=0,
        ),
        cpus={"app": "0-1", "database": "0-1", "generator": "0-1"},
        app_memory="1g",
        limits={"app": Limits(cpus="0-1", quota=None, memory_mib=1024, priority="-20")},
        images={"app": "sha256:ab12"},
    ),
    benchmark=Benchmark(
        jmh="1.37",
        benchmark="org.acme.Parse.small",
        mode="avgt",
        unit="ms/op",
        params={"size": "10"},
        warmup=(14.0,),
        iterations=(10.0, 10.2),
        score=10.1,
        error=0.3,
        secondary={"gc.count": Profiled(score=3.0, unit="counts", iterations=(1.0, 2.0))},
        invoker="/opt/jdk/bin/java",
        options="-Xmx500m",
    ),
    program=Program(arguments=("naive",), params={"rounds": "20"}, seconds=3.5, result={"rounds-lost": 3.0}),
    planned=Planned(seed=1, warmup_workload="movies-constant", warmup_rate=100, warmup_seconds=None),
    timeline=(Phase(name="start", start=1795245500.25, end=1795245510.0),),
    load=Load(
        scheduled=500.0,
        iterations=499,
        dropped=1,
        requests={"get": 350, "list": 100, "create": 44, "delete": 5},
        bytes={"get": 900.5, "list": 16000.0, "create": 950.0, "delete": 120.0},
        late=0.004,
        setup_created=6,
        seed=1001,
        stages=STAGES,
        seconds=8.0,
    ),
    latencies=(latency([1000, 2000, 3000]), latency([4000], endpoint="list", stage="climb-100")),
    failures=(Failure(endpoint="get", stage="hold-50", side="server", kind="timeout", count=2),),
    series=Series(start=1795245540.0, step=1.0, values={"app.rss": (1.0, None, 3.5)}),
    telemetry_gaps={"app": 1.5},
    database=DatabaseState(
        rows_seeded=999,
        rows_at_window_start=999,
        rows_at_window_end=1044,
        statements={"insert": 50},
        plans={"one": "const PRIMARY"},
    ),
    warmup=Warmup(
        requests=900,
        seconds=10.0,
        steady=True,
        cycles=(WarmupCycle(start=0.0, requests=900, p50_ms=2.5, app_seconds=3.0, compiler_seconds=0.2),),
    ),
    ruler=Ruler(work="zlib 1.3 level 6, 524288 bytes", before=0.015, after=0.016),
    gates=(Gate(name="arrivals", verdict="pass", observed="500", expected="500 ± 5"),),
    validity="valid",
)

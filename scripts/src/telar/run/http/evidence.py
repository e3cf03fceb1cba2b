"""What goes into the record of a run of the kind http, each part as soon as it is known."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

import telar
from telar.analyse.schedule import quantile
from telar.collect import gclog, k6, metrics, recording
from telar.collect.host import open_jars, thread_clock
from telar.collect.sampler import Timeline
from telar.collect.seconds import by_second
from telar.databases.client import DatabaseClient
from telar.plan.cells import Plan, PlannedRun
from telar.run import java, machine
from telar.run.commands import command_line, kept
from telar.run.http.stack import POLL, Stack
from telar.run.load import scheduled, script_digest
from telar.store.record import (
    FORMAT,
    DatabaseState,
    Failure,
    Generator,
    Java,
    Latency,
    Load,
    Metric,
    Phase,
    Pin,
    Planned,
    Provenance,
    Record,
    Ruler,
    Series,
    Stage,
    Stop,
    Superseded,
    Warmup,
)

RECORDING_PATIENCE = 5.0  # seconds for a window's end to be on disk


class Window(msgspec.Struct, frozen=True, kw_only=True):
    """What a measured window left."""

    load: Load | None = None
    latencies: tuple[Latency, ...] = ()
    failures: tuple[Failure, ...] = ()
    metrics: dict[str, Metric] = {}
    pins: tuple[Pin, ...] = ()
    series: Series | None = None
    telemetry_gaps: dict[str, float] = {}


class Evidence(msgspec.Struct, kw_only=True):
    """All of a record that isn't known before the run; it fills as the run goes on."""

    phases: tuple[Phase, ...] = ()
    java: Java | None = None
    database: DatabaseState | None = None
    warmup: Warmup | None = None
    superseded: tuple[Superseded, ...] = ()
    ruler: Ruler | None = None
    window: Window = Window()
    stopped: Stop | None = None


def record_of(
    found: Evidence, stack: Stack, plan: Plan, planned: PlannedRun, *, run_id: str, session: str
) -> Record:
    """The record as it stands now; no gate has looked at it."""
    warmup = planned.warmup
    assert warmup, "a service has one (catalog/load.py)"
    return Record(
        format=FORMAT,
        run_id=run_id,
        session=session,
        suite=plan.suite,
        position=planned.position,
        repetition=planned.repetition,
        pair=planned.pair,
        cell=stack.cell,
        started=stack.clock.started,
        finished=time.time(),
        outcome="failed" if found.stopped else "completed",
        provenance=_provenance(stack, planned, found.java),
        timeline=found.phases,
        kind="http",
        planned=Planned(
            seed=plan.seed,
            warmup_workload=warmup.workload,
            warmup_rate=warmup.rate,
            warmup_seconds=warmup.seconds,
            warmup_requests=warmup.requests,
        ),
        stopped=found.stopped,
        load=found.window.load,
        latencies=found.window.latencies,
        failures=found.window.failures,
        metrics=found.window.metrics,
        pins=found.window.pins,
        series=found.window.series,
        telemetry_gaps=found.window.telemetry_gaps,
        database=found.database,
        warmup=found.warmup,
        superseded=found.superseded,
        ruler=found.ruler,
    )


def window(
    stack: Stack,
    results: k6.Results,
    *,
    warmup: Warmup,
    ruler: Ruler | None,
    seed: int,
    database: DatabaseState | None,
    stages: tuple[Stage, ...],
) -> Window:
    """What the window says, by the generator, the sampler, the GC log, the JVM's recording and the database's
    counters. `stages`: those that it had, from its start.
    """
    workload, timeline = stack.catalog.workloads[stack.cell.workload], stack.sampler.timeline()
    recorded, latencies = _recorded(stack, results), metrics.latencies(results)
    seen = metrics.Observed(
        results=results,
        timeline=timeline,
        log=gclog.read(stack.folder / java.GC_LOG),
        recorded=recorded,
        latencies=latencies,
        stages=stages,
        started=stack.started.process,
        ready=stack.started.ready,
        first_response=stack.started.first_response,
        warmup=warmup,
        ruler=ruler,
        counters=database.statements if database else {},
        limit_ms=workload.file.search.p99_ms if workload.file.search else None,
    )
    scraped = stack.variant.app.http.metrics
    return Window(
        load=load_of(results, stages, seed),
        latencies=latencies,
        failures=failures_of(results),
        metrics=metrics.compute(stack.catalog, seen),
        pins=recording.places(recorded.pins) if recorded else (),
        series=series_of(timeline, results, stages),
        telemetry_gaps={"app": timeline.gap(results.start, results.end)} if scraped else {},
    )


def load_of(results: k6.Results, stages: tuple[Stage, ...], seed: int) -> Load:
    return Load(
        scheduled=scheduled(stages),
        iterations=results.iterations,
        dropped=results.dropped,
        requests=dict(results.requests),
        bytes={e: results.bytes_received[e] / n for e, n in results.requests.items()},
        late=None if results.late is None else quantile(results.late, 0.99),
        latency_from=results.latency_from,
        connections=results.connections,
        setup_created=results.setup_created,
        seed=seed,
        stages=stages,
        seconds=results.end - results.start,
    )


def failures_of(results: k6.Results) -> tuple[Failure, ...]:
    return tuple(
        Failure(endpoint=endpoint, stage=stage, side=side, kind=kind, count=n)  # type: ignore[arg-type]
        for (endpoint, stage, side, kind), n in sorted(results.failures.items())
    )


def series_of(timeline: Timeline, results: k6.Results, stages: tuple[Stage, ...]) -> Series:
    start, values = timeline.series(results.start, results.end)
    return Series(start=start, step=1.0, values={**values, **by_second(results, stages)})


def seeded(stack: Stack) -> DatabaseState | None:
    """Of the database before any load; None where Telar serves none."""
    if stack.database is None:
        return None
    return DatabaseState(rows_seeded=stack.data.file.rows if stack.data else 0)


def begun(stack: Stack) -> DatabaseState:
    """Of a guest's database, once the service is up and before any load."""
    return DatabaseState(rows_seeded=stack.count_rows() or 0)


def counting(
    stack: Stack, client: DatabaseClient, rows_before: int | None, state: DatabaseState
) -> Callable[[], DatabaseState]:
    """Reads the server's counters now; what it gives reads them again, and is the state after the window."""
    before = client.statements()

    def after_window() -> DatabaseState:
        after = client.statements()
        return msgspec.structs.replace(
            state,
            rows_at_window_start=rows_before,
            rows_at_window_end=stack.count_rows(),
            statements={kind: after[kind] - before.get(kind, 0) for kind in after},
            plans=client.plans() if stack.data else {},
            schema=client.schema_digest(),
        )

    return after_window


def java_of(stack: Stack) -> Java:
    """The JVM that runs, as it says itself and as the kernel has it."""
    service = stack.services["app"]
    log = service.log()
    # Quarkus' class loader closes jars again: then what it was given is known, not what it had open.
    open_now = open_jars([service.pid])
    drivers = [f"{stack.catalog.file.driver[name].jar}-" for name in stack.cell.drivers]
    known = all(any(driver in jar for jar in open_now) for driver in drivers)
    archive = stack.archive

    def planned(text: str) -> str:  # where a run keeps its start-up archive changes no number
        return text.replace(str(archive), archive.name) if archive else text

    return Java(
        version=java.version(log),
        vendor=java.vendor(log),
        flags={name: planned(value) for name, value in java.flags(log).items()},
        command=kept(map(planned, command_line(service.pid)), stack.catalog.root),
        class_path=tuple(open_now) if open_now and known else stack.engine.class_path(stack.cell),
        class_path_source="open files" if open_now and known else "artifact",
        picked_up=java.picked_up(log),
        thread_clock=thread_clock(),
    )


def _recorded(stack: Stack, results: k6.Results) -> recording.Recorded | None:
    """The window in the JVM's own recording, once all of it is on disk: it is written each second."""
    if not stack.catalog.file.jvm.recording:
        return None
    until = time.monotonic() + RECORDING_PATIENCE
    while time.monotonic() < until:
        if recording.reached(stack.folder) >= results.end and (
            found := recording.read(stack.folder, results.start, results.end)
        ):
            return found  # None where it was being written just then
        time.sleep(POLL)
    return None


def _provenance(stack: Stack, planned: PlannedRun, jvm: Java | None) -> Provenance:
    engine, layout = stack.engine, stack.layout
    commit, dirty = machine.commit(stack.catalog.home)
    return Provenance(
        telar=telar.__version__,
        commit=commit,
        dirty=dirty,
        artifact=engine.artifact(stack.cell),
        java=jvm,
        database=stack.product,
        generator=_generator(stack, planned),
        machine=machine.machine(engine.engine_version()),
        cpus={
            "app": layout.app_cpus,
            "database": layout.database_cpus,
            "generator": layout.generator_cpus,
            **{own.name: layout.database_cpus for own in stack.beside},
        },
        beside={own.name: engine.artifact(own.cell) for own in stack.beside},
        app_memory=stack.memory if engine.limits_memory else "",
        limits=stack.limits,
        images=stack.images,
    )


def _generator(stack: Stack, planned: PlannedRun) -> Generator:
    workloads = stack.catalog.workloads
    assert planned.warmup
    own, warming = workloads[stack.cell.workload], workloads[planned.warmup.workload]
    digest = script_digest(stack.catalog, own, warming)
    return Generator(version=stack.engine.generator_version(), script_digest=digest)

"""The life of one run: fresh database, app, contract, warm-up, window, everything down, record.

Two stacks that live at once are two of these, with several windows each (run/pair.py).
"""

from __future__ import annotations

import contextlib
import shutil
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

import telar
from telar.analyse.schedule import quantile
from telar.build import sources
from telar.catalog.types import Catalog, PortsFile, StageFile, Workload
from telar.collect import gclog, k6, metrics, recording
from telar.collect.host import Several, open_jars, process_start, thread_clock
from telar.collect.sampler import Sampler, Timeline
from telar.collect.seconds import by_second
from telar.databases import clients, types
from telar.databases.client import DatabaseClient
from telar.databases.types import Database
from telar.errors import EnvironmentProblem, Interrupted, RunError, TelarError
from telar.gates import judge, validity
from telar.plan.cells import Plan, PlannedRun
from telar.run import generators, java, limits, machine, probe, quiet, ruler, warmup
from telar.run.clock import Clock
from telar.run.engine import AppLaunch, Engine, LoadLaunch, Service
from telar.run.load import COLLECTING, guest_script, plan_for, scheduled, script_digest, stages_of
from telar.run.room import require_room
from telar.store.record import (
    FORMAT,
    DatabaseState,
    Failure,
    Generator,
    Java,
    Limits,
    Load,
    Phase,
    Planned,
    Product,
    Provenance,
    Record,
    Ruler,
    Series,
    Stage,
    Stop,
    Superseded,
    Warmup,
)

LOG_LINES = 40
POLL = 0.2
DATABASE_READY = 60.0  # seconds from the server's start
# Beyond its schedule: k6's own setup may take 300 s, and the last requests half a minute.
LOAD_PATIENCE = 360.0
RECORDING_PATIENCE = 5.0  # seconds for a window's end to be on disk
TOGETHER = 15.0  # seconds that several generators have for their setups, to begin at one moment


class CellRun:
    """A cell's services, and what is measured on them.

    `execute` is one run from nothing to nothing. `begin`, then `window` as often as needed, then `close`
    measures several times on the same warm services. Each gives a record, whatever happens short of an
    interruption. `supersede` keeps the record of a window that is measured again. `shift` is added to every
    port, for a second stack beside the first.
    """

    def __init__(
        self,
        catalog: Catalog,
        engine: Engine,
        plan: Plan,
        planned: PlannedRun,
        *,
        session: str,
        folder: Path,
        progress: Callable[[str], None],
        supersede: Callable[[PlannedRun, Record], None],
        shift: int = 0,
    ) -> None:
        self._catalog = catalog = sources.catalog_for(catalog, planned.cell).of(planned.cell.system)
        self._engine, self._plan, self._planned = engine, plan, planned
        self._cell = planned.cell
        self._variant = catalog.variants[self._cell.label]
        self._guest = self._variant.app.guest
        self._system = catalog.systems.get(self._variant.app.file.system)
        self._data = self._system.data if self._system else None
        served = self._variant.app.database
        self._database = _shifted(types.load(catalog.databases[served]), shift) if served else None
        own = catalog.file.ports
        apart = self._guest is None or self._guest.has_metrics_port
        self._ports = PortsFile(app=own.app + shift, metrics=(own.metrics if apart else own.app) + shift)
        self._layout = catalog.file.layout[self._cell.layout]
        self._session, self._folder, self._progress = session, folder, progress
        self._run_id = _new_id()
        self._phases: list[Phase] = []
        self._services: dict[str, Service] = {}
        self._sampler = Sampler()
        self._client: DatabaseClient | None = None
        self._fields: dict[str, object] = {}  # of the record, as they become known
        self._up_phases: tuple[Phase, ...] = ()  # what every window on the same services begins with
        self._up_fields: dict[str, object] = {}
        self._started = (0.0, 0.0, 0.0)
        self._product: Product | None = None
        self._java: Java | None = None
        self._limits: dict[str, Limits] = {}
        self._images: dict[str, str] = {}
        self._telemetry: tuple[str, ...] = ()  # k6's arguments for the metrics servers
        self._clock = Clock()
        self._supersede = supersede
        self._superseded: list[Superseded] = []  # windows before the one that counts
        self._waited = 0.0  # seconds of pauses before them

    def execute(self) -> Record:
        try:
            record = self._attempt(self._up, self._window) or self._settled(self._record())
            return record if record.stopped else self._attempt(self._down) or self._record()
        finally:
            self.close()

    def begin(self) -> Record | None:
        """Brings everything up and warms it; the record of what stopped that, if anything did."""
        return self._attempt(self._up)

    def window(self, planned: PlannedRun) -> Record:
        """Measures on the services that `begin` brought up; again, when what spoilt a window may be over."""
        self._planned, self._superseded, self._waited = planned, [], 0.0
        return self._settled(self._once())

    def _once(self, *, wait: bool = False) -> Record:
        self._run_id = _new_id()
        self._phases = list(self._up_phases)
        self._fields = {**self._up_fields, "superseded": tuple(self._superseded)}
        steps = [self._watch, self._sit_out, self._window] if wait else [self._watch, self._window]
        return self._attempt(*steps) or self._record()

    def _sit_out(self) -> None:
        """Lets pass what disturbs the machine, as long as a window may wait; the services stay up, warm and
        idle.
        """
        rules, limit = self._catalog.file.again, self._catalog.file.gate.foreign.stolen_per_30
        with self._phase("pause"):
            while self._waited < rules.patience:
                started = time.monotonic()
                while time.monotonic() - started < rules.wait:
                    self._check_alive("database", "app")
                    time.sleep(POLL)
                calm = quiet.stolen_per_30() <= limit
                self._waited += time.monotonic() - started
                if calm:
                    break

    def _settled(self, record: Record) -> Record:
        """The window that counts: this one, or the last of those that it is measured again."""
        while len(self._superseded) < self._catalog.file.again.times and self._passes(record):
            failed = tuple(g.name for g in record.gates if g.verdict == "fail")
            self._supersede(self._planned, record)
            self._superseded.append(Superseded(run_id=record.run_id, gates=failed))
            record = self._once(wait="foreign" in failed)
        return record

    def _passes(self, record: Record) -> bool:
        """Whether all that was wrong with a window may be over in the next."""
        rules, failed = self._catalog.file.again, {g.name for g in record.gates if g.verdict == "fail"}
        steady = record.warmup is not None and record.warmup.steady is True
        # What is left to compile after a number of requests, the windows do.
        settled = steady or self._planned.warmup.requests is not None
        if "warm" in failed and not settled:
            return False
        passing = rules.paired if self._planned.pair else rules.gates
        return not failed.isdisjoint(passing) and failed <= {*rules.gates, *rules.beside}

    def _attempt(self, *steps: Callable[[], None]) -> Record | None:
        """The record of what stopped one of these steps, if anything did."""
        try:
            for step in steps:
                step()
        except Exception as error:
            cause = self._cause(error)
            if isinstance(cause, Interrupted | EnvironmentProblem):
                raise cause from error  # says nothing about the cell: it is still to be run
            if not isinstance(cause, TelarError):
                raise  # a fault of Telar's own
            self._fields["stopped"] = self._stop_of(cause)
            return self._record()
        return None

    def _record(self) -> Record:
        record = Record(
            format=FORMAT,
            run_id=self._run_id,
            session=self._session,
            suite=self._plan.suite,
            position=self._planned.position,
            repetition=self._planned.repetition,
            pair=self._planned.pair,
            cell=self._cell,
            started=self._clock.started,
            finished=time.time(),
            outcome="failed" if "stopped" in self._fields else "completed",
            provenance=self._provenance(),
            timeline=tuple(self._phases),
            planned=Planned(
                seed=self._plan.seed,
                warmup_workload=self._planned.warmup.workload,
                warmup_rate=self._planned.warmup.rate,
                warmup_seconds=self._planned.warmup.seconds,
                warmup_requests=self._planned.warmup.requests,
            ),
            **self._fields,  # type: ignore[arg-type]
        )
        gates = judge(record, self._catalog)
        return msgspec.structs.replace(record, gates=gates, validity=validity(gates))

    def _up(self) -> None:
        self._folder.mkdir(parents=True)
        if self._database:
            with self._phase("database"):
                self._start_database(self._database)
        with self._phase("start"):
            self._started = self._start_app()
        if self._system:
            with self._phase("contract"):
                probe.check_contract(self._base, self._system)
        observers = self._engine.observers()
        if observers:
            self._sampler.add("telemetry", Several(observers))
        self._sampler.start()
        with self._phase("warm-up"):
            self._warm_up()
        self._up_phases, self._up_fields = tuple(self._phases), dict(self._fields)

    def _window(self) -> None:
        workload, client = self._catalog.workloads[self._cell.workload], self._client
        with self._phase("reset"):
            rows_before = self._reset(client) if client and self._data else None
            statements = client.statements() if client else {}
            before = ruler.measure()
        with self._phase("window"):
            results = self._measure(workload)
        with self._phase("collect"):
            self._fields["ruler"] = Ruler(work=ruler.work(), before=before, after=ruler.measure())
            self._java = self._read_java()
            state = self._state(client, rows_before, statements) if client else None
            self._require_sound()
            self._keep(workload, results, state)

    def _down(self) -> None:
        with self._phase("stop"):
            self.close()

    # ---- phases

    def _start_database(self, database: Database) -> None:
        self._engine.fresh_database(database, self._variant.app.file.system, self._folder)
        service = self._engine.start_database(database, self._folder, self._layout.database_cpus)
        self._add("database", service)
        client = clients.client(database.file.protocol, "127.0.0.1", database.file.port, self._data)
        self._client = client
        self._wait_for_database(client)
        product = client.product()
        self._product = Product(
            name=product.name,
            version=product.version,
            settings=client.settings(),
            command=_command_line(service.pid),
        )
        self._fields["database"] = DatabaseState(rows_seeded=self._data.file.rows if self._data else 0)

    def _wait_for_database(self, client: DatabaseClient) -> None:
        """Returns once it answers; for one that has ended nobody waits."""
        until = time.monotonic() + DATABASE_READY
        while True:
            try:
                client.wait_ready(timeout=1)
            except RunError:
                self._check_alive("database")
                if time.monotonic() > until:
                    raise
            else:
                return

    def _watch(self) -> None:
        """Tells the metrics servers, where there are any, which run it is now."""
        self._telemetry = self._engine.telemetry(self._cell, self._run_id, self._ports.metrics)

    def _start_app(self) -> tuple[float, float, float]:
        """When the process started, was ready, and gave its first answer."""
        file = self._variant.app.file
        self._watch()
        recording.prepare(self._folder)
        service = self._engine.start_app(self._app_launch())
        self._add("app", service)
        started = process_start(service.pid)
        ready = probe.wait_ready(self._metrics_base + file.http.ready, self._check_alive)
        first = probe.first_response(self._base, *self._first_path)
        if file.http.metrics:
            if self._guest:
                probe.require_metrics(self._metrics_base, file.http.metrics)
            self._sampler.scrape(self._metrics_base + file.http.metrics)
        return started, ready, first

    @property
    def _first_path(self) -> tuple[str, str]:
        """Whose first 200 ends the start, and the file that says so."""
        if self._guest:
            return self._guest.first, str(self._guest.file)
        if self._system:
            return self._system.file.http.first, str(self._system.folder / "system.toml")
        return self._variant.app.file.http.ready, str(self._variant.app.folder / "variant.toml")

    def _app_launch(self) -> AppLaunch:
        return AppLaunch(
            cell=self._cell,
            folder=self._folder,
            environment=java.environment(
                self._variant,
                http_port=self._ports.app,
                metrics_port=self._ports.metrics,
                database_port=self._database_port,
            ),
            arguments=lambda jar: java.arguments(
                self._catalog, self._variant, self._cell.flags, self._folder, jar
            ),
            start_jar=self._variant.app.file.build.start,
            cpus=self._layout.app_cpus,
            memory=self._layout.app_memory,
        )

    def _warm_up(self) -> None:
        plan, planned = self._plan, self._planned.warmup
        workload = self._catalog.workloads[planned.workload]
        if planned.seconds is None:
            self._fields["warmup"] = self._warm_until_steady(workload)
            return
        stage = msgspec.structs.replace(
            workload.file.stage[0],
            name="warm-up",
            from_=planned.rate,
            to=planned.rate,
            duration=planned.seconds,
        )
        # Another seed than the window's: the window's own sequence is new to the service.
        self._load(workload, "warm-up", plan.seed + 1, (stage,))
        self._fields["warmup"] = Warmup(
            requests=planned.rate * planned.seconds, seconds=planned.seconds, steady=None
        )

    def _warm_until_steady(self, workload: Workload) -> Warmup:
        rules, enough = self._catalog.file.steady, self._planned.warmup.requests
        plan = warmup.cycles_plan(workload, rules, self._planned.warmup.rate, self._plan.seed + 1)
        service = self._start_load(workload, "warm-up", [plan], raw=True)
        results = self._folder / "warm-up.csv"
        seen = warmup.until_steady(
            rules,
            results,
            self._read,
            lambda seconds: self._pass(service, seconds),
            enough=enough,
        )
        if service.ended() is not None:  # at the ceiling, or too early
            self._require_ended_well(service, "warm-up")
        service.stop()
        del self._services["generator"]
        results.unlink(missing_ok=True)
        return self._rehearse(seen) if seen.steady else seen

    def _rehearse(self, seen: Warmup) -> Warmup:
        """The window's own load until the compilers have nothing new to do in it, or often enough."""
        rules, workload = self._catalog.file.steady, self._catalog.workloads[self._cell.workload]
        stages = warmup.beginning(workload, rules.rehearsal)
        for n in range(1, rules.rehearsals + 1):
            self._load(workload, "rehearsal", self._plan.seed + 1 + n, stages, raw=True, touch=True)
            seen = warmup.rehearsed(seen, self._results("rehearsal"), self._read(), rules)
            if seen.steady:
                break
        return seen

    def _read(self) -> Timeline:
        """What the sampler has seen, this moment included."""
        self._sampler.sample()
        return self._sampler.timeline()

    def _pass(self, service: Service, seconds: float) -> bool:
        """Lets time pass while k6 runs, watching that nothing dies under it; false once k6 has ended."""
        until = time.monotonic() + seconds
        while service.ended() is None:
            self._check_alive("database", "app")
            if time.monotonic() >= until:
                return True
            time.sleep(min(POLL, max(0.0, until - time.monotonic())))
        return False

    def _reset(self, client: DatabaseClient) -> int:
        """The window begins with the rows of the seed, whatever warmed up; how many there are."""
        client.delete_created()
        return client.count()

    def _measure(self, workload: Workload) -> k6.Results:
        seed = self._plan.seed + self._planned.repetition * 1000
        self._load(workload, "window", seed, workload.file.stage, *self._telemetry, raw=True, touch=True)
        self._sampler.sample()  # the last one, after the window's end
        self._require_sound()
        return self._results("window", stages_of(workload))

    def _results(self, name: str, stages: Sequence[Stage] = ()) -> k6.Results:
        """`stages`: for latencies from the due time."""
        raw = [self._folder / f"{part}.csv" for part in self._parts(name)]
        results = k6.read(*raw, stages=stages, thinking=self._guest is not None)
        for path in raw:
            path.unlink()
        return results

    def _parts(self, name: str) -> list[str]:
        """The names of a load's generators."""
        return [name, *(f"{name}-{n}" for n in range(2, self._layout.generators + 1))]

    def _load(
        self,
        workload: Workload,
        name: str,
        seed: int,
        stages: tuple[StageFile, ...],
        *output: str,
        raw: bool = False,
        touch: bool = False,
    ) -> None:
        """Runs k6 to its end, watching that nothing dies under it; `touch`: each VU's connection is opened
        first.
        """
        count = self._layout.generators
        begin = time.time() + TOGETHER if count > 1 else None
        plan = plan_for(workload, seed, stages, begin=begin, touch=touch)
        service = self._start_load(workload, name, [plan] * count, *output, raw=raw)
        self._pass(service, POLL)
        self._limits = {n: known for n, s in self._services.items() if (known := limits.limits(s.pid))}
        if self._pass(service, sum(stage.duration for stage in stages) + LOAD_PATIENCE):
            raise RunError(f"k6 still ran {LOAD_PATIENCE:g} s after its schedule's end in the {name}")
        self._require_ended_well(service, name)
        service.stop()
        del self._services["generator"]

    def _start_load(
        self, workload: Workload, name: str, plans: Sequence[bytes], *output: str, raw: bool = False
    ) -> Service:
        """A generator for each plan, which share the arrivals; `raw`: with results in a file of each."""
        script = workload.folder / workload.file.script
        if self._guest:
            script = guest_script(self._catalog, workload, self._folder, self._guest.first)
        started: list[Service] = []
        try:
            for part, plan, segment in zip(
                self._parts(name), plans, generators.segments(len(plans)), strict=False
            ):
                results = ("--out", f"csv={self._folder / f'{part}.csv'}") if raw else ()
                started.append(self._start_part(script, part, plan, (*results, *output, *segment)))
        except BaseException:
            for service in started:
                service.stop()
            raise
        service = started[0] if len(started) == 1 else generators.Together(started)
        self._add("generator", service)
        return service

    def _start_part(self, script: Path, part: str, plan: bytes, arguments: tuple[str, ...]) -> Service:
        plan_file = self._folder / f"{part}.plan.json"
        plan_file.write_bytes(plan)
        return self._engine.start_load(
            LoadLaunch(
                folder=self._folder,
                name=part,
                script=script,
                environment={
                    "TELAR_BASE_URL": self._target,
                    "TELAR_PLAN": str(plan_file),
                    "TELAR_SUMMARY": str(self._folder / f"{part}.summary.json"),
                    "K6_CSV_TIME_FORMAT": "unix_micro",
                    **COLLECTING,
                },
                arguments=("run", "--quiet", "--no-usage-report", "--address", "", *arguments),
                cpus=self._layout.generator_cpus,
            )
        )

    def _require_ended_well(self, service: Service, name: str) -> None:
        self._check_alive("database", "app")  # k6 may only have been the first to notice
        code = service.ended()
        if code != 0:
            if self._client:
                self._client.product()  # one that hangs says so itself, and explains k6's end
            raise RunError(
                f"k6 {service.how_ended()} in the {name}",
                hint="its last lines are in the record",
            )

    # ---- what is kept

    def _keep(
        self,
        workload: Workload,
        results: k6.Results,
        state: DatabaseState | None,
    ) -> None:
        timeline, stages = self._sampler.timeline(), stages_of(workload)
        recorded = self._recorded(results)
        latencies = metrics.latencies(results)
        started, ready, first = self._started
        self._fields |= {
            "load": _load_of(workload, results, stages, self._plan.seed + self._planned.repetition * 1000),
            "latencies": latencies,
            "failures": _failures_of(results),
            "metrics": metrics.compute(
                self._catalog,
                metrics.Observed(
                    results=results,
                    timeline=timeline,
                    log=gclog.read(self._folder / java.GC_LOG),
                    recorded=recorded,
                    latencies=latencies,
                    stages=stages,
                    started=started,
                    ready=ready,
                    first_response=first,
                    warmup=self._fields["warmup"],  # type: ignore[arg-type]
                    ruler=self._fields["ruler"],  # type: ignore[arg-type]
                ),
            ),
            "pins": recording.places(recorded.pins) if recorded else (),
            "series": _series_of(timeline, results, stages),
            "telemetry_gaps": {"app": timeline.gap(results.start, results.end)}
            if self._variant.app.file.http.metrics
            else {},
            "database": state,
        }

    def _recorded(self, results: k6.Results) -> recording.Recorded | None:
        """The window in the JVM's own recording, once all of it is on disk: it is written each second."""
        if not self._catalog.file.jvm.recording:
            return None
        until = time.monotonic() + RECORDING_PATIENCE
        while time.monotonic() < until:
            if recording.reached(self._folder) >= results.end and (
                found := recording.read(self._folder, results.start, results.end)
            ):
                return found  # None where it was being written just then
            time.sleep(POLL)
        return None

    def _state(
        self, client: DatabaseClient, rows_before: int | None, statements: dict[str, int]
    ) -> DatabaseState:
        after = client.statements()
        seeded = self._fields["database"]
        assert isinstance(seeded, DatabaseState)
        return msgspec.structs.replace(
            seeded,
            rows_at_window_start=rows_before,
            rows_at_window_end=client.count() if self._data else None,
            statements={kind: after[kind] - statements.get(kind, 0) for kind in after},
            plans=client.plans() if self._data else {},
        )

    def _read_java(self) -> Java:
        service = self._services["app"]
        log = service.log()
        # Quarkus' class loader closes jars again: then what it was given is known, not what it had open.
        open_now = open_jars([service.pid])
        drivers = [f"{self._catalog.file.driver[name].jar}-" for name in self._cell.drivers]
        known = all(any(driver in jar for jar in open_now) for driver in drivers)
        return Java(
            version=java.version(log),
            vendor=java.vendor(log),
            flags=java.flags(log),
            command=_command_line(service.pid),
            class_path=tuple(open_now) if open_now and known else self._engine.class_path(self._cell),
            class_path_source="open files" if open_now and known else "artifact",
            picked_up=java.picked_up(log),
            thread_clock=thread_clock(),
        )

    def _provenance(self) -> Provenance:
        commit, dirty = machine.commit(self._catalog.home)
        return Provenance(
            telar=telar.__version__,
            commit=commit,
            dirty=dirty,
            artifact=self._engine.artifact(self._cell),
            java=self._java,
            database=self._product,
            generator=self._generator(),
            machine=machine.machine(self._engine.engine_version()),
            cpus={
                "app": self._layout.app_cpus,
                "database": self._layout.database_cpus,
                "generator": self._layout.generator_cpus,
            },
            app_memory=self._layout.app_memory if self._engine.limits_memory else "",
            limits=self._limits,
            images=self._images,
        )

    def _generator(self) -> Generator:
        window, warmup = (
            self._catalog.workloads[n] for n in (self._cell.workload, self._planned.warmup.workload)
        )
        digest = script_digest(self._catalog, window, warmup)
        return Generator(version=self._engine.generator_version(), script_digest=digest)

    # ---- services

    def _add(self, name: str, service: Service) -> None:
        self._services[name] = service
        self._images |= {name: service.image} if service.image else {}
        machine.protect(service.pid)
        self._sampler.add(name, service.usage_of())

    def _check_alive(self, *names: str) -> None:
        for name, service in self._services.items():
            if name in (names or self._services) and service.ended() is not None:
                raise RunError(
                    f"the {name} of {self._variant.name} {service.how_ended()}",
                    hint="its last lines are in the record",
                )

    def _require_sound(self, error: Exception | None = None) -> None:
        """Raises what makes a run's numbers worthless, whether or not anything else has noticed."""
        require_room(self._folder, error)
        self._clock.require_unmoved()
        self._check_alive("database", "app")

    def _cause(self, error: Exception) -> Exception:
        """What stopped the run: that which explains the error, where it is known, else the error itself."""
        if isinstance(error, Interrupted | EnvironmentProblem):
            return error
        try:
            self._require_sound(error)
        except TelarError as cause:
            return cause
        return error

    def _stop_of(self, error: TelarError) -> Stop:
        phase = self._phases[-1].name if self._phases else "prepare"
        logs = {
            name: "\n".join(java.without_preamble(service.log()).splitlines()[-LOG_LINES:])
            for name, service in self._services.items()
        }
        return Stop(phase=phase, error=error.message, hint=error.hint, logs=logs)

    def close(self) -> None:
        """Everything down, in the order in which they depend on each other. May be repeated."""
        with contextlib.ExitStack() as last_first:  # whatever fails, the rest is done
            for left in self._folder.glob("*.csv"):
                last_first.callback(left.unlink)
            # A JVM removes its recording when it ends, unless it is killed.
            for left_folder in ("database", recording.FOLDER):
                last_first.callback(shutil.rmtree, self._folder / left_folder, ignore_errors=True)
            for name in ("database", "app", "generator"):
                service = self._services.pop(name, None)
                if service:
                    last_first.callback(service.stop)
            last_first.callback(self._close_client)
            last_first.callback(self._sampler.stop)

    def _close_client(self) -> None:
        if self._client:
            with contextlib.suppress(TelarError):  # its server may be what died
                self._client.close()
        self._client = None

    @contextlib.contextmanager
    def _phase(self, name: str) -> Iterator[None]:
        self._progress(name)
        start = time.time()
        try:
            yield
        finally:
            self._phases.append(Phase(name=name, start=start, end=time.time()))

    @property
    def _database_port(self) -> int | None:
        return self._database.file.port if self._database else None

    @property
    def _base(self) -> str:
        return f"http://127.0.0.1:{self._ports.app}"

    @property
    def _target(self) -> str:
        """Where the load is sent."""
        return self._base

    @property
    def _metrics_base(self) -> str:
        return f"http://127.0.0.1:{self._ports.metrics}"


def _load_of(workload: Workload, results: k6.Results, stages: tuple[Stage, ...], seed: int) -> Load:
    return Load(
        scheduled=scheduled(workload),
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


def _failures_of(results: k6.Results) -> tuple[Failure, ...]:
    return tuple(
        Failure(endpoint=endpoint, stage=stage, side=side, kind=kind, count=n)  # type: ignore[arg-type]
        for (endpoint, stage, side, kind), n in sorted(results.failures.items())
    )


def _series_of(timeline: Timeline, results: k6.Results, stages: tuple[Stage, ...]) -> Series:
    start, values = timeline.series(results.start, results.end)
    return Series(start=start, step=1.0, values={**values, **by_second(results, stages)})


def _shifted(database: Database, by: int) -> Database:
    file = msgspec.structs.replace(database.file, port=database.file.port + by)
    return msgspec.structs.replace(database, file=file)


def _new_id() -> str:
    return uuid.uuid4().hex[:16]


def _command_line(pid: int) -> tuple[str, ...]:
    raw = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0")
    return tuple(part.decode(errors="replace") for part in raw.split(b"\0"))

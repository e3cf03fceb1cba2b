"""The life of a run that is one fresh JVM: a benchmark's fork, a program. Nothing is up around it."""

from __future__ import annotations

import abc
import contextlib
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ClassVar

import msgspec

import telar
from telar.build import maven, sources
from telar.catalog import jvm
from telar.catalog.system import Kind
from telar.catalog.types import Catalog
from telar.errors import EnvironmentProblem, Interrupted, TelarError
from telar.gates import judge, validity
from telar.plan.cells import Plan, PlannedRun
from telar.run import machine
from telar.run.commands import kept
from telar.run.ended import Watched
from telar.run.engine import Engine
from telar.run.http.hooks import Hooks
from telar.store.record import (
    FORMAT,
    Benchmark,
    Java,
    Metric,
    Phase,
    Planned,
    Program,
    Provenance,
    Record,
    Stop,
)
from telar.tools import components


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What a JVM left."""

    watched: Watched
    java: Java
    metrics: dict[str, Metric]
    benchmark: Benchmark | None = None
    program: Program | None = None


class FreshRun(abc.ABC):
    """A JVM for each record. A window of a comparison is a fresh one, too: `begin` and `close` have nothing
    to do.
    """

    kind: ClassVar[Kind]
    phase: ClassVar[str]  # the only one

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
        supersede: Callable[[PlannedRun, Record], None],  # noqa: ARG002 - none is measured again
        shift: int = 0,  # noqa: ARG002 - nothing listens on a port
        hooks: Hooks | None = None,  # noqa: ARG002 - nothing of it can be got at from outside
    ) -> None:
        self.catalog = sources.catalog_for(catalog, planned.cell).of(planned.cell.system)
        self.planned = planned
        self._engine, self._plan, self._session = engine, plan, session
        self._folder, self._progress = folder, progress
        self._phases: tuple[Phase, ...] = ()

    @abc.abstractmethod
    def measured(self, folder: Path) -> Found:
        """Runs the planned cell's JVM to its end, with its logs in a folder that isn't there yet. Raises
        RunError.
        """

    def execute(self) -> Record:
        """One run, from nothing to nothing."""
        return self.window(self.planned)

    def begin(self) -> Record | None:
        """Nothing that could fail."""
        return None

    def window(self, planned: PlannedRun) -> Record:
        """One run. What stopped it is in the record, unless it says nothing about the cell."""
        self.planned, self._phases = planned, ()
        started, found, stopped = time.time(), None, None
        try:
            with self._timed():
                found = self.measured(self._folder / f"{planned.position:03d}")
        except (Interrupted, EnvironmentProblem):
            raise  # the cell is still to be run
        except TelarError as error:
            stopped = Stop(phase=self.phase, error=error.message, hint=error.hint)
        record = self._record(started, found, stopped)
        gates = judge(record, self.catalog)
        return msgspec.structs.replace(record, gates=gates, validity=validity(gates))

    def close(self) -> None:  # noqa: B027 - no run of these has anything to close
        """Nothing outlives a run."""

    # ---- what every such JVM is started with

    @property
    def home(self) -> Path:
        """JAVA_HOME."""
        return components.set_up(jvm.runtime(self.catalog, self.planned.cell.jdk), lambda _: None).path

    @property
    def jar(self) -> Path:
        cell = self.planned.cell
        folder = maven.artifact_folder(self.catalog, maven.build_of(self.catalog, cell))
        return folder / self.catalog.variants[cell.label].app.file.build.start

    @property
    def flags(self) -> tuple[str, ...]:
        cell = self.planned.cell
        return jvm.options(self.catalog, self.catalog.variants[cell.label], cell.flags)

    @property
    def cpus(self) -> str:
        return self.catalog.file.layout[self.planned.cell.layout].app_cpus

    # ---- the record

    def _record(self, started: float, found: Found | None, stopped: Stop | None) -> Record:
        plan, planned = self._plan, self.planned
        return Record(
            format=FORMAT,
            run_id=uuid.uuid4().hex[:16],
            session=self._session,
            suite=plan.suite,
            position=planned.position,
            repetition=planned.repetition,
            pair=planned.pair,
            cell=planned.cell,
            started=started,
            finished=time.time(),
            outcome="failed" if stopped else "completed",
            provenance=self._provenance(found),
            timeline=self._phases,
            kind=self.kind,
            planned=Planned(seed=plan.seed),
            stopped=stopped,
            metrics=found.metrics if found else {},
            series=found.watched.series if found else None,
            ruler=found.watched.ruler if found else None,
            benchmark=found.benchmark if found else None,
            program=found.program if found else None,
        )

    def _provenance(self, found: Found | None) -> Provenance:
        commit, dirty = machine.commit(self.catalog.home)
        allowed = found.watched.limits if found else None
        jvm = found.java if found else None
        if jvm:
            jvm = msgspec.structs.replace(jvm, command=kept(jvm.command, self.catalog.root))
        return Provenance(
            telar=telar.__version__,
            commit=commit,
            dirty=dirty,
            artifact=self._engine.artifact(self.planned.cell),
            java=jvm,
            database=None,
            generator=None,
            machine=machine.machine(self._engine.engine_version()),
            cpus={"app": self.cpus},
            app_memory="",
            limits={"app": allowed} if allowed else {},
        )

    @contextlib.contextmanager
    def _timed(self) -> Iterator[None]:
        self._progress(self.phase)
        start = time.time()
        try:
            yield
        finally:
            self._phases = (*self._phases, Phase(name=self.phase, start=start, end=time.time()))

"""The life of one run: fresh database, app, contract, warm-up, window, everything down, record.

Two stacks that live at once are two of these, with several windows each (run/pair.py).
"""

from __future__ import annotations

import contextlib
import copy
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import msgspec

from telar.build import sources
from telar.catalog.types import Catalog
from telar.errors import EnvironmentProblem, Interrupted, TelarError
from telar.gates import judge, validity
from telar.plan.cells import Plan, PlannedRun
from telar.run import ruler
from telar.run.engine import Engine
from telar.run.http import again, evidence
from telar.run.http.driving import Driving
from telar.run.http.evidence import Evidence
from telar.run.http.hooks import Hooks
from telar.run.http.stack import Stack
from telar.store.record import Phase, Record, Ruler, Stop, Superseded

During: TypeAlias = contextlib.AbstractContextManager[object]


class CellRun:
    """A cell's services, and what is measured on them.

    `execute` is one run from nothing to nothing. `begin`, then `window` as often as needed, then `close`
    measures several times on the same warm services; between them `extra_window` measures without judging.
    Each gives a record, whatever happens short of an interruption. `supersede` keeps the record of a window
    that is measured again. `shift` is added to every port, for a second stack beside the first.
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
        hooks: Hooks | None = None,
    ) -> None:
        self._catalog = sources.catalog_for(catalog, planned.cell).of(planned.cell.system)
        self._hooks = hooks or Hooks()
        self.stack = Stack(self._catalog, engine, planned.cell, folder=folder, hooks=self._hooks, shift=shift)
        self._driving = Driving(self.stack, plan.seed)
        self._plan, self._planned = plan, planned
        self._session, self._progress, self._supersede = session, progress, supersede
        self._run_id = _new_id()
        self._found = Evidence()
        self._up_found = Evidence()  # what every window on the same services begins with

    def execute(self) -> Record:
        """From nothing to nothing."""
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
        self._planned = planned
        return self._settled(self._once())

    def extra_window(self, planned: PlannedRun, during: During | None = None) -> Record:
        """One more window on the warm services, measured once; `during` lasts as long as its load.

        No gate looks at its record, and no verdict has its metrics. So the machine's speed isn't measured
        beside it, and it has fewer users. The caller keeps it, or not.
        """
        self._planned = planned
        return msgspec.structs.replace(self._once(during=during, extra=True), gates=(), validity="invalid")

    def close(self) -> None:
        """Everything down. May be repeated."""
        self.stack.close()

    # ---- phases

    def _up(self) -> None:
        stack = self.stack
        stack.folder.mkdir(parents=True)
        if stack.database:
            with self._phase("database"):
                stack.start_database(stack.database)
                self._found.database = evidence.seeded(stack)
        for own in stack.beside:
            with self._phase("beside"):
                stack.start_beside(own)
        if stack.archive:
            with self._phase("archive"):
                stack.write_archive(stack.archive)
        with self._phase("start"):
            stack.start_app(self._run_id)
        if stack.system:
            with self._phase("contract"):
                self._driving.check_contract()
        if stack.guest and stack.database:  # it may have made its tables itself
            self._found.database = evidence.begun(stack)
        stack.start_sampling()
        with self._phase("warm-up"):
            warming = self._planned.warmup
            assert warming, "a service has a warm-up (catalog/load.py)"
            self._found.warmup = self._hooks.warm_up(stack, lambda: self._driving.warm_up(warming))
        self._up_found = copy.copy(self._found)

    def _window(self, during: During | None = None, *, extra: bool = False) -> None:
        stack, driving, client = self.stack, self._driving, self.stack.client
        warmup, database = self._found.warmup, self._found.database
        assert warmup, "a window comes after _up()"
        with self._phase("reset"):
            rows = self._hooks.reset(stack, client) if client else None
            state = evidence.counting(stack, client, rows, database) if client and database else None
            before = None if extra else ruler.measure()
        with self._phase("window"), during or contextlib.nullcontext():
            results = driving.window(self._planned.repetition, few=extra)
        with self._phase("collect"):
            if before is not None:
                self._found.ruler = Ruler(work=ruler.work(), before=before, after=ruler.measure())
            self._found.java = evidence.java_of(stack)
            counted = state() if state else None
            stack.require_sound()
            seed = driving.window_seed(self._planned.repetition)
            self._found.window = evidence.window(
                stack,
                results,
                warmup=warmup,
                ruler=self._found.ruler,
                seed=seed,
                database=counted,
                stages=driving.stages,
            )
            self._found.database = counted

    def _down(self) -> None:
        with self._phase("stop"):
            self.close()

    # ---- windows on the same services

    def _settled(self, record: Record) -> Record:
        patience = again.Patience(self._catalog.file.again, self._catalog.file.gate.foreign.stolen_per_30)
        return again.settled(
            record,
            self._planned,
            self._catalog.file.again,
            measure=lambda superseded, *, wait: self._once(superseded, patience=patience if wait else None),
            supersede=self._supersede,
            judged=self._hooks.judged,
        )

    def _once(
        self,
        superseded: tuple[Superseded, ...] = (),
        *,
        patience: again.Patience | None = None,
        during: During | None = None,
        extra: bool = False,
    ) -> Record:
        self._run_id, jvm = _new_id(), self._found.java
        self._found = copy.copy(self._up_found)
        self._found.java, self._found.superseded = jvm, superseded

        def wait() -> None:
            if patience:
                with self._phase("pause"):
                    patience.sit_out(lambda: self.stack.check_alive("database", "app"))

        steps = (lambda: self.stack.watch(self._run_id), wait, lambda: self._window(during, extra=extra))
        return self._attempt(*steps) or self._record()

    # ---- what is known, and what stopped it

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
            self._found.stopped = self._stop_of(cause)
            return self._record()
        return None

    def _record(self) -> Record:
        record = evidence.record_of(
            self._found, self.stack, self._plan, self._planned, run_id=self._run_id, session=self._session
        )
        gates = judge(record, self._catalog)
        return msgspec.structs.replace(record, gates=gates, validity=validity(gates))

    def _cause(self, error: Exception) -> Exception:
        """What stopped the run: that which explains the error, where it is known, else the error itself."""
        if isinstance(error, Interrupted | EnvironmentProblem):
            return error
        try:
            self.stack.require_sound(error)
        except TelarError as cause:
            return cause
        return error

    def _stop_of(self, error: TelarError) -> Stop:
        phase = self._found.phases[-1].name if self._found.phases else "prepare"
        return Stop(phase=phase, error=error.message, hint=error.hint, logs=self.stack.last_lines())

    @contextlib.contextmanager
    def _phase(self, name: str) -> Iterator[None]:
        self._progress(name)
        start = time.time()
        try:
            yield
        finally:
            done = Phase(name=name, start=start, end=time.time())
            self._found.phases = (*self._found.phases, done)


def _new_id() -> str:
    return uuid.uuid4().hex[:16]

"""Windows that are measured once more: what spoilt them may be over."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from telar.catalog.settings import AgainFile
from telar.plan.cells import PlannedRun
from telar.run import quiet
from telar.store.record import Record, Superseded

POLL = 0.2


class Measure(Protocol):
    def __call__(self, superseded: tuple[Superseded, ...], *, wait: bool) -> Record:
        """One more window after these; `wait`: once the machine is calm."""


def settled(
    record: Record,
    planned: PlannedRun,
    rules: AgainFile,
    *,
    measure: Measure,
    supersede: Callable[[PlannedRun, Record], None],
    judged: Callable[[Record], Record] = lambda record: record,
) -> Record:
    """The window that counts: this one, or the last of those that it is measured again.

    `supersede(planned, record)` keeps what doesn't count; `judged` gives the record by which that is decided.
    """
    superseded: tuple[Superseded, ...] = ()
    while len(superseded) < rules.times and passes(judged(record), planned, rules):
        failed = failed_gates(record)
        supersede(planned, record)
        superseded = (*superseded, Superseded(run_id=record.run_id, gates=failed))
        record = measure(superseded, wait="foreign" in failed)
    return record


def passes(record: Record, planned: PlannedRun, rules: AgainFile) -> bool:
    """Whether all that was wrong with a window may be over in the next."""
    failed = set(failed_gates(record))
    steady = record.warmup is not None and record.warmup.steady is True
    counted = planned.warmup is not None and planned.warmup.requests is not None
    settles = steady or counted  # what is left to compile, the windows do
    if "warm" in failed and not settles:
        return False
    passing = rules.paired if planned.pair else rules.gates
    return not failed.isdisjoint(passing) and failed <= {*rules.gates, *rules.beside}


class Patience:
    """How long the windows of one run may wait, all their pauses together."""

    def __init__(self, rules: AgainFile, stolen_per_30: float) -> None:
        self._rules, self._limit, self._waited = rules, stolen_per_30, 0.0

    def sit_out(self, check_alive: Callable[[], None]) -> None:
        """Lets pass what disturbs the machine, as long as there is patience; the services stay up, warm and
        idle. `check_alive` raises when one of them has died.
        """
        while self._waited < self._rules.patience:
            started = time.monotonic()
            while time.monotonic() - started < self._rules.wait:
                check_alive()
                time.sleep(POLL)
            calm = quiet.stolen_per_30() <= self._limit
            self._waited += time.monotonic() - started
            if calm:
                break


def failed_gates(record: Record) -> tuple[str, ...]:
    return tuple(g.name for g in record.gates if g.verdict == "fail")

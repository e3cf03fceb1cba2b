"""Runs the faults, one after the other, and says what their gates said."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from telar.catalog.suite import WarmupFile
from telar.catalog.types import Catalog
from telar.errors import EnvironmentProblem
from telar.gates.arms import comparable
from telar.plan.cells import Plan, PlannedRun, Wishes, make_plan, rewarmed
from telar.publish import document
from telar.run.engine import Engine
from telar.run.http.cell import CellRun
from telar.run.http.hooks import Hooks
from telar.sabotage.faults import Fault, sabotage_of, short
from telar.store.files import Session, read_record
from telar.store.record import Gate, Record
from telar.tools import shell

WARM_UP = 4  # seconds, of the faults: only the clean run is warmed up as one that is measured
CLEAN_RATE, CLEAN_REQUESTS = 2000, 60_000  # as suite.pull-request
BEGIN, END = "<!-- sabotage: begin -->", "<!-- sabotage: end -->"  # of the table, in a document
Say = Callable[[str], None]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """What a fault came to. `gate` None: the run did not get as far as a verdict."""

    fault: str
    expected: str
    story: str
    gate: Gate | None
    others: tuple[str, ...]  # that failed too
    stopped: str = ""

    @property
    def fired(self) -> bool:
        return self.gate is not None and self.gate.verdict == "fail"


class Saboteur:
    """Holds what the faults' runs share."""

    def __init__(self, catalog: Catalog, engine: Engine, session: Session, say: Say) -> None:
        self._catalog, self._engine, self._session, self._say = short(catalog), engine, session, say

    def prepare(self) -> None:
        self._engine.prepare([r.cell for r in self._session.plan.runs], self._say)

    def clean(self, *, again: bool = False) -> Record:
        """The run with nothing broken, warmed up as a pull request's. It may be made twice."""
        plan = rewarmed(self._session.plan, rate=CLEAN_RATE, seconds=None, requests=CLEAN_REQUESTS)
        return self._run(Hooks(), self._catalog, plan, plan.runs[-1 if again else 0])

    def outcome(self, fault: Fault, position: int, clean: Record | None) -> Outcome:
        plan = rewarmed(self._session.plan, rate=fault.rate)
        planned = plan.runs[position]
        catalog = fault.change(self._catalog)
        if fault.ports:
            record = self._in_a_network_of_its_own(fault)
        else:
            record = self._run(fault.hooks(), catalog, plan, planned)
        gates = record.gates
        if fault.compared:
            if clean is None:
                raise EnvironmentProblem("this fault is compared with the clean run, which was left out")
            gates = comparable([clean], [record], catalog)
        found = next((g for g in gates if g.name == fault.gate), None)
        failed = tuple(g.name for g in gates if g.verdict == "fail" and g.name != fault.gate)
        return Outcome(
            fault=fault.name,
            expected=fault.gate,
            story=fault.story,
            gate=found,
            others=failed,
            stopped=record.stopped.error if record.stopped else "",
        )

    def alone_in_its_network(self, fault: Fault) -> Record:
        """The run itself, in a process that was started by `_in_a_network_of_its_own`."""
        return self._run(
            fault.hooks(), fault.change(self._catalog), self._session.plan, self._session.plan.runs[1]
        )

    def _in_a_network_of_its_own(self, fault: Fault) -> Record:
        """Its local ports are few there, and nobody else's are."""
        inner = self._session.folder / f"{fault.name}-network"
        command = f'ip link set lo up && sysctl -qw net.ipv4.ip_local_port_range="{fault.ports}" && exec "$@"'
        telar = [sys.executable, "-m", "telar", "sabotage", "--only", fault.name, "--data", str(inner)]
        try:
            shell.run(
                ["unshare", "--net", "sh", "-c", command, "sh", *telar, "--inside"],
                env={"TELAR_ROOT": str(self._catalog.root)},
                log=self._session.folder / f"{fault.name}-network.log",
                timeout=300,
            )
        except shell.CommandError as error:
            raise EnvironmentProblem(
                f"{fault.name}: no network of its own: {error.message}", hint="this fault needs root"
            ) from error
        (path,) = inner.glob("*/records/*.json")
        return read_record(path)

    def _run(self, hooks: Hooks, catalog: Catalog, plan: Plan, planned: PlannedRun) -> Record:
        record = CellRun(
            catalog,
            self._engine,
            plan,
            planned,
            session=self._session.id,
            folder=self._session.log_folder(planned.name),
            progress=lambda _: None,
            supersede=self._session.supersede,
            hooks=hooks,
        ).execute()
        self._session.add(planned.name, record)
        return record


def plan_for(catalog: Catalog, faults: Sequence[Fault]) -> Plan:
    """A clean run, one for each fault, and a clean one to spare."""
    own = sabotage_of(catalog)
    cells = {
        cell.variant: cell
        for cell in (
            r.cell
            for r in make_plan(
                catalog,
                Wishes(
                    suite="tour",
                    engine="embedded",
                    only=(own.variant, own.documents),
                    workload=own.workload,
                ),
            ).runs
        )
    }
    warmup = WarmupFile(workload=own.workload, rate=100, seconds=WARM_UP)
    broken = (own.documents if fault.documents else own.variant for fault in faults)
    variants = [own.variant, *broken, own.variant]
    return Plan(
        suite="sabotage",
        seed=1,
        runs=tuple(
            PlannedRun(position=n, repetition=1, cell=cells[variant], warmup=warmup)
            for n, variant in enumerate(variants, start=1)
        ),
    )


def table(outcomes: Sequence[Outcome]) -> str:
    """Markdown, for docs/gates.md."""
    lines = ["| gate | fault | what it said | other gates |", "| --- | --- | --- | --- |"]
    for o in outcomes:
        said = f"{o.gate.verdict}: {o.gate.observed}" if o.gate else f"no verdict: {o.stopped}"
        cells = [f"**{o.expected}**", o.story, said, ", ".join(o.others) or "–"]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def write_table(path: Path, outcomes: Sequence[Outcome]) -> None:
    """Between the two marks of the document."""
    document.replace(path, "sabotage", table(outcomes))

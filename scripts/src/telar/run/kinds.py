"""What runs a cell: for each kind of system, the life of its runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from telar.catalog.kinds import ENGINES, kind_of
from telar.catalog.system import Kind
from telar.catalog.types import Catalog
from telar.errors import ConfigError
from telar.plan.cells import Cell, Plan, PlannedRun
from telar.run.engine import Engine
from telar.run.http.cell import CellRun
from telar.run.http.hooks import Hooks
from telar.run.jmh.cell import JmhRun
from telar.run.task.cell import TaskRun
from telar.store.record import Record


class Run(Protocol):
    """The life of one run, or of several windows on what is up and warm."""

    def execute(self) -> Record:
        """From nothing to nothing."""

    def begin(self) -> Record | None:
        """Brings everything up and warms it; the record of what stopped that, if anything did."""

    def window(self, planned: PlannedRun) -> Record:
        """Measures on what `begin` brought up."""

    def close(self) -> None:
        """Everything down. May be repeated."""


class Make(Protocol):
    """How a run of any kind is made (run/http/cell.py says what is what)."""

    def __call__(
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
    ) -> Run: ...


# To add a kind: a package beside http/, its line here, and in catalog/kinds.py the engines that run it.
RUNS: dict[Kind, Make] = {"http": CellRun, "jmh": JmhRun, "task": TaskRun}


def run_of(catalog: Catalog, cell: Cell) -> Make:
    """What makes a run of this cell. Raises ConfigError where its engine runs nothing of its kind."""
    kind = kind_of(catalog, cell.label)
    if cell.engine not in ENGINES[kind]:
        raise ConfigError(
            f"{cell.label}: the engine {cell.engine} runs nothing of the kind {kind}",
            hint=f"say --engine {ENGINES[kind][0]}",
        )
    return RUNS[kind]

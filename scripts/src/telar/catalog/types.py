"""The catalogue: everything that can be run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from telar.catalog.budget import BudgetFile
from telar.catalog.files import nearest
from telar.catalog.jmh import JmhWorkload
from telar.catalog.rules import Rules
from telar.catalog.settings import TelarFile
from telar.catalog.system import Data, System, Tables
from telar.catalog.task import TaskWorkload
from telar.catalog.variant import Guest, Variant
from telar.catalog.workload import SearchFile, Workload
from telar.errors import ConfigError

FOUND = "ceiling"  # the metric that a search is for


class Catalog(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be run, every reference in it known to hold."""

    root: Path
    apps: Path  # the sources of the systems under test: root/apps, or those of another revision
    file: TelarFile
    variants: dict[str, Variant]  # by label
    workloads: dict[str, Workload]  # of services
    jmh_workloads: dict[str, JmhWorkload] = {}  # of benchmarks
    task_workloads: dict[str, TaskWorkload] = {}  # of programs that end by themselves
    databases: dict[str, Path]  # name -> its folder under compose/databases/
    systems: dict[str, System] = {}  # of this checkout, whatever revision the apps are of
    guest: Guest | None = None  # whose variants these are

    @property
    def home(self) -> Path:
        """The repository whose commits are measured."""
        return self.guest.home if self.guest else self.root

    @property
    def data(self) -> Path:
        """The folder with the floors and with what was accepted."""
        return self.guest.data if self.guest else self.root / "benchmarks-data"

    @property
    def work(self) -> dict[str, Workload | JmhWorkload | TaskWorkload]:
        """The workloads of all kinds, by name."""
        return {**self.workloads, **self.jmh_workloads, **self.task_workloads}

    def data_of(self, system: str) -> Data | None:
        """The rows of a system, where it says which."""
        found = self.systems.get(system)
        return found.data if found else None

    def tables_of(self, system: str) -> Tables | None:
        """The scripts of a system's database, where it has some in place of rows."""
        found = self.systems.get(system)
        return found.tables if found else None

    def budgets_of(self, system: str) -> tuple[BudgetFile, ...]:
        """Of a system, as in a cell."""
        found = self.systems.get(system or self.file.defaults.system)
        return found.file.budget if found else ()

    def of(self, system: str) -> Catalog:
        """With the rules of a system, which may have some of its own; `system` as in a cell: empty for the
        default one.
        """
        found = self.systems.get(system or self.file.defaults.system)
        if found is None or not found.file.has_rules:
            return self
        general = Rules(slo=self.file.slo, steady=self.file.steady, gate=self.file.gate)
        own = general.with_own(found.file, found.path)
        replace = msgspec.structs.replace
        return replace(self, file=replace(self.file, slo=own.slo, steady=own.steady, gate=own.gate))

    def search(self, workload: str) -> SearchFile | None:
        """How a workload searches for the highest rate, where it does."""
        found = self.workloads.get(workload)
        return found.file.search if found else None

    def asked(self, runner: str, workload: str) -> Catalog:
        """With what verdicts rest on there, where runner or workload say so themselves: what is counted, or
        what was searched for. One that isn't known (of older records) says nothing.
        """
        found, search = self.file.runner.get(runner), self.search(workload)
        if search:
            return self._judging({FOUND: search.matters})
        return self._judging(found.judges) if found and found.judges else self

    def _judging(self, judges: Mapping[str, float]) -> Catalog:
        """With these metrics for verdicts to rest on, each with the smallest change that is worth one. Counts
        are as good as any other there: nothing with a clock in it is waited for.
        """
        replace = msgspec.structs.replace
        metric = {
            m: replace(file, matters=judges.get(m), counted=False) for m, file in self.file.metric.items()
        }
        verdict = replace(self.file.verdict, primary=tuple(judges))
        return replace(self, file=replace(self.file, metric=metric, verdict=verdict))

    def named(self, name: str) -> Variant:
        """The variant of this name, or `system/name`; the name alone where one system has it. Raises
        ConfigError.
        """
        if name in self.variants:
            return self.variants[name]
        fitting = [v for v in self.variants.values() if name in (v.full, v.name)]
        if len(fitting) > 1:
            raise ConfigError(
                f"{name!r} is the name of several variants",
                hint="say which: " + ", ".join(v.full for v in fitting),
            )
        if not fitting:
            raise ConfigError(f"there is no variant {name!r}", hint=nearest(name, self.variants))
        return fitting[0]

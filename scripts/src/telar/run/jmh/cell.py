"""A benchmark's run: one fork of JMH."""

from __future__ import annotations

from pathlib import Path

from telar.collect import jmh
from telar.run.fresh import Found, FreshRun
from telar.run.jmh.fork import Iterations, Launch, Measured, measure
from telar.store.record import Metric

MIB = 2**20


class JmhRun(FreshRun):
    """A fork for each record."""

    kind = "jmh"
    phase = "fork"

    def measured(self, folder: Path) -> Found:
        """Raises RunError."""
        found = measure(self._launch(), folder)
        return Found(
            watched=found.watched, java=found.java, benchmark=found.fork, metrics=self._metrics(found)
        )

    def _launch(self) -> Launch:
        cell = self.planned.cell
        workload = self.catalog.jmh_workloads[cell.workload]
        warmup, measured = workload.file.warmup, workload.file.measured
        return Launch(
            home=self.home,
            jar=self.jar,
            benchmark=self.catalog.variants[cell.label].launch_file.benchmark,
            params=workload.params,
            flags=self.flags,
            warmup=Iterations(count=warmup.count, seconds=warmup.seconds),
            measured=Iterations(count=measured.count, seconds=measured.seconds),
            cpus=self.cpus,
            recorded=workload.file.recorded,
        )

    def _metrics(self, found: Measured) -> dict[str, Metric]:
        metrics = jmh.metrics(self.catalog, found.fork, found.watched.ruler)
        if found.jfr_bytes is not None:
            file = self.catalog.file.metric["recording"]
            metrics["recording"] = Metric(value=found.jfr_bytes / MIB, unit=file.unit, better=file.better)
        return metrics

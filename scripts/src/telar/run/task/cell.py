"""A program's run: a JVM that ends by itself, and says in its last line what came of it.

The last line of its standard output is a JSON object: names of metrics (telar.toml) with their values.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

from telar.build import maven
from telar.catalog.files import nearest
from telar.collect.host import thread_clock
from telar.errors import RunError
from telar.run import java
from telar.run.ended import Watched, watch
from telar.run.fresh import Found, FreshRun
from telar.store.record import Java, Metric, Program

PATIENCE = 10.0  # times as long as it takes as a rule
STARTING = 60.0  # seconds beside that


class TaskRun(FreshRun):
    """A program for each record."""

    kind = "task"
    phase = "program"

    def measured(self, folder: Path) -> Found:
        """Raises RunError."""
        folder.mkdir(parents=True)
        workload = self.catalog.task_workloads[self.planned.cell.workload]
        arguments = self.catalog.variants[self.planned.cell.label].launch_file.arguments
        log = folder / "program.log"
        command = ["-showversion", "-XX:+PrintFlagsFinal", *self.flags, "-jar", str(self.jar), *arguments]
        command += [f"{name}={value}" for name, value in sorted(workload.params.items())]
        watched = watch(
            [self.home / "bin" / "java", *command],
            log,
            cpus=self.cpus,
            patience=workload.seconds * PATIENCE + STARTING,
            name=self.planned.cell.label,
        )
        said = log.read_text(encoding="utf-8", errors="replace")
        result = result_of(said, log)
        return Found(
            watched=watched,
            java=self._java(said, command),
            metrics=self._metrics(result, watched, log),
            program=Program(
                arguments=arguments, params=workload.params, seconds=watched.seconds, result=result
            ),
        )

    def _metrics(self, result: dict[str, float], watched: Watched, log: Path) -> dict[str, Metric]:
        table = self.catalog.file.metric
        for name in result:
            if name not in table or "task" not in table[name].kinds:
                known = [metric for metric, file in table.items() if "task" in file.kinds]
                hint = f'{nearest(name, known)} (metrics with kinds = ["task"] in telar.toml)'
                raise RunError(f"{log}: there is no metric {name!r} of programs", hint=hint)
        values = {**result, "speed": watched.ruler.speed}
        return {
            name: Metric(value=values[name], unit=table[name].unit, better=table[name].better)
            for name in table
            if name in values
        }

    def _java(self, log: str, command: list[str]) -> Java:
        return Java(
            version=java.version(log),
            vendor=java.vendor(log),
            flags=java.flags(log),
            command=(str(self.home / "bin" / "java"), *command),
            class_path=maven.jars(self.jar.parent),
            class_path_source="artifact",
            picked_up=java.picked_up(log),
            thread_clock=thread_clock(),
        )


def result_of(said: str, log: Path) -> dict[str, float]:
    """The metrics in a program's last line. Raises RunError, naming the log, unless it is such an object."""
    last = next((line for line in reversed(said.splitlines()) if line.strip()), "")
    try:
        found = json.loads(last)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not found or not all(map(_is_number, found.values())):
        raise RunError(
            f"{log}: the program's last line isn't a JSON object of numbers: {last[:200]!r}",
            hint='it says what came of it, like {"rounds-lost": 3}',
        )
    return {str(name): float(value) for name, value in found.items()}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)

"""What a program is run with: `apps/<system>/load/<name>/task.toml`, in systems of the kind task."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec

from telar.catalog.files import read_toml
from telar.catalog.params import Params, choices
from telar.catalog.shapes import Duration, File, Name, Text


class TaskFile(File, frozen=True, kw_only=True):
    system: Name
    description: Text
    params: Params = msgspec.field(default_factory=dict)  # given to the program as name=value
    seconds: Duration  # that a run takes, as a rule


class TaskWorkload(msgspec.Struct, frozen=True, kw_only=True):
    """A task.toml with one choice of its parameters."""

    name: str
    file: TaskFile
    params: dict[str, str]

    @property
    def duration(self) -> float:
        """Seconds of a run, as a rule."""
        return self.file.seconds

    @property
    def seconds(self) -> float:
        """Of a run: there is nothing around it."""
        return self.duration


def read_task(name: str, path: Path) -> Iterator[TaskWorkload]:
    """A workload for each choice of the parameters. Raises ConfigError."""
    file = read_toml(path, TaskFile)
    for own, params in choices(name, path, file.params):
        yield TaskWorkload(name=own, file=file, params=params)

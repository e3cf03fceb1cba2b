"""What a benchmark is run with: `apps/<system>/load/<name>/benchmark.toml`, in systems of the kind jmh."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from telar.catalog.files import read_toml
from telar.catalog.params import Params, choices
from telar.catalog.shapes import File, Name, Text, Times

Length = Annotated[float, msgspec.Meta(gt=0, le=3600)]


class IterationsFile(File, frozen=True):
    count: Times
    seconds: Length  # of each


class BenchmarkFile(File, frozen=True, kw_only=True):
    system: Name
    description: Text
    params: Params = msgspec.field(default_factory=dict)
    warmup: IterationsFile
    measured: IterationsFile
    recorded: bool = False  # by a Flight Recorder, too, for the size of its file: its cost is in the score


class JmhWorkload(msgspec.Struct, frozen=True, kw_only=True):
    """A benchmark.toml with one choice of its parameters."""

    name: str
    file: BenchmarkFile
    params: dict[str, str]

    @property
    def duration(self) -> float:
        """Seconds of all iterations. An operation that takes longer than one prolongs it."""
        return sum(i.count * i.seconds for i in (self.file.warmup, self.file.measured))

    @property
    def seconds(self) -> float:
        """Of a run: there is nothing around the iterations."""
        return self.duration


def read_benchmark(name: str, path: Path) -> Iterator[JmhWorkload]:
    """A workload for each choice of the parameters. Raises ConfigError."""
    file = read_toml(path, BenchmarkFile)
    for own, params in choices(name, path, file.params):
        yield JmhWorkload(name=own, file=file, params=params)

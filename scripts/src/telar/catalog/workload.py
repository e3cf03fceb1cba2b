"""What k6 does: `workload.toml`, beside its script."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from telar.catalog.shapes import (
    Duration,
    File,
    Limit,
    Name,
    PositiveInt,
    Rate,
    Share,
    Text,
    Timeout,
    Users,
)


class StageFile(File, frozen=True):
    name: Name
    duration: Duration
    # At the stage's start and end; the rate is linear between them.
    from_: Rate = msgspec.field(name="from")
    to: Rate


class VusFile(File, frozen=True):
    pre_allocated: Users


class SearchFile(File, frozen=True):
    """For the highest rate that is held (run/http/search.py)."""

    start: Rate
    most: Rate  # the search ends where this is held
    step: Annotated[float, msgspec.Meta(gt=1, le=4)]  # times, from one rate to the next
    refine: Annotated[int, msgspec.Meta(ge=0, le=8)]  # times halfway between what was held and what wasn't
    seconds: Duration  # of each rate
    p99_ms: Limit  # a rate with a higher one isn't held
    matters: Share  # the smallest change of the rate found that is worth a verdict


class WorkloadFile(File, frozen=True):
    system: Name
    description: Text
    script: Name
    timeout: Timeout
    vus: VusFile
    mix: dict[Name, PositiveInt]
    stage: tuple[StageFile, ...]
    # In the place of the stages, which then say how long it takes about, and at which rate users open their
    # connections and the service is rehearsed.
    search: SearchFile | None = None


TOUCHED_WITHIN = 5.0  # seconds; users that don't come into it open their connections in the window
REST = 0.5  # seconds between the touch and the schedule: the last answers come, k6 takes its users back


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """A k6 scenario with its schedule."""

    name: str
    folder: Path
    file: WorkloadFile
    rows: int | None = None  # of its system's data, which its requests are drawn from

    @property
    def duration(self) -> int:
        """Seconds of the whole schedule."""
        return sum(stage.duration for stage in self.file.stage)

    @property
    def arrivals(self) -> float:
        """The schedule's integral: how many iterations an open model starts."""
        return sum((s.from_ + s.to) / 2 * s.duration for s in self.file.stage)

    @property
    def peak_rate(self) -> int:
        return max(max(s.from_, s.to) for s in self.file.stage)

    @property
    def touching(self) -> float:
        """Seconds before the schedule in which each virtual user makes its first request."""
        return self.touching_of(self.file.vus.pre_allocated)

    @property
    def seconds(self) -> float:
        """Of a window: the schedule with the touch before it."""
        return self.touching + REST + self.duration

    def touching_of(self, users: int) -> float:
        """`touching` with so many users: at the schedule's highest rate, which the service is to
        bear anyway.
        """
        return min(TOUCHED_WITHIN, users / self.peak_rate)

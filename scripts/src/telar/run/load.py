"""The plan file that a k6 script follows, made from workload.toml."""

from __future__ import annotations

import itertools

import msgspec

from telar.catalog.types import StageFile, Workload
from telar.databases import seed as seeds
from telar.store.record import Stage


def plan_for(workload: Workload, seed: int, stages: tuple[StageFile, ...] = (), vus: int = 0) -> bytes:
    """TELAR_PLAN's content (k6/README.md): the workload's own stages and users, or others with its mix."""
    file = workload.file
    return msgspec.json.encode(
        {
            "seed": seed,
            "rows": seeds.SIZE,
            "timeout": file.timeout,
            "vus": {"pre_allocated": vus} if vus else file.vus,
            "mix": file.mix,
            "stages": stages or file.stage,
        }
    )


def scheduled(workload: Workload) -> float:
    return workload.arrivals


def stages_of(workload: Workload) -> tuple[Stage, ...]:
    """The stages with their times from the window's start."""
    ends = list(itertools.accumulate(s.duration for s in workload.file.stage))
    return tuple(
        Stage(name=s.name, from_rate=s.from_, to_rate=s.to, start=end - s.duration, end=end)
        for s, end in zip(workload.file.stage, ends, strict=True)
    )

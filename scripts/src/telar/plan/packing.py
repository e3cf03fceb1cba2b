"""A plan split into jobs for several runners: each within a budget of time, all of about the same length.

What is compared with one another stays in one job, and there in turns: the launches of an app (platform
beside virtual threads) on the same JDK and drivers. Longest first into the shortest job (Graham, "Bounds on
multiprocessing timing anomalies", 1969): at most a third longer than the best there is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TypeAlias

import msgspec

from telar.catalog.suite import WarmupFile
from telar.catalog.types import Catalog
from telar.plan.cells import Cell, Plan, warmup_guess

AROUND = 20.0  # seconds of a run beside its warm-up and window
SETTING_UP = 300.0  # of a job, before its first run
Key: TypeAlias = tuple[str, ...]  # of cells that stay together


class Job(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    plan: Plan
    seconds: float


def pack(
    catalog: Catalog, plan: Plan, *, runners: int, budget: float, measured: Mapping[str, float]
) -> tuple[Job, ...]:
    """`budget`: seconds a job; `measured`: names of cells -> seconds that a run of theirs took, where known.

    As many jobs as there are runners, or more where the budget asks for it. A group that is longer than the
    budget by itself gets a job of its own.
    """
    cells: dict[str, Cell] = {run.cell.name: run.cell for run in plan.runs}
    warmups = plan.warmups
    times = {name: sum(run.cell.name == name for run in plan.runs) for name in cells}
    seconds = {
        name: times[name] * measured.get(name, _guess(catalog, cell, warmups[cell.workload]))
        for name, cell in cells.items()
    }
    groups: dict[Key, list[str]] = {}
    for name, cell in cells.items():
        groups.setdefault(_together(catalog, cell), []).append(name)
    lengths = {key: sum(seconds[name] for name in own) for key, own in groups.items()}
    room = max(1.0, budget - SETTING_UP)
    count = min(len(groups), max(runners, math.ceil(sum(lengths.values()) / room)))
    filled = _filled(lengths, count)
    while count < len(groups) and any(len(own) > 1 and _length(lengths, own) > room for own in filled):
        count += 1
        filled = _filled(lengths, count)
    return tuple(
        Job(
            number=number,
            plan=_part(plan, {name for key in own for name in groups[key]}),
            seconds=SETTING_UP + _length(lengths, own),
        )
        for number, own in enumerate(filled, start=1)
    )


def _filled(lengths: Mapping[Key, float], count: int) -> list[list[Key]]:
    jobs: list[list[Key]] = [[] for _ in range(count)]
    for key in sorted(lengths, key=lambda k: (-lengths[k], k)):
        min(jobs, key=lambda own: _length(lengths, own)).append(key)
    return jobs


def _length(lengths: Mapping[Key, float], own: list[Key]) -> float:
    return sum(lengths[key] for key in own)


def _together(catalog: Catalog, cell: Cell) -> Key:
    drivers = [f"{name}={version}" for name, version in sorted(cell.drivers.items())]
    return catalog.variants[cell.label].app.name, cell.workload, cell.jdk, *drivers


def _guess(catalog: Catalog, cell: Cell, warmup: WarmupFile | None) -> float:
    return catalog.work[cell.workload].seconds + warmup_guess(catalog, warmup) + AROUND


def _part(plan: Plan, names: set[str]) -> Plan:
    """The runs of these cells, in the plan's order."""
    own = [run for run in plan.runs if run.cell.name in names]
    runs = tuple(msgspec.structs.replace(run, position=n) for n, run in enumerate(own, start=1))
    return msgspec.structs.replace(plan, runs=runs)

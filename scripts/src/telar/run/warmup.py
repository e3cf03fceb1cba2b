"""Warming up until the service is steady: load in cycles, looked at after each of them.

One k6 serves all cycles; it is ended as soon as the test of `analyse/steady.py` holds. What it asked is
read from its raw results while it writes them, what the service used from the sampler.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import msgspec

from telar.analyse import steady
from telar.catalog.rules import SteadyFile
from telar.catalog.workload import StageFile, Workload
from telar.collect.k6 import Follower, Results
from telar.collect.sampler import Timeline
from telar.run.load import plan_for
from telar.store.record import Warmup, WarmupCycle

POLL = 0.2
SETTLE = 1.2  # seconds in which k6 writes a cycle's last rows and the sampler reads once more


def cycles_plan(workload: Workload, rules: SteadyFile, rate: int, seed: int) -> bytes:
    """TELAR_PLAN's content: as many cycles of load and pause as there may be."""
    stage = workload.file.stage[0]

    def at(name: str, rate: int, seconds: int) -> StageFile:
        return msgspec.structs.replace(stage, name=name, from_=rate, to=rate, duration=seconds)

    stages = [
        part
        for n in range(1, rules.ceiling + 1)
        for part in (
            at(f"cycle-{n}", rate, rules.load),
            at(f"pause-{n}", 0, rules.pause),
        )
    ]
    return plan_for(workload, seed, stages=tuple(stages), vus=rules.vus)


def until_steady(
    rules: SteadyFile,
    results: Path,
    timeline: Callable[[], Timeline],
    wait: Callable[[float], bool],
    *,
    enough: int | None = None,
) -> Warmup:
    """Watches k6 warming up until the service is steady, or the ceiling; with `enough`, until so many
    requests were answered, whatever the service is then.

    `wait(seconds)` passes time, raises when the app or its database died, and is false once k6 has ended.
    """
    follower = Follower(results)
    while follower.start is None and wait(POLL):
        follower.read()
    cycles: list[WarmupCycle] = []
    done = False
    length = rules.load + rules.pause
    while follower.start is not None and len(cycles) < rules.ceiling and not done:
        start = follower.start + len(cycles) * length
        running = wait(max(0.0, start + length + SETTLE - time.time()))
        if not running and time.time() < start + rules.load:
            break  # at the ceiling k6 ends by itself, with its last cycle's load done
        follower.read()
        answered = follower.between(start, start + length)
        cycles.append(_cycle(len(cycles) * length, answered, timeline(), start, start + length))
        requests = sum(c.requests for c in cycles)
        done = requests >= (enough or rules.floor) and (enough is not None or steady.is_steady(cycles, rules))
    return Warmup(
        requests=sum(c.requests for c in cycles),
        seconds=len(cycles) * length,
        steady=None if enough else done,
        cycles=tuple(cycles),
    )


def beginning(workload: Workload, seconds: int) -> tuple[StageFile, ...]:
    """The first so many seconds of a workload's schedule."""
    found: list[StageFile] = []
    for stage in workload.file.stage:
        left = seconds - sum(s.duration for s in found)
        if left <= 0:
            break
        share = min(1.0, left / stage.duration)
        to = stage.from_ + round((stage.to - stage.from_) * share)
        found.append(msgspec.structs.replace(stage, to=to, duration=min(left, stage.duration)))
    return tuple(found)


def rehearsed(seen: Warmup, results: Results, timeline: Timeline, rules: SteadyFile) -> Warmup:
    """The warm-up with another rehearsal; steady when the compilers were nearly done in the last two.

    Two, because what a calm service compiles comes in waves: one rehearsal may lie between them.
    """
    answered = [us / 1000 for us in results.service_us]
    cycle = _cycle(seen.seconds, answered, timeline, results.start, results.end)
    rehearsals = (*seen.rehearsals, cycle)
    return msgspec.structs.replace(
        seen,
        requests=seen.requests + cycle.requests,
        seconds=seen.seconds + results.end - results.start,
        steady=len(rehearsals) > 1 and steady.compiling(rehearsals[-2:]) <= rules.compiling,
        rehearsals=rehearsals,
    )


def _cycle(
    offset: float, latencies_ms: list[float], timeline: Timeline, start: float, end: float
) -> WarmupCycle:
    def used(name: str) -> float:
        return max(0.0, timeline.delta(name, start, end) or 0.0)

    return WarmupCycle(
        start=offset,
        requests=len(latencies_ms),
        p50_ms=median(latencies_ms) if latencies_ms else 0.0,
        app_seconds=used("app.cpu_seconds"),
        compiler_seconds=used("app.compiler_seconds"),
    )

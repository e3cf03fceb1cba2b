"""Why two sides differ: what the profiled windows of a comparison say, method by method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import msgspec

from telar.analyse.methods import Difference, Profile, Rules, Seen, Stack, differences
from telar.analyse.threads import Threads
from telar.analyse.timed import Timed
from telar.plan.cells import Cell
from telar.store.record import Record

PER_ALLOCATION = 1024 * 1024.0  # bytes between two samples of what is allocated (run/http/profiled.py)
RULES = replace(Rules(), chance=Rules().chance / 2)  # two questions: processor time and allocation
CPU, ALLOCATED, P50 = "app-cpu", "allocated", "p50"  # metrics of a window


class Side(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of one side's profiled windows."""

    windows: int
    samples: int  # of processor time
    cpu: float  # CPU-µs per request
    allocated: float | None  # KiB per request; None where a window doesn't know it
    cpu_cost: float | None = None  # CPU per request there ÷ that of the plain windows, less one
    p50_cost: float | None = None


class Why(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of one variant's two sides. `refused` says why there is no profile; the rest is empty then."""

    variant: str
    cell: str  # the head's name
    refused: str = ""
    base: Side | None = None
    head: Side | None = None
    clock: str = ""  # what samples were taken by
    cpu: tuple[Difference, ...] = ()  # CPU-µs per request, the largest difference first
    allocated: tuple[Difference, ...] = ()  # KiB per request
    seconds: float = 0.0  # that the profiled windows took
    flame: str = ""  # the flame graph's file, in the session's folder
    timed: tuple[Timed, ...] = ()  # the methods that the change touches, by the JVM's own count
    untimed: str = ""  # why there are none; empty also where no commit differs
    threads: tuple[Threads, Threads] | None = None  # of base and head


Window = tuple[Record, Profile]


def explain(
    cell: Cell,
    base: Sequence[Window],
    head: Sequence[Window],
    plain: Mapping[str, Sequence[Record]],
    *,
    packages: frozenset[str],
    clock: str,
    seconds: float,
    rules: Rules = RULES,
) -> Why:
    """`cell`: the head's. `plain`: side (`a`, `b`) -> its windows without a profiler. `packages`: of the
    application's own code.

    Raises ValueError where a window doesn't know its processor time per request.
    """
    is_own = _own(packages)
    allocations = [[_allocated(w) for w in side] for side in (base, head)]
    known = [[w for w in side if w] for side in allocations]
    whole = [len(k) == len(s) for k, s in zip(known, (base, head), strict=True)]
    return Why(
        variant=cell.label,
        cell=cell.name,
        base=_side(base, plain.get("a", ())),
        head=_side(head, plain.get("b", ())),
        clock=clock,
        cpu=tuple(differences(*(list(map(_cpu, s)) for s in (base, head)), is_own=is_own, rules=rules)),
        allocated=tuple(differences(*known, is_own=is_own, rules=rules)) if all(whole) else (),
        seconds=seconds,
    )


def per_request(windows: Sequence[Window]) -> dict[Stack, float]:
    """Each stack's processor time per request, in CPU-µs: the mean of the windows."""
    found: dict[Stack, float] = {}
    for seen in map(_cpu, windows):
        for stack, samples in seen.stacks.items():
            found[stack] = found.get(stack, 0.0) + samples * seen.each / len(windows)
    return found


def _cpu(window: Window) -> Seen:
    record, profile = window
    milliseconds = _value(record, CPU)
    if not milliseconds:
        raise ValueError("a profiled window doesn't know the app's processor time per request")
    return Seen(stacks={s: float(n) for s, n in profile.cpu.items()}, whole=1000 * milliseconds)


def _allocated(window: Window) -> Seen | None:
    record, profile = window
    kib = _value(record, ALLOCATED)
    if not kib or not profile.bytes:
        return None
    return Seen(stacks={s: n / PER_ALLOCATION for s, n in profile.bytes.items()}, whole=kib)


def _side(windows: Sequence[Window], plain: Sequence[Record]) -> Side:
    records = [record for record, _ in windows]
    allocated = [_value(r, ALLOCATED) for r in records]
    known = [a for a in allocated if a is not None]
    return Side(
        windows=len(windows),
        samples=sum(sum(p.cpu.values()) for _, p in windows),
        cpu=fmean(_cpu(w).whole for w in windows),
        allocated=fmean(known) if known and len(known) == len(windows) else None,
        cpu_cost=_cost(records, plain, CPU),
        p50_cost=_cost(records, plain, P50),
    )


def _cost(profiled: Sequence[Record], plain: Sequence[Record], metric: str) -> float | None:
    sides = [[v for r in records if (v := _value(r, metric))] for records in (profiled, plain)]
    return fmean(sides[0]) / fmean(sides[1]) - 1 if all(sides) else None


def _value(record: Record, metric: str) -> float | None:
    found = record.metrics.get(metric)
    return None if found is None else found.value


def _own(packages: frozenset[str]) -> Callable[[str], bool]:
    def is_own(method: str) -> bool:
        owner = method.rpartition(".")[0]
        return owner.rpartition(".")[0] in packages and "$$" not in owner

    return is_own

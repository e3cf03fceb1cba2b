"""Why two sides differ: what the profiled windows of a comparison say, method by method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from statistics import fmean

import msgspec

from telar.analyse import pace
from telar.analyse.methods import Difference, Profile, Rules, Seen, differences
from telar.analyse.stacks import Stack, mended
from telar.analyse.threads import Threads
from telar.analyse.timed import Timed
from telar.plan.cells import Cell
from telar.store.record import Record

PER_ALLOCATION = 1024**2  # bytes between two samples of what is allocated
RULES = replace(Rules(), chance=Rules().chance / 2)  # two questions: processor time and allocation
CPU, ALLOCATED = "app-cpu", "allocated"  # metrics of a window
# What the profiler costs is read from the first of these that all windows know: the machine's speed may move
# farther between them than it costs, and the database's processor time moves with it.
CPU_COSTS, P50_COSTS = ("work-cpu-by-database", CPU), ("p50-by-database", "p50")


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
    timed: tuple[Timed, ...] = ()  # the methods of the change, by the JVM's own count
    libraries: tuple[str, ...] = ()  # that differ, as `re2j 1.5 → 1.1`
    untimed: str = ""  # why there are none; empty also where neither a commit nor a library differs
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
    compare = partial(differences, is_own=_own(packages), rules=rules)
    windows = (*base, *head)
    cpu, known = processor_time(windows), allocation(windows)
    return Why(
        variant=cell.label,
        cell=cell.name,
        base=_side(base, plain.get("a", ())),
        head=_side(head, plain.get("b", ())),
        clock=clock,
        cpu=tuple(compare(cpu[: len(base)], cpu[len(base) :])),
        allocated=tuple(compare(known[: len(base)], known[len(base) :]))
        if len(known) == len(windows)
        else (),
        seconds=seconds,
    )


def processor_time(windows: Sequence[Window]) -> list[Seen]:
    """Of each window, in CPU-µs per request, as if the machine had been as fast in each."""
    return _whole(_paced(windows))


def allocation(windows: Sequence[Window]) -> list[Seen]:
    """In KiB per request, of each window that knows it."""
    return _whole([found for each in windows if (found := _allocated(each))])


def per_request(
    base: Sequence[Window], head: Sequence[Window]
) -> tuple[dict[Stack, float], dict[Stack, float]]:
    """Of each side, each stack's processor time per request, in CPU-µs: the mean of its windows."""
    seen = processor_time((*base, *head))
    return _mean(seen[: len(base)]), _mean(seen[len(base) :])


def _mean(windows: Sequence[Seen]) -> dict[Stack, float]:
    found: dict[Stack, float] = {}
    for seen in windows:
        for stack, samples in seen.stacks.items():
            found[stack] = found.get(stack, 0.0) + samples * seen.each / len(windows)
    return found


def _whole(windows: Sequence[Seen]) -> list[Seen]:
    """With the callers of stacks that a profiler saw in part only."""
    return [replace(w, stacks=m) for w, m in zip(windows, mended([w.stacks for w in windows]), strict=True)]


def _paced(windows: Sequence[Window]) -> list[Seen]:
    """Processor time as it would have been had the machine been as fast in each window as in all of them."""
    paces = pace.factors([pace.of(record) for record, _ in windows])
    return [
        replace(seen, whole=seen.whole * own) for seen, own in zip(map(_cpu, windows), paces, strict=True)
    ]


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
        cpu_cost=_cost(records, plain, CPU_COSTS),
        p50_cost=_cost(records, plain, P50_COSTS),
    )


def _cost(profiled: Sequence[Record], plain: Sequence[Record], metrics: Sequence[str]) -> float | None:
    for metric in metrics:
        own, other = ([_value(r, metric) for r in records] for records in (profiled, plain))
        if own and other and all((*own, *other)):
            return fmean(v for v in own if v) / fmean(v for v in other if v) - 1
    return None


def _value(record: Record, metric: str) -> float | None:
    found = record.metrics.get(metric)
    return None if found is None else found.value


def _own(packages: frozenset[str]) -> Callable[[str], bool]:
    def is_own(method: str) -> bool:
        owner = method.rpartition(".")[0]
        return owner.rpartition(".")[0] in packages and "$$" not in owner

    return is_own

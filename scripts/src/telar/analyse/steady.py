"""When a service is warm: a stated test over the cycles of a warm-up (docs/method.md).

A cycle is a stretch of load at one rate and a pause. The service is steady when, over the last `window`
cycles, its just-in-time compilers used no more than `compiling` of its processor time, and neither its
processor time per request nor p50 of the newer half of them differs from the older half's by more than a
tolerance. Compilers first: their share falls long after latencies have stopped to say anything, since C2
waits whenever every processor is busy. (Barrett and others, "Virtual machine warmup blows hot and cold",
OOPSLA 2017, on why a fixed number of iterations won't do.)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median

from telar.catalog.rules import SteadyFile
from telar.store.record import WarmupCycle


def is_steady(cycles: Sequence[WarmupCycle], rules: SteadyFile) -> bool:
    """Whether the last cycles are alike, and the compilers nearly done."""
    last = cycles[-rules.window :]
    return (
        len(last) == rules.window
        and any(c.compiler_seconds for c in cycles)  # every JVM compiles at first: else they weren't seen
        and compiling(last) <= rules.compiling
        and shift(last, lambda c: c.cpu_ms) <= rules.cpu
        and shift(last, lambda c: c.p50_ms) <= rules.p50
    )


def compiling(cycles: Sequence[WarmupCycle]) -> float:
    """The compilers' share of the app's processor time over these cycles."""
    used = sum(c.app_seconds for c in cycles)
    return sum(c.compiler_seconds for c in cycles) / used if used else 1.0


def shift(cycles: Sequence[WarmupCycle], of: Callable[[WarmupCycle], float]) -> float:
    """Between the medians of the older and the newer half: larger over smaller, less one."""
    half = len(cycles) // 2
    older, newer = median(map(of, cycles[:half])), median(map(of, cycles[-half:]))
    low, high = sorted((older, newer))
    return high / low - 1 if low > 0 else float("inf")

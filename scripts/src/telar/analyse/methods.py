"""Which methods two sides differ in: their processor time or allocation per request, base against head.

A profiler's samples are counts. Each window's stand for what its service used per request by the kernel's
own count (or the JVM's), so that a method's part is its share of the samples times that. The error of the
difference has two parts:

* counts: Poisson's, times how much more the windows of a side differ from each other than that says,
  over all methods (quasi-Poisson: McCullagh and Nelder, "Generalized Linear Models", 1989, 4.5);
* the JVM: two of the same build compile and inline otherwise, and no window on them shows it. So each method
  is taken to differ by `Rules.jvm` of itself, and by no more than `Rules.most` of all, whatever was changed:
  what is inlined elsewhere moves as a whole, with all that it calls. Both are above what was measured
  (docs/why.md).

Over all methods of a profile the family-wise error is kept by Holm ("A simple sequentially rejective
multiple test procedure", 1979). A change is in a method and in all that call it; named is the innermost
that carries most of it.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist, fmean, variance

import msgspec

from telar.analyse.stacks import Stack

COMPILERS = "[compilers]"  # the one frame of their threads
Level = dict[str, list[float]]  # method -> one number for each window
NORMAL = NormalDist()


@dataclass(frozen=True, kw_only=True)
class Rules:
    chance: float = 0.05  # that anything is named where nothing differs
    jvm: float = 0.30  # standard deviation of a method between JVMs of a build, as a share of it
    most: float = 0.012  # and no more than this, as a share of all
    matters: float = 0.01  # the smallest difference that is named, as a share of all
    carries: float = 0.6  # of a difference, in others that are called: then these are named
    shown: int = 5


class Profile(msgspec.Struct, frozen=True, kw_only=True):
    """Of one window. `cpu`: stack -> samples; `bytes`: stack -> bytes allocated, by sampling."""

    cpu: dict[Stack, int]
    bytes: dict[Stack, int]


@dataclass(frozen=True, kw_only=True)
class Seen:
    """Of one window. `stacks`: -> samples; `whole`: what all of them stand for, per request."""

    stacks: Mapping[Stack, float]
    whole: float

    @property
    def each(self) -> float:
        """What one sample stands for."""
        return self.whole / sum(self.stacks.values())


class Difference(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of one method, per request: in CPU-µs or KiB, with all that it calls unless it says `own`."""

    method: str  # `package.Class.method`
    caller: str  # the application's own method that it works for; empty where there is none
    base: float
    head: float
    low: float  # of head − base: 95 % confidence interval
    high: float
    p: float
    q: float  # after all others were taken into account (Holm)
    own_base: float  # without what it calls
    own_head: float

    @property
    def change(self) -> float:
        return self.head - self.base


def differences(
    base: Sequence[Seen], head: Sequence[Seen], *, is_own: Callable[[str], bool], rules: Rules
) -> list[Difference]:
    """The methods that surely differ, the largest difference first; at most `rules.shown`.

    `is_own`: whether a method is of the application's own code. Windows of a side follow each other on one
    JVM. Compilers' threads are left out: what they do differs from JVM to JVM.
    """
    windows = (*base, *head)
    each = [w.each for w in windows]
    counts = _tested(windows, rules)
    if not counts:
        return []
    of_methods = _levels(counts, each)
    spread = _overdispersion(of_methods, counts, each, len(base))
    most = rules.most * fmean(w.whole for w in windows)
    found = {m: _compared(of_methods[m], counts[m], each, len(base), spread, rules.jvm, most) for m in counts}
    q_values = holm({m: p for m, (_, _, p) in found.items()})
    whole = fmean(w.whole for w in base)
    sure = {
        m: change
        for m, (change, _, _) in found.items()
        if q_values[m] <= rules.chance and abs(change) >= rules.matters * whole
    }
    named = sorted(_innermost(sure, windows, each, len(base), rules), key=lambda m: -abs(sure[m]))
    own = _selves(windows, each, len(base))
    return [
        Difference(
            method=m,
            caller=_caller(m, windows, each, len(base), is_own),
            base=fmean(of_methods[m][: len(base)]),
            head=fmean(of_methods[m][len(base) :]),
            low=found[m][0] - NORMAL.inv_cdf(0.975) * found[m][1],
            high=found[m][0] + NORMAL.inv_cdf(0.975) * found[m][1],
            p=found[m][2],
            q=q_values[m],
            own_base=own[m][0],
            own_head=own[m][1],
        )
        for m in named[: rules.shown]
    ]


def levels(windows: Sequence[Seen], rules: Rules) -> Level:
    """Of each method that is asked about, what it has per request in each window, with all that it calls."""
    return _levels(_tested(windows, rules), [w.each for w in windows])


def holm(p_values: Mapping[str, float]) -> dict[str, float]:
    """Adjusted p-values."""
    found: dict[str, float] = {}
    least, count = 0.0, len(p_values)
    for rank, (name, p) in enumerate(sorted(p_values.items(), key=lambda item: item[1])):
        least = found[name] = max(least, min(1.0, p * (count - rank)))
    return found


def _levels(counts: Level, each: Sequence[float]) -> Level:
    return {m: [n * u for n, u in zip(seen, each, strict=True)] for m, seen in counts.items()}


def _totals(windows: Sequence[Seen]) -> tuple[Level, dict[str, int]]:
    """Method -> samples in which it is, by window; and how far in it is found at most."""
    counts: Level = defaultdict(lambda: [0.0] * len(windows))
    depth: dict[str, int] = defaultdict(int)
    for n, window in enumerate(windows):
        for stack, samples in window.stacks.items():
            for method in set(stack):
                counts[method][n] += samples
            for at, method in enumerate(stack):
                depth[method] = max(depth[method], at)
    return counts, depth


def _tested(windows: Sequence[Seen], rules: Rules) -> Level:
    """The samples of those to ask about: methods on which there is enough for a difference that matters, by
    the sum of both sides, which says nothing of their difference; of those that are always together, the
    innermost.
    """
    counts, depth = _totals(windows)
    least = rules.matters * fmean(w.whole for w in windows) * len(windows) / 2
    alike: dict[tuple[float, ...], str] = {}
    for method, seen in counts.items():
        if method == COMPILERS or sum(n * w.each for n, w in zip(seen, windows, strict=True)) < least:
            continue
        other = alike.get(tuple(seen))
        if other is None or (depth[method], method) > (depth[other], other):
            alike[tuple(seen)] = method
    return {method: counts[method] for method in sorted(alike.values())}


def _overdispersion(levels: Level, counts: Level, each: Sequence[float], split: int) -> float:
    """How many times Poisson's the variance between windows of a side is; at least 1."""
    ratios = [
        variance(levels[m][side]) / expected
        for m in levels
        for side in (slice(0, split), slice(split, None))
        if len(levels[m][side]) > 1
        and (expected := fmean(u * u * n for u, n in zip(each[side], counts[m][side], strict=True)))
    ]
    return max(1.0, fmean(ratios)) if ratios else 1.0


def _compared(
    level: Sequence[float],
    counts: Sequence[float],
    each: Sequence[float],
    split: int,
    spread: float,
    jvm: float,
    most: float,
) -> tuple[float, float, float]:
    """Head − base, its standard error, and the p-value of no difference. `most`: of a JVM's part."""
    base, head = fmean(level[:split]), fmean(level[split:])
    squares = 0.0
    for side in (slice(0, split), slice(split, None)):
        own = list(zip(counts[side], each[side], strict=True))
        # One more than was seen: of none, nothing says how many there might have been.
        squares += spread * (sum(n * u * u for n, u in own) + fmean(u * u for _, u in own)) / len(own) ** 2
    of_jvm = min(jvm * (base + head) / 2, most)
    error = math.sqrt(squares + 2 * of_jvm**2)  # two JVMs, each with its own
    return head - base, error, 2 * NORMAL.cdf(-abs(head - base) / error)


def _innermost(
    sure: Mapping[str, float], windows: Sequence[Seen], each: Sequence[float], split: int, rules: Rules
) -> list[str]:
    """Those whose difference isn't mostly that of others, in the same direction, that they call."""
    carried: dict[str, float] = defaultdict(float)
    for stack, change in _changes(windows, each, split):
        own = list(dict.fromkeys(m for m in stack if m in sure))
        for at, caller in enumerate(own):
            if any(sure[called] * sure[caller] > 0 for called in own[at + 1 :]):
                carried[caller] += change
    return [m for m in sure if carried[m] / sure[m] < rules.carries]


def _selves(windows: Sequence[Seen], each: Sequence[float], split: int) -> dict[str, tuple[float, float]]:
    """Method -> base and head without what it calls."""
    found: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for n, window in enumerate(windows):
        side, count = (0, split) if n < split else (1, len(windows) - split)
        for stack, samples in window.stacks.items():
            found[stack[-1]][side] += samples * each[n] / count
    return defaultdict(lambda: (0.0, 0.0), {m: (a, b) for m, (a, b) in found.items()})


def _caller(
    method: str, windows: Sequence[Seen], each: Sequence[float], split: int, is_own: Callable[[str], bool]
) -> str:
    """The application's own method, nearest outside, under which most of the difference is."""
    if is_own(method):
        return ""
    found: dict[str, float] = defaultdict(float)
    for stack, change in _changes(windows, each, split):
        if method in stack:
            outer = reversed(stack[: stack.index(method)])
            found[next(filter(is_own, outer), "")] += change
    return max(found, key=lambda name: abs(found[name]), default="")


def _changes(windows: Sequence[Seen], each: Sequence[float], split: int) -> Iterable[tuple[Stack, float]]:
    """Each stack's part of head − base."""
    for n, window in enumerate(windows):
        part = -each[n] / split if n < split else each[n] / (len(windows) - split)
        for stack, samples in window.stacks.items():
            yield stack, samples * part

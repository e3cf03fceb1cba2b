"""What the methods that a change touches cost, by the JVM's own count of their calls."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist, fmean, variance
from typing import Literal

import msgspec

from telar.analyse import pace
from telar.analyse.methods import holm
from telar.analyse.pace import Pace

CHANCE = 0.05  # that any method is called slower or faster where nothing differs
# Standard deviation of a call's time between JVMs of one build, as a share: two windows on one pair of JVMs
# can't show it. An assumption (docs/why.md).
JVM = 0.04
WITHIN = 0.02  # the least that windows on the same JVMs are taken to differ by
COUNTED = 0.02  # of a method's calls: a window's edges, and whoever asks the service for its metrics
FEW = 100  # calls in a window: a mean of fewer says little
NORMAL = NormalDist()

UNKNOWN = Pace(database=None, statements=None)

Word = Literal["slower", "faster", "called more", "called less", "new", "gone", ""]


@dataclass(frozen=True, kw_only=True)
class Calls:
    """Of a method in a stretch of time, with all that it calls."""

    count: int
    seconds: float  # of all of them together
    least: float  # seconds of the shortest one since it has been timed


@dataclass(frozen=True, kw_only=True)
class Window:
    requests: int
    seconds: float
    calls: Mapping[str, Calls]  # `a.b.Class::method` ->
    pace: Pace = UNKNOWN

    def rate(self, method: str) -> float:
        """Calls a second."""
        return self.calls[method].count / self.seconds if method in self.calls else 0.0


class Timed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of one method, with all that it calls and waits for. A side that hasn't the method has no calls."""

    method: str  # `package.Class.method`
    base_calls: float  # for each request
    head_calls: float
    base: float | None  # µs of a call, in the mean; None without calls
    head: float | None
    base_least: float | None  # µs of the shortest one
    head_least: float | None
    change: float | None = None  # of a call's time, as a share
    low: float | None = None  # its 95 % confidence interval
    high: float | None = None
    q: float | None = None  # of no difference, after all others were taken into account (Holm)
    word: Word = ""

    @property
    def moved(self) -> float:
        """µs per request that it takes more or less."""
        return abs(self.head_calls * (self.head or 0.0) - self.base_calls * (self.base or 0.0))


def compare(base: Sequence[Window], head: Sequence[Window], *, called: Collection[str] = ()) -> list[Timed]:
    """Each method that was timed on a side; what surely differs first, by the time that it moves. Windows of
    both sides in the order of measuring: the first of each are a pair, and so on. `called`: those that the
    change calls and doesn't touch, of which only the calls are judged.
    """
    base, head = paced(base, head)
    methods = sorted({m for w in (*base, *head) for m in w.calls if w.calls[m].count})
    ratios = {m: own for m in methods if m not in called and (own := _ratios(base, head, m))}
    spread = _spread(ratios)
    intervals = {m: _interval(own, spread) for m, own in ratios.items()}
    q_values = holm({m: p for m, (_, _, _, p) in intervals.items()})
    timed = [_timed(m, base, head, intervals.get(m), q_values.get(m)) for m in methods]
    return sorted(timed, key=lambda t: (not t.word, -t.moved, t.method))


def paced(*sides: Sequence[Window]) -> list[list[Window]]:
    """The sides, with the seconds of calls as if the machine had been as fast in all windows."""
    paces = iter(pace.factors([w.pace for side in sides for w in side]))
    return [[_times(w, next(paces)) for w in side] for side in sides]


def _times(window: Window, factor: float) -> Window:
    calls = {m: replace(c, seconds=c.seconds * factor) for m, c in window.calls.items()}
    return replace(window, calls=calls)


def _ratios(base: Sequence[Window], head: Sequence[Window], method: str) -> list[float]:
    """Logarithms of head ÷ base of a call's mean time, pair by pair; empty where some window has too few."""
    pairs = [(mean(a, method), mean(b, method)) for a, b in zip(base, head, strict=True)]
    return [math.log(b / a) for a, b in pairs if a and b] if all(a and b for a, b in pairs) else []


def mean(window: Window, method: str) -> float | None:
    """Seconds of a call; None of a few calls only."""
    calls = window.calls.get(method)
    return calls.seconds / calls.count if calls and calls.count >= FEW and calls.seconds > 0 else None


def _spread(ratios: Mapping[str, Sequence[float]]) -> float:
    """Variance of a pair's ratio on the same JVMs: of all methods together, since each has two pairs."""
    own = [variance(pairs) for pairs in ratios.values() if len(pairs) > 1]
    return max(WITHIN**2, fmean(own)) if own else WITHIN**2


def _interval(ratios: Sequence[float], spread: float) -> tuple[float, float, float, float]:
    """The mean, the ends of its interval, and the p-value of none."""
    own = max(spread, variance(ratios)) if len(ratios) > 1 else spread
    middle, error = fmean(ratios), math.sqrt(own / len(ratios) + 2 * JVM**2)
    reach = NORMAL.inv_cdf(0.975) * error
    return middle, middle - reach, middle + reach, 2 * NORMAL.cdf(-abs(middle) / error)


def _timed(
    method: str,
    base: Sequence[Window],
    head: Sequence[Window],
    interval: tuple[float, float, float, float] | None,
    q: float | None,
) -> Timed:
    calls = [[_calls(w, method) for w in side] for side in (base, head)]
    known = Timed(
        method=method.replace("::", "."),
        base_calls=fmean(calls[0]),
        head_calls=fmean(calls[1]),
        base=_microseconds(base, method),
        head=_microseconds(head, method),
        base_least=_least(base, method),
        head_least=_least(head, method),
    )
    word = _counted(*calls)
    if interval is None or q is None:
        return msgspec.structs.replace(known, word=word)
    change, low, high = (math.expm1(n) for n in interval[:3])
    if not word and q <= CHANCE:
        word = "slower" if change > 0 else "faster"
    return msgspec.structs.replace(known, change=change, low=low, high=high, q=q, word=word)


def _calls(window: Window, method: str) -> float:
    return window.calls[method].count / window.requests if method in window.calls else 0.0


def _counted(base: Sequence[float], head: Sequence[float]) -> Word:
    """By the calls alone: every window of one side has more than every one of the other."""
    if not any(base):
        return "new"
    if not any(head):
        return "gone"
    if min(head) > max(base) * (1 + COUNTED):
        return "called more"
    return "called less" if max(head) < min(base) * (1 - COUNTED) else ""


def _microseconds(windows: Sequence[Window], method: str) -> float | None:
    calls = [w.calls[method] for w in windows if method in w.calls]
    count = sum(c.count for c in calls)
    return 1e6 * sum(c.seconds for c in calls) / count if count else None


def _least(windows: Sequence[Window], method: str) -> float | None:
    calls = [w.calls[method] for w in windows if method in w.calls and w.calls[method].count]
    return 1e6 * min(c.least for c in calls) if calls else None

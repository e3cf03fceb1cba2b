"""Change points of a series, found while its points arrive.

Each point asks: did the level shift, at any of the points before? A shift of the noise by some share, from
some point on, is one hypothesis; its evidence is the sum of the points' log-likelihood ratios against no
shift, under the density of the noise so far (`noise_shape.py`). Over shifts the likelihood is averaged
(Robbins, "Statistical methods related to the law of the iterated logarithm", 1970), so that not knowing the
size costs what it must; over where it began the best counts. When a single one of these tests errs with a
chance of at most e^-h, the mean number of points between false alarms is at least e^h (Lorden, "Procedures
for reacting to a change in distribution", 1971, theorem 2). So h is the logarithm of that number.

That holds for a density that is known, and this one is estimated. So one point's evidence has a limit that
grows with what was seen, and all evidence shrinks by n/(n + m), where n points tell where the old level is
and m the new one: that is what two means of n and m points know less than one of m against a level that is
known. And noise that became wider isn't a shift: what explains the points as well, at the price of being
rarer, is taken off the evidence.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from telar.analyse.noise_shape import CELLS, FAR, MIDDLE, PER_SCALE, Shape, Values, shape_of

EVERY = 2  # cells between two shifts that are tried: half a scale
OTHER_NOISE = (0.125, 0.25, 0.5, 2.0, 4.0, 8.0)  # times as wide as it was
BASELINE = 150  # points at most that say what the old level was
BACK, HISTORY = 0.4, 60  # share of a level's points in which a change may have begun, and how many at most
RENEWAL = 4.0  # nats more than for a change, to take the noise for another
NEAR = 3.0  # nats that a first look, with an older baseline, may miss
PEAK = 1.5  # nats that neighbouring shifts may add to the best one's
REVIEWS = (8, 16, 32)
SLACK = 6  # points by which its place may be wrong


@dataclass(frozen=True, kw_only=True)
class Rules:
    between: float = 2000.0  # points between false alarms, in the mean, of each direction
    least: int = 8  # points of a level before anything is said about the next
    smallest: float = 0.015  # change that is of interest, as a share
    largest: float = 2.0  # beyond which it no longer matters how large it is
    exact: float = 0.001  # as a share of the level: no value is taken to be exacter
    rarer: float = 4.0  # nats by which other noise is less likely than a shift, a priori

    @property
    def needed(self) -> float:
        """Evidence, in nats."""
        return math.log(self.between)


@dataclass(frozen=True, kw_only=True)
class Change:
    index: int  # the first point of the new level
    decided: int  # the point with which there was enough evidence
    up: bool
    size: float  # new level ÷ old level, less one; where values may be zero or less, in shares of the level
    evidence: float  # nats


@dataclass
class Watcher:
    """The state of watching one series: `extend` takes points and gives the changes that they prove."""

    rules: Rules = field(default_factory=Rules)
    changes: list[Change] = field(default_factory=list)  # those that still stand
    _values: list[float] = field(default_factory=list)
    _unit: float | None = None  # of values that have no logarithm
    _start: int = 0  # of the current level
    _before: int = 0  # start of the level before it
    _next: int = 0  # the first point that was not decided on
    _block: _Block | None = None
    _reviews: list[int] = field(default_factory=list)  # points at which the last change is looked at again

    def extend(self, values: Iterable[float]) -> list[Change]:
        """The changes found with these points that still stand after them, in order. Values are finite."""
        self._values.extend(values)
        every = self._levels()
        known = len(self.changes)
        while self._next < len(every):
            self._step(every)
        return self.changes[known:]

    def _levels(self) -> Values:
        """Logarithms; where a value is zero or less there are none, and shares of the level take their
        place.
        """
        every = np.asarray(self._values, dtype=np.float64)
        if self._unit is None and len(every) and every.min() <= 0:
            size = np.abs(every)
            self._unit = float(np.median(size)) or float(size.mean()) or 1.0
            self.changes, self._start, self._before, self._next = [], 0, 0, 0
            self._block, self._reviews = None, []
        return np.log(every) if self._unit is None else every / self._unit

    def _step(self, every: Values) -> None:
        """Decides on the next points, as far as one baseline and no review reach."""
        if self._reviews and self._next >= self._reviews[0]:
            del self._reviews[0]
            self._review(every[: self._next])
        length = self._next - self._start
        if length < self.rules.least:
            self._next = self._start + self.rules.least
            return
        block = self._block
        if block is None or not block.begin <= self._next < block.end:
            block = self._block = _Block.at(every, self._start, length, self.rules)
        until = min([block.end, len(every), *self._reviews[:1]])
        found = block.first(every, self._start, self._next, until, self.rules)
        if found is None:
            self._next = until
            self._renew(block, every[:until])
            return
        self.changes.append(found)
        self._begin(self._start, found.index)
        self._next = max(found.decided + 1, self._start + self.rules.least)
        self._reviews = [found.index + n for n in REVIEWS if found.index + n > self._next]

    def _renew(self, block: _Block, every: Values) -> None:
        """Forgets what was before the noise became another: the level goes on, the baseline doesn't."""
        evidence = _Evidence.of(block.shape, every[block.baseline_end :], self.rules)
        at = evidence.renewed(self.rules.needed + RENEWAL)
        if at is not None:
            self._start, self._block = block.baseline_end + at, None

    def _begin(self, before: int, start: int) -> None:
        self._before, self._start, self._block = before, start, None

    def _review(self, every: Values) -> None:
        """The last change in the light of what came after it: its place, and whether it stands at all."""
        last = self.changes[-1]
        slack = min(SLACK, (last.index - self._before) // 4)
        begin = last.index - slack
        shape = shape_of(every[max(self._before, begin - BASELINE) : begin], self.rules.exact)
        evidence = _Evidence.of(shape, every[begin:], self.rules)
        found = evidence.best(len(every) - begin, up=last.up, within=2 * slack + 1)
        if found.nats < self.rules.needed / 2:
            self.changes.pop()
            self._start, self._block, self._reviews = self._before, None, []
            return
        self.changes[-1] = replace(last, index=begin + found.at, size=found.size, evidence=found.nats)
        self._begin(self._before, begin + found.at)


def changes(values: Sequence[float], rules: Rules | None = None) -> list[Change]:
    """All changes of a series."""
    watcher = Watcher(rules or Rules())
    watcher.extend(values)
    return watcher.changes


def shift_between(reference: Sequence[float], recent: Sequence[float], rules: Rules) -> Change | None:
    """Whether all of `recent` lies at another level than `reference` does; None, too, where a value has no
    logarithm.
    """
    if min(*reference, *recent) <= 0:
        return None
    shape = shape_of(np.log(np.asarray(reference, dtype=np.float64)), rules.exact)
    evidence = _Evidence.of(shape, np.log(np.asarray(recent, dtype=np.float64)), rules)
    found = max((evidence.best(len(recent), up=up, within=1) for up in (False, True)), key=lambda f: f.nats)
    if found.nats < rules.needed:
        return None
    return Change(index=0, decided=len(recent) - 1, up=found.up, size=found.size, evidence=found.nats)


@dataclass
class _Block:
    """Points that are decided on with the same baseline: it is estimated anew when a fifth more is known."""

    baseline_end: int
    begin: int
    end: int
    shape: Shape

    @classmethod
    def at(cls, every: Values, start: int, length: int, rules: Rules) -> _Block:
        back = min(HISTORY, int(BACK * length))
        end = start + max(rules.least, length - back)
        begin = start + length
        return cls(
            baseline_end=end,
            begin=begin,
            end=begin + max(1, min(length // 5, HISTORY)),
            shape=shape_of(every[max(start, end - BASELINE) : end], rules.exact),
        )

    def first(self, every: Values, start: int, since: int, until: int, rules: Rules) -> Change | None:
        """The first change that is proven with one of the points from `since` to before `until`."""
        evidence = _Evidence.of(self.shape, every[self.baseline_end : until], rules)
        if not evidence.may_reach(rules.needed - NEAR):
            return None
        for point in range(since, until):
            for up in (False, True):
                found = evidence.best(point + 1 - self.baseline_end, up=up)
                if found.nats >= rules.needed - NEAR:
                    sure = _sure(every[: point + 1], start, self.baseline_end + found.at, up, rules)
                    if sure:
                        return sure
        return None


def _sure(every: Values, start: int, at: int, up: bool, rules: Rules) -> Change | None:
    """A change at `at` or later, by the density of all that came before it."""
    shape = shape_of(every[max(start, at - BASELINE) : at], rules.exact)
    found = _Evidence.of(shape, every[at:], rules).best(len(every) - at, up=up)
    if found.nats < rules.needed:
        return None
    return Change(index=at + found.at, decided=len(every) - 1, up=up, size=found.size, evidence=found.nats)


@dataclass(frozen=True)
class _Best:
    nats: float
    at: int
    up: bool
    size: float


@cache
def _prior(least: int, most: int) -> Values:
    """A priori a shift as likely lies between 1 and 2 scales as between 10 and 20."""
    steps = np.arange(least, most + 1)
    return -np.log(steps) - math.log(float(np.sum(1.0 / steps)))


@dataclass
class _Evidence:
    """Log-likelihood ratios of shifts, summed: row n is the first n recent points, a column a shift."""

    shape: Shape
    least: int  # the first column's shift, in steps of EVERY cells
    prior: Values  # (shifts,)
    shifted: tuple[Values, Values]  # log densities, (points, shifts) each: down, up
    noisy: Values  # (points, OTHER_NOISE): the same of no shift but other noise
    sums: tuple[Values, Values]  # of the log-likelihood ratios of the shifts
    noise: Values  # and of the other noise
    rarer: float

    @classmethod
    def of(cls, shape: Shape, recent: Values, rules: Rules) -> _Evidence:
        far = min(FAR, math.log1p(rules.largest) / shape.scale)
        z = np.clip((recent - shape.centre) / shape.scale, -far, far)
        cells = np.rint(z * PER_SCALE).astype(np.intp) + MIDDLE
        unit = shape.scale * EVERY / PER_SCALE
        least = max(1, math.ceil(math.log1p(rules.smallest) / unit))
        most = max(least, int(far * PER_SCALE / EVERY) + 1)
        seen = int(np.abs(cells - MIDDLE).max()) // EVERY + PER_SCALE
        steps = np.arange(least, max(least, min(most, seen)) + 1) * EVERY
        density, own = shape.log_density, shape.log_density[cells][:, None]

        def summed(log_density: Values) -> Values:
            sums = np.zeros((len(z) + 1, log_density.shape[1]))
            np.cumsum(np.clip(log_density - own, -shape.most, shape.most), axis=0, out=sums[1:])
            return sums

        down = density[np.minimum(cells[:, None] + steps, CELLS - 1)]
        up = density[np.maximum(cells[:, None] - steps, 0)]
        # Nothing is narrower than what is exact.
        widths = np.asarray([w for w in OTHER_NOISE if w > 1 or w * shape.scale >= rules.exact])
        wider = np.clip(np.rint(z[:, None] / widths * PER_SCALE).astype(np.intp) + MIDDLE, 0, CELLS - 1)
        noisy = density[wider] - np.log(widths)
        return cls(
            shape=shape,
            least=least,
            prior=_prior(least, most)[: len(steps)],
            shifted=(down, up),
            noisy=noisy,
            sums=(summed(down), summed(up)),
            noise=summed(noisy),
            rarer=rules.rarer,
        )

    def may_reach(self, needed: float) -> bool:
        """Whether the sum of any successive points comes near it: what is below is below for every point."""
        for sums in self.sums:
            rises = (sums - np.minimum.accumulate(sums, axis=0)).max(axis=0)
            if np.max(rises + self.prior) >= needed - PEAK:
                return True
        return False

    def renewed(self, needed: float) -> int | None:
        """Where the noise became another, when that is sure and no shift explains it as well."""
        other = (self.noise[-1] - self.noise[:-1]).max(axis=1)
        if other.max() < needed:
            return None
        shifts = np.maximum(*((sums[-1] - sums[:-1]).max(axis=1) for sums in self.sums))
        gain = other - np.maximum(shifts, 0.0)
        at = int(np.argmax(gain))
        return at if gain[at] >= needed else None

    def best(self, count: int, *, up: bool, within: int | None = None) -> _Best:
        """Where a shift most likely began, by the first `count` points: at one of the first `within`."""
        began = min(count, within or count)
        sums = self.sums[int(up)]
        known = self.shape.points
        shrink = known / (known + count - np.arange(began))
        tails = (sums[count] - sums[:began]) * shrink[:, None]
        weighted = tails + self.prior
        top = weighted.max(axis=1)
        nats = top + np.log(np.exp(weighted - top[:, None]).sum(axis=1))
        at = int(np.argmax(nats))
        column = int(np.argmax(tails[at]))
        step = self.least + column
        # Against no shift but other noise, which is rarer: what that explains as well is no evidence.
        against = self.shifted[int(up)][at:count, column, None] - self.noisy[at:count]
        ratio = np.clip(against, -self.shape.most, self.shape.most).sum(axis=0).min() * shrink[at]
        size = (step if up else -step) * EVERY / PER_SCALE * self.shape.scale
        return _Best(
            nats=min(float(nats[at]), float(ratio) + self.rarer), at=at, up=up, size=math.expm1(size)
        )

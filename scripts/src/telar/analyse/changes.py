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
rarer, is taken off the evidence. Nor is it one when noise that follows itself wanders (`noise_shape.py`), or
a level is visited again (`levels_held.py`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache

import numpy as np

from telar.analyse.levels_held import KNOWN, SETTLED, plain, visited
from telar.analyse.noise_shape import FAR, MIDDLE, PER_SCALE, Shape, Values, independent, shape_of

EVERY = 2  # cells between two shifts that are tried: half a scale
OTHER_NOISE = (0.125, 0.25, 0.5, 2.0, 4.0, 8.0)  # times as wide as it was
BASELINE = 150  # points at most that say what the old level was
BACK, HISTORY = 0.4, 60  # share of a level's points in which a change may have begun, and how many at most
RENEWAL = 4.0  # nats more than for a change, to take the noise for another
NEAR = 3.0  # nats that a first look, with an older baseline, may miss
PEAK = 1.5  # nats that neighbouring shifts may add to the best one's
REVIEWS = (8, 16, 32)
RENEWED = 3  # a baseline serves for a third more points
SLACK = 6  # points by which its place may be wrong


@dataclass(frozen=True, kw_only=True)
class Rules:
    between: float = 1200.0  # points between false alarms, in the mean, of each direction
    least: int = 8  # points of a level before anything is said about the next
    smallest: float = 0.015  # change that is of interest, as a share
    clear: float = 0.5  # change that is of interest, in scales of the noise
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
    """The state of watching one series: `extend` takes points, `changes` are what they prove so far."""

    rules: Rules = field(default_factory=Rules)
    older: int = 0  # points of the series that came before, in another environment
    changes: list[Change] = field(default_factory=list)  # those that still stand
    _values: list[float] = field(default_factory=list)
    _unit: float | None = None  # of values that have no logarithm
    _start: int = 0  # of the current level
    _before: int = 0  # start of the level before it
    _next: int = 0  # the first point that was not decided on
    _block: _Block | None = None
    _reviews: list[int] = field(default_factory=list)  # points at which the last change is looked at again
    _waiting: _Waiting | None = None

    def extend(self, values: Iterable[float]) -> None:
        """Values are finite."""
        self._values.extend(values)
        every = self._levels()
        while self._next < len(every):
            self._step(every)

    def _levels(self) -> Values:
        """Logarithms; where a value is zero or less there are none, and shares of the level take their
        place.
        """
        every = np.asarray(self._values, dtype=np.float64)
        if self._unit is None and len(every) and every.min() <= 0:
            size = np.abs(every)
            self._unit = float(np.median(size)) or float(size.mean()) or 1.0
            self.changes, self._start, self._before, self._next = [], 0, 0, 0
            self._block, self._reviews, self._waiting = None, [], None
        return np.log(every) if self._unit is None else every / self._unit

    def _step(self, every: Values) -> None:
        """Decides on the next points, as far as one baseline and no review reach."""
        if self._reviews and self._next >= self._reviews[0]:
            del self._reviews[0]
            self._review(every[: self._next])
        if self._waiting and self._next >= self._waiting.due[0]:
            found = self._after_all(every[: self._next])
            if found:
                self._take(found)
                return
        length = self._next - self._start
        if length < self.rules.least:
            self._next = self._start + self.rules.least
            return
        block = self._block
        if block is None or not block.begin <= self._next < block.end:
            block = self._block = _Block.at(every, self._start, length, self.rules)
        until = min([block.end, len(every), *self._reviews[:1], *self._due()])
        evidence = block.evidence(every[:until], self.rules)
        found = self._first(block, evidence, every)
        if found:
            self._take(found)
            return
        self._next = min([until, *self._due()])
        if self._next == block.end:
            self._renew(block, evidence)

    def _due(self) -> list[int]:
        return self._waiting.due[:1] if self._waiting else []

    def _take(self, found: Change) -> None:
        self.changes.append(found)
        self._begin(self._start, found.index)
        self._next = max(found.decided + 1, self._start + self.rules.least)
        self._reviews = [found.index + n for n in REVIEWS if found.index + n > self._next]

    def _first(self, block: _Block, evidence: _Evidence, every: Values) -> Change | None:
        """The first change that is proven by the next points, and is no visit."""
        for count, up in evidence.suspects(self._next - block.baseline_end, self.rules.needed - NEAR):
            known = every[: block.baseline_end + count]
            if self._waiting and len(known) > self._waiting.due[0]:
                return None
            found = evidence.best(count, up=up)
            if found.nats < self.rules.needed - NEAR:
                continue
            sure = _sure(known, self._start, block.baseline_end + found.at, up, self.rules)
            if sure and self._visit(known, sure.index, block.shape.scale):
                self._waiting = self._waiting or _Waiting.of(sure, len(known))
            elif sure:
                return sure
        return None

    def _visit(self, every: Values, at: int, scale: float) -> bool:
        """Whether the level since `at` may be one of several that are all the series' own."""
        young = self.older + at < KNOWN and len(every) - at < KNOWN
        if young and not plain(every[self._start : at], every[at:], first=not self._start):
            return True
        return visited(every, self._before, self._start, at, scale)

    def _after_all(self, every: Values) -> Change | None:
        """What was taken for a visit, and has stayed."""
        assert self._waiting, "there is one when this is asked"
        at, up = self._waiting.at, self._waiting.up
        del self._waiting.due[0]
        if not self._waiting.due:
            self._waiting = None
        found = _sure(every, self._start, at, up, self.rules)
        scale = shape_of(every[max(self._start, at - BASELINE) : at], self.rules.exact).scale
        return found if found and not self._visit(every, found.index, scale) else None

    def _renew(self, block: _Block, evidence: _Evidence) -> None:
        """Forgets what was before the noise became another: the level goes on, the baseline doesn't."""
        at = evidence.renewed(self.rules.needed + RENEWAL)
        if at is not None:
            self._begin(self._before, block.baseline_end + at)

    def _begin(self, before: int, start: int) -> None:
        self._before, self._start, self._block, self._waiting = before, start, None, None

    def _review(self, every: Values) -> None:
        """The last change in the light of what came after it: its place, and whether it stands at all."""
        last = self.changes[-1]
        slack = min(SLACK, (last.index - self._before) // 4)
        begin = last.index - slack
        shape = shape_of(every[max(self._before, begin - BASELINE) : begin], self.rules.exact)
        evidence = _Evidence.after(shape, every, begin, self.rules)
        found = evidence.best(len(every) - begin, up=last.up, within=2 * slack + 1)
        if found.nats < self.rules.needed / 2:
            self.changes.pop()
            self._begin(self._before, self._before)
            self._reviews = []
            return
        self.changes[-1] = replace(last, index=begin + found.at, size=found.size, evidence=found.nats)
        self._begin(self._before, begin + found.at)


@dataclass
class _Waiting:
    """A level that may be a visit, and the points at which it no longer is one."""

    at: int
    up: bool
    due: list[int]

    @classmethod
    def of(cls, change: Change, now: int) -> _Waiting | None:
        due = [change.index + n + SLACK for n in (KNOWN, SETTLED)]
        left = [n for n in due if n > now]
        return cls(at=change.index, up=change.up, due=left) if left else None


def changes(values: Sequence[float], rules: Rules | None = None, older: int = 0) -> list[Change]:
    """All changes of a series, after so many older points of it that don't compare."""
    watcher = Watcher(rules or Rules(), older)
    watcher.extend(values)
    return watcher.changes


def shift_between(reference: Sequence[float], recent: Sequence[float], rules: Rules) -> Change | None:
    """Whether all of `recent` lies at another level than `reference` does; None, too, where a value has no
    logarithm.
    """
    if min(*reference, *recent) <= 0:
        return None
    shape = shape_of(np.log(np.asarray(reference, dtype=np.float64)), rules.exact)
    logarithms = np.log(np.asarray(recent, dtype=np.float64))
    own = independent(logarithms, float(logarithms[0]), shape.correlation)
    evidence = _Evidence.of(shape, own, rules)
    found = max((evidence.best(len(recent), up=up, within=1) for up in (False, True)), key=lambda f: f.nats)
    if found.nats < rules.needed:
        return None
    return Change(index=0, decided=len(recent) - 1, up=found.up, size=found.size, evidence=found.nats)


@dataclass
class _Block:
    """Points that are decided on with the same baseline: it is estimated again when a third more is known."""

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
            end=begin + max(1, min(length // RENEWED, 2 * HISTORY)),
            shape=shape_of(every[max(start, end - BASELINE) : end], rules.exact),
        )

    def evidence(self, every: Values, rules: Rules) -> _Evidence:
        """Of all points after the baseline."""
        return _Evidence.after(self.shape, every, self.baseline_end, rules)


def _sure(every: Values, start: int, at: int, up: bool, rules: Rules) -> Change | None:
    """A change at `at` or later, by the density of all that came before it."""
    shape = shape_of(every[max(start, at - BASELINE) : at], rules.exact)
    found = _Evidence.after(shape, every, at, rules).best(len(every) - at, up=up)
    if found.nats < rules.needed or abs(math.log1p(found.size)) < rules.clear * shape.scale:
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
    """What points say: a row is a point, a column a shift down (the first of them), a shift up (as many
    more), or no shift but other noise (the rest). The sums are of log-likelihood ratios against no shift.
    """

    shape: Shape
    least: int  # the first column's shift, in steps of EVERY cells
    prior: Values  # (shifts,)
    densities: Values  # (points, columns), logarithms
    sums: Values  # (points + 1, columns) of the ratios: row n is of the first n points
    rarer: float

    @classmethod
    def after(cls, shape: Shape, every: Values, begin: int, rules: Rules) -> _Evidence:
        """Of the points from `begin` on."""
        own = independent(every[begin:], float(every[begin - 1]), shape.correlation)
        return cls.of(shape, own, rules)

    @classmethod
    def of(cls, shape: Shape, recent: Values, rules: Rules) -> _Evidence:
        """Of points whose correlation was taken out."""
        far = min(FAR, math.log1p(rules.largest) / shape.scale)
        z = np.minimum(np.maximum((recent - shape.centre) / shape.scale, -far), far) * PER_SCALE
        cells = np.rint(z).astype(np.intp) + MIDDLE
        unit = shape.scale * EVERY / PER_SCALE
        least = max(1, math.ceil(math.log1p(rules.smallest) / unit))
        most = max(least, int(far * PER_SCALE / EVERY) + 1)
        seen = int(max(cells.max() - MIDDLE, MIDDLE - cells.min())) // EVERY + PER_SCALE
        steps = np.arange(least, max(least, min(most, seen)) + 1)
        # Nothing is narrower than what is exact.
        widths = np.asarray([w for w in OTHER_NOISE if w > 1 or w * shape.scale >= rules.exact])
        place = np.empty((len(z), 2 * len(steps) + len(widths)), dtype=np.intp)
        place[:, : len(steps)] = cells[:, None] + steps * EVERY
        place[:, len(steps) : -len(widths)] = cells[:, None] - steps * EVERY
        place[:, -len(widths) :] = np.rint(z[:, None] / widths) + MIDDLE
        densities = shape.log_density.take(place, mode="clip")
        densities[:, -len(widths) :] -= np.log(widths)
        ratios = densities - shape.log_density[cells][:, None]
        np.minimum(np.maximum(ratios, -shape.most, out=ratios), shape.most, out=ratios)
        sums = np.zeros((len(z) + 1, ratios.shape[1]))
        np.cumsum(ratios, axis=0, out=sums[1:])
        return cls(
            shape=shape,
            least=least,
            prior=_prior(least, most)[: len(steps)],
            densities=densities,
            sums=sums,
            rarer=rules.rarer,
        )

    def suspects(self, since: int, needed: float) -> list[tuple[int, bool]]:
        """After how many points, more than `since`, the sum of any successive ones comes near it, and
        whether for a shift up. Cheap, and no less than `best` gives."""
        shifts = len(self.prior)
        rises = self.sums[:, : 2 * shifts] - np.minimum.accumulate(self.sums[:, : 2 * shifts], axis=0)
        near = (rises[since + 1 :].reshape(-1, 2, shifts) + self.prior).max(axis=2) >= needed - PEAK
        return [(since + 1 + int(n), bool(up)) for n, up in np.argwhere(near)] if near.any() else []

    def renewed(self, needed: float) -> int | None:
        """Where the noise became another, when that is sure and no shift explains it as well."""
        shifts = len(self.prior)
        other = (self.sums[-1, 2 * shifts :] - self.sums[:-1, 2 * shifts :]).max(axis=1)
        if other.max() < needed:
            return None
        shifted = (self.sums[-1, : 2 * shifts] - self.sums[:-1, : 2 * shifts]).max(axis=1)
        gain = other - np.maximum(shifted, 0.0)
        at = int(np.argmax(gain))
        return at if gain[at] >= needed else None

    def best(self, count: int, *, up: bool, within: int | None = None) -> _Best:
        """Where a shift most likely began, by the first `count` points: at one of the first `within`."""
        began = min(count, within or count)
        shifts = len(self.prior)
        own = slice(shifts, 2 * shifts) if up else slice(shifts)
        known = self.shape.points
        shrink = known / (known + count - np.arange(began))
        tails = (self.sums[count, own] - self.sums[:began, own]) * shrink[:, None]
        weighted = tails + self.prior
        top = weighted.max(axis=1)
        nats = top + np.log(np.exp(weighted - top[:, None]).sum(axis=1))
        at = int(np.argmax(nats))
        column = int(np.argmax(tails[at]))
        # Against no shift but other noise, which is rarer: what that explains as well is no evidence.
        here = (shifts if up else 0) + column
        against = self.densities[at:count, here, None] - self.densities[at:count, 2 * shifts :]
        ratio = np.clip(against, -self.shape.most, self.shape.most).sum(axis=0).min() * shrink[at]
        size = (self.least + column) * (1 if up else -1) * EVERY / PER_SCALE * self.shape.scale
        return _Best(
            nats=min(float(nats[at]), float(ratio) + self.rarer), at=at, up=up, size=math.expm1(size)
        )

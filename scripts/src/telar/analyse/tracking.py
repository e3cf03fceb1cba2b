"""The state of a series: its level, the level it is compared with, and what is open against it.

Change points alone forget: the point after a step is as good as the one before it. So each series has a
*reference*, the last accepted level. A change for the worse opens a regression, which stays open until the
level is back at the reference (cured) or somebody accepts it with a reason. A change for the better makes a
new reference by itself. What comes in steps too small for any one of them to be seen is found against the
reference, too: drift. Where the environment changed (kernel, machine, JVM build, …) levels don't compare:
the series begins again there, with the reference as far away as it was before.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import median
from typing import Literal, TypeAlias

from telar.analyse import changes
from telar.analyse.changes import Rules
from telar.store.accepted import Acceptance
from telar.store.points import Point

Kind = Literal["regression", "improvement", "drift"]
State = Literal["suspected", "open", "cured", "accepted", "seen"]
FIRM = 5  # points of the new level from which on a finding is more than a suspicion
Levels: TypeAlias = list[tuple[changes.Change | None, list[Point]]]
RECENT = 20  # points that are held against the reference for drift
OLD = 40  # points of the reference, at most, that they are held against


@dataclass(frozen=True, kw_only=True)
class Growth:
    """A step for the worse while a regression was open already."""

    before: Point  # the last of the level before
    since: Point
    held: float  # the level before the step
    level: float


@dataclass(frozen=True, kw_only=True)
class Finding:
    kind: Kind
    state: State
    series: str
    metric: str
    before: Point  # the last of the old level: what came after it, up to `since`, is to blame
    since: Point  # the first of the new level
    decided: Point  # with which there was enough evidence
    reference: float
    level: float
    evidence: float  # nats
    points: int  # of the new level
    reason: str = ""  # of the acceptance
    growth: tuple[Growth, ...] = ()  # the steps by which an open regression became worse, oldest first
    over: Point | None = None  # of a cured one, the first of the level that cured it

    @property
    def change(self) -> float:
        """The level against the reference, as a share of it."""
        return self.level / self.reference - 1 if self.reference else float("inf")


@dataclass(frozen=True, kw_only=True)
class Level:
    """What a series' older points left behind: all that later ones are judged by."""

    reference: float
    against: tuple[float, ...]  # the first values that the reference is the median of
    until: float  # the time of the last of them
    environment: str
    open: Finding | None


@dataclass(frozen=True, kw_only=True)
class Tracked:
    """A series as it stands."""

    series: str
    metric: str
    unit: str
    better: Literal["smaller", "bigger"]
    points: int
    left_out: int  # that weren't valid
    environments: int
    reference: float | None  # None: no point
    level: float | None
    findings: tuple[Finding, ...]
    left: Level | None  # as it was after the points up to the time that was asked for

    @property
    def open(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.kind != "improvement" and f.state in ("suspected", "open"))


@dataclass
class _Track:
    """What is known while the levels are gone through."""

    better: str
    smallest: float
    accepted: tuple[Acceptance, ...]
    split: float
    reference: float | None = None
    against: tuple[float, ...] = ()
    until: float = 0.0
    environment: str = ""
    open: Finding | None = None
    left: Level | None = None

    def reach(self, time: float) -> None:
        """The next level begins then."""
        if time > self.split and self.left is None:
            self.left = self.level()

    def level(self) -> Level | None:
        if self.reference is None:
            return None
        return Level(
            reference=self.reference,
            against=self.against,
            until=self.until,
            environment=self.environment,
            open=self.open,
        )

    def loss(self, level: float) -> float:
        """By which share a level is worse than the reference; below zero, better."""
        if not self.reference or not level:
            return 0.0
        ratio = level / self.reference
        return ratio - 1 if self.better == "smaller" else 1 / ratio - 1

    def settle(self, points: Sequence[Point]) -> None:
        self.refer(points, 1.0)
        self.open = None

    def refer(self, points: Sequence[Point], ratio: float) -> None:
        """Takes points for what the reference is, `ratio` times as high."""
        self.reference = median(p.value for p in points) / ratio
        self.against = tuple(p.value / ratio for p in points[:OLD])
        self.until = points[:OLD][-1].time

    def accept(self, level: Sequence[Point], time: float) -> None:
        """The reference is what was measured last before `time`, or of a young level, around it."""
        before = sum(p.time <= time for p in level)
        self.settle(level[max(0, before - RECENT) : max(before, RECENT)])


def rules_of(matters: float | None) -> Rules:
    """The detector's rules for a metric: no change is reported that is smaller than what matters."""
    rules = Rules()
    return rules if matters is None else replace(rules, smallest=max(rules.smallest, matters))


def track(
    points: Sequence[Point],
    accepted: Iterable[Acceptance] = (),
    rules: Rules | None = None,
    *,
    start: Level | None = None,
    split: float = math.inf,
) -> Tracked:
    """Of one series' points, in the order of time. `start`: what those before them left; `split`: for what
    time to tell what is left.
    """
    rules = rules or Rules()
    first = points[0]
    own = tuple(sorted((a for a in accepted if (a.series, a.metric) == first.key), key=lambda a: a.time))
    sound = [p for p in points if p.validity == "valid"]
    state = _Track(better=first.better, smallest=rules.smallest, accepted=own, split=split)
    if start:
        state.reference, state.against, state.until = start.reference, start.against, start.until
        state.environment, state.open = start.environment, start.open
    findings: list[Finding] = []
    stretches = [list(g) for _, g in groupby(sound, key=lambda p: p.environment)]
    level: list[Point] = []
    older = len(state.against)
    for stretch in stretches:
        levels = _levels(stretch, rules, older)
        older += len(stretch)
        for finding in _go_through(state, stretch, levels, rules):
            findings = [f for f in findings if f.since != finding.since or f.kind != finding.kind]
            findings.append(finding)
        level = levels[-1][1]
    return Tracked(
        series=first.series,
        metric=first.metric,
        unit=first.unit,
        better=first.better,
        points=len(points),
        left_out=len(points) - len(sound),
        environments=len(stretches),
        reference=state.reference,
        level=median(p.value for p in level) if level else None,
        findings=tuple(findings),
        left=state.left or state.level(),
    )


def _begin(state: _Track, level: list[Point], rules: Rules) -> changes.Change | None:
    """The first level of a stretch. In another environment it is as far from the reference as the last one
    was in the one before; in the same one, after points that aren't here any more, it may be a change.
    """
    values = [p.value for p in level]
    if state.reference is not None and state.environment == level[0].environment:
        again = changes.Change(index=0, decided=0, up=True, size=0.0, evidence=0.0)
        return changes.shift_between(state.against, values, rules) or (again if state.open else None)
    state.environment = level[0].environment
    if state.open is None or not state.reference:
        state.settle(level)
    else:
        state.refer(level, state.open.level / state.reference or 1.0)
    return None


def _levels(stretch: list[Point], rules: Rules, older: int) -> Levels:
    """The levels of a stretch, each with the change that began it; so many points came before it."""
    found = changes.changes([p.value for p in stretch], rules, older)
    edges = [0, *(c.index for c in found), len(stretch)]
    return [
        (change, stretch[a:b])
        for change, a, b in zip([None, *found], edges[:-1], edges[1:], strict=True)
        if b > a
    ]


def _go_through(state: _Track, stretch: list[Point], levels: Levels, rules: Rules) -> Iterator[Finding]:
    """Findings as they come about; one that is reported again replaces what was reported of it."""
    for n, (found, own) in enumerate(levels):
        state.reach(own[0].time)
        before = levels[n - 1][1][-1] if n else own[0]
        change = found if n else _begin(state, own, rules)
        if change:
            held = median(p.value for p in levels[n - 1][1]) if n else None
            yield from _judge(
                state, change, before, own, last=n == len(levels) - 1, stretch=stretch, held=held
            )
        for acceptance in state.accepted:
            if own[0].time <= acceptance.time <= own[-1].time:
                if state.open:
                    yield replace(state.open, state="accepted", reason=acceptance.reason)
                state.accept(own, acceptance.time)
    drifted = _drift(state, levels[-1][1], rules)
    if drifted:
        yield drifted


def _judge(
    state: _Track,
    change: changes.Change,
    before: Point,
    own: list[Point],
    *,
    last: bool,
    stretch: list[Point],
    held: float | None,
) -> Iterator[Finding]:
    """`held`: the level before, where it is known."""
    level = median(p.value for p in own)
    loss = state.loss(level)
    suspected = last and len(own) < FIRM
    assert state.reference is not None, "a stretch begins with a reference"
    finding = Finding(
        kind="regression" if loss > 0 else "improvement",
        state="suspected" if suspected else "open" if loss > 0 else "seen",
        series=own[0].series,
        metric=own[0].metric,
        before=before,
        since=own[0],
        decided=stretch[change.decided],
        reference=state.reference,
        level=level,
        evidence=change.evidence,
        points=len(own),
    )
    if abs(loss) < state.smallest:
        if state.open:
            yield replace(state.open, state="cured", over=own[0])
            state.open = None
    elif loss > 0:
        # Of a regression that grows its beginning counts; each further step is kept with it.
        state.open = finding if state.open is None else _grown(state, state.open, finding, held)
        yield state.open
    else:
        if state.open:
            yield replace(state.open, state="cured", over=own[0])
        yield finding
        if suspected:
            state.open = None
        else:
            state.settle(own)


def _grown(state: _Track, opened: Finding, step: Finding, held: float | None) -> Finding:
    """An open regression at its new level, with the step that led there where it made matters worse."""
    now = replace(opened, level=step.level, points=step.points)
    if held is None or state.loss(step.level) - state.loss(held) < state.smallest:
        return now
    known = [g for g in opened.growth if g.since != step.since]
    growth = Growth(before=step.before, since=step.since, held=held, level=step.level)
    return replace(now, growth=(*known, growth))


def _drift(state: _Track, own: list[Point], rules: Rules) -> Finding | None:
    """The last points against the reference, where no step was seen."""
    recent = [p for p in own if p.time > state.until][-RECENT:]
    if state.open or state.reference is None or len(state.against) < rules.least or len(recent) < RECENT:
        return None
    level = median(p.value for p in recent)
    if state.loss(level) < state.smallest:
        return None
    shift = changes.shift_between(state.against, [p.value for p in recent], rules)
    if shift is None or (shift.up != (state.better == "smaller")):
        return None
    return Finding(
        kind="drift",
        state="open",
        series=own[0].series,
        metric=own[0].metric,
        before=own[0],
        since=recent[0],
        decided=own[-1],
        reference=median(state.against),
        level=level,
        evidence=shift.evidence,
        points=len(recent),
    )

"""What is open in a published history, commit by commit: of many series that one commit moved, one group.

A detector that errs once in a thousand points of one series errs daily where it looks at hundreds. So a
group is reported only when its surest series would stand out among all those looked at (Bonferroni's
correction).
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import msgspec

from telar.analyse import interval
from telar.analyse.interval import Change
from telar.catalog.types import Catalog
from telar.plan.cells import Cell, cell_of
from telar.publish.columns import metric_file
from telar.publish.standing import Moment, Now, PublishedFinding, Standing
from telar.publish.watch import CANARY
from telar.store import points as store
from telar.store.points import Point
from telar.store.published import Published, month_of, run_path

FAMILY = 0.05  # the chance that any of all series stands out for nothing
NEAR = 2  # measured commits: so far the estimate of where a level began may be off
BEFORE = 40  # points of the level before, at most
REACH = 120 * 86_400  # seconds before a change in which these are looked for
OTHERS = "other tools"
SPARKS = "▁▂▃▄▅▆▇█"
SHOWN = 30  # values of a small chart


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """One metric of one series, and its finding."""

    series: str
    metric: str
    title: str
    unit: str
    digits: int
    finding: PublishedFinding
    change: Change | None  # None: too few points for an interval
    spark: str
    cell: Cell | None
    record: str  # the published file of the run that the new level began with; empty: none

    @property
    def key(self) -> tuple[str, str]:
        return self.series, self.metric

    @property
    def share(self) -> float:
        if self.change:
            return self.change.effect
        return self.finding.level / self.finding.reference - 1 if self.finding.reference else float("inf")


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """What began at one commit, of one system; the surest first."""

    system: str
    moved: tuple[Moved, ...]

    @property
    def first(self) -> Moved:
        return self.moved[0]

    @property
    def since(self) -> Moment:
        return self.first.finding.since

    @property
    def before(self) -> Moment:
        return self.first.finding.before


def judged(catalog: Catalog, standing: Standing) -> bool:
    """Whether a verdict may rest on it: what changes of nothing, or is the machine's own, opens no issue.
    What another tool measured is judged as that one says.
    """
    file = catalog.file.metric.get(standing.metric)
    return standing.metric != CANARY and (file is None or file.matters is not None)


def groups(catalog: Catalog, published: Published) -> list[Group]:
    """The firm ones that are open, the surest first. Raises StoreError."""
    now = published.now(Now)
    if now is None:
        return []
    every = [s for s in now.standing if judged(catalog, s)]
    found = [(s, f) for s in every for f in s.findings if f.state == "open" and f.kind != "improvement"]
    points = _points(published, found)
    moved = [_moved(catalog, now, published, s, f, points.get((s.series, s.metric), [])) for s, f in found]
    chance = FAMILY / max(1, len(every))
    return [g for g in _grouped(now, moved, _order(now, points)) if _sure(g.first) <= chance]


def _points(
    published: Published, found: Sequence[tuple[Standing, PublishedFinding]]
) -> dict[tuple[str, str], list[Point]]:
    if not found:
        return {}
    since = month_of(min(f.before.time for _, f in found) - REACH)
    metrics = {s.metric for s, _ in found}
    months = [m for m in published.months if m >= since]
    published.want(months, metrics)
    return store.by_series(published.points_of(months, metrics))


def _moved(
    catalog: Catalog,
    now: Now,
    published: Published,
    standing: Standing,
    finding: PublishedFinding,
    points: Sequence[Point],
) -> Moved:
    file = metric_file(catalog, standing.metric)
    sound = [p for p in points if p.validity == "valid"]
    after = [p for p in sound if int(p.time) >= finding.since.time]
    after = [p for p in after if p.environment == after[0].environment]
    before = [p for p in sound if _old_level(standing, finding) <= int(p.time) <= finding.before.time]
    before = [p for p in before if p.environment == before[-1].environment][-BEFORE:]
    return Moved(
        series=standing.series,
        metric=standing.metric,
        title=file.title,
        unit=file.unit or standing.unit,
        digits=file.digits,
        finding=finding,
        change=interval.change([p.value for p in before], [p.value for p in after]),
        spark=spark([p.value for p in sound][-SHOWN:]),
        cell=now.cells.get(standing.series),
        record=began_with(now, published, standing.series, after[0] if after else None),
    )


def _old_level(standing: Standing, finding: PublishedFinding) -> int:
    """When the level before a finding began: with the finding before it."""
    return max((f.since.time for f in standing.findings if f.since.time < finding.since.time), default=0)


def began_with(now: Now, published: Published, series: str, point: Point | None) -> str:
    """The published file of the run that a point is of, from the branch's root; empty where it has none."""
    cell = now.cells.get(series)
    if cell is None or point is None:
        return ""
    month = month_of(point.time)
    published.want([month], metrics=())
    for row in published.sessions(month):
        for name, kept in row.runs.items() if row.id == point.origin else ():
            if cell_of(name) == cell.name:
                return f"data/{run_path(month, row.id, name, kept)}"
    return ""


def _sure(moved: Moved) -> float:
    return moved.change.p if moved.change else 1.0


def _order(now: Now, points: dict[tuple[str, str], list[Point]]) -> list[int]:
    """The moments at which anything was measured."""
    found = {int(p.time) for own in points.values() for p in own}
    return sorted(found | {s.time for s in now.standing})


def _grouped(now: Now, moved: Sequence[Moved], order: Sequence[int]) -> list[Group]:
    """Near ones of one system together, around the surest of them."""
    found: list[tuple[str, list[Moved]]] = []
    for each in sorted(moved, key=lambda m: (_sure(m), -abs(m.share), m.key)):
        variant = now.variants.get(each.cell.label) if each.cell else None
        system = variant.system if variant else OTHERS
        near = next((own for name, own in found if name == system and _near(own[0], each, order)), None)
        if near is None:
            found.append((system, [each]))
        else:
            near.append(each)
    return [Group(system=system, moved=tuple(own)) for system, own in found]


def _near(one: Moved, other: Moved, order: Sequence[int]) -> bool:
    first, second = sorted((one.finding.since.time, other.finding.since.time))
    same = one.finding.since.commit and one.finding.since.commit == other.finding.since.commit
    return bool(same) or sum(first < moment <= second for moment in order) <= NEAR


def spark(values: Sequence[float]) -> str:
    """A small chart that any page can show: a character a value."""
    if not values:
        return ""
    low, high = min(values), max(values)
    steps = len(SPARKS) - 1
    return "".join(SPARKS[round((v - low) / (high - low) * steps) if high > low else 0] for v in values)


def day(moment: Moment) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment.time))

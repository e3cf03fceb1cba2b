"""What is wrong with a history itself: late, frozen, empty or orphaned series, a machine that changed.

Histories elsewhere stood still for weeks without anybody's notice: a page that is drawn from yesterday's
numbers looks as well as one of today's.

An alarm that rings on healthy mornings is soon ignored. So a series is late by its own schedule: it
is one that nights run, and its lane's turn is over. What was run by hand has no schedule.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Literal

import msgspec

from telar.catalog.types import Catalog
from telar.plan.cells import Cell, Wishes, make_plan
from telar.plan.lanes import NIGHTS, lanes, plan_of
from telar.publish.standing import Now

DAY = 86_400
GRACE = 3 * DAY  # a machine may miss a night or two
TURN = NIGHTS * DAY  # within which each lane of the nights is run
GONE = 14 * DAY  # after which a series whose variant is gone is history
FROZEN = 30  # values that are all the same
CANARY = "speed"

Kind = Literal["empty", "late", "frozen", "orphan", "canary"]
TITLES: dict[Kind, str] = {
    "empty": "no series has a valid point",
    "late": "series get no new points",
    "frozen": "series don't move at all",
    "orphan": "series whose variant is gone",
    "canary": "the machine isn't what it was",
}


class Alarm(msgspec.Struct, frozen=True, kw_only=True):
    kind: Kind
    lines: tuple[str, ...]  # what it is about, one each

    @property
    def title(self) -> str:
        return TITLES[self.kind]


def watch(catalog: Catalog, now: Now | None, today: float, only: tuple[str, ...] = ()) -> list[Alarm]:
    """One alarm of each kind at most. `today`: seconds since 1970; `only`: the variants that nights run
    in place of the suite's, empty for the suite's.
    """
    if now is None or not any(s.value is not None for s in now.standing):
        return [Alarm(kind="empty", lines=("nothing was published, or nothing that is valid",))]
    found: dict[Kind, list[str]] = {}
    for kind, line in [*_late(catalog, now, today, only), *_found(catalog, now, today)]:
        found.setdefault(kind, []).append(line)
    return [Alarm(kind=kind, lines=tuple(dict.fromkeys(found[kind]))) for kind in TITLES if kind in found]


def scheduled(catalog: Catalog, only: tuple[str, ...]) -> list[Cell]:
    """What the nights of a week run."""
    pipeline = catalog.file.pipeline
    wishes = Wishes(suite=pipeline.night, engine="compose", only=only)
    plans = [plan_of(catalog, wishes, lanes(catalog))]
    if pipeline.weekly:
        plans.append(make_plan(catalog, msgspec.structs.replace(wishes, suite=pipeline.weekly)))
    return [run.cell for plan in plans for run in plan.runs]


def _late(catalog: Catalog, now: Now, today: float, only: tuple[str, ...]) -> Iterator[tuple[Kind, str]]:
    newest = max(s.time for s in now.standing)
    if today - newest > GRACE:  # every night runs something
        yield "late", f"all series: the last point is of {_date(newest)}"
        return
    expected = scheduled(catalog, only)
    for standing in now.standing:
        if today - standing.time > TURN + GRACE and now.cells.get(standing.series) in expected:
            yield "late", f"{standing.series}: the last is of {_date(standing.time)}"


def _found(catalog: Catalog, now: Now, today: float) -> Iterator[tuple[Kind, str]]:
    for standing in now.standing:
        cell = now.cells.get(standing.series)
        if cell and cell.label not in catalog.variants:
            if today - standing.time < GONE:
                yield "orphan", f"{standing.series}: {cell.label} isn't in the catalogue any more"
            continue
        last = standing.values[-FROZEN:]
        if len(last) == FROZEN and len(set(last)) == 1 and last[0] != 0 and _varies(catalog, standing.metric):
            yield "frozen", f"{standing.metric} of {standing.series}: {last[0]:g}, {FROZEN} times"
        if standing.metric == CANARY:
            for finding in standing.findings:
                if finding.state in ("open", "suspected") and finding.kind != "improvement":
                    change = finding.level / finding.reference - 1
                    yield "canary", f"{standing.series}: {change:+.1%} since {_date(standing.time)}"


def _varies(catalog: Catalog, metric: str) -> bool:
    """Whether no two runs give the same value. Counts, sizes that a flag sets, and a rate that the generator
    keeps do: of what is judged, counts per request, and whole numbers like the capacity, one of few rates.
    """
    known = catalog.file.metric.get(metric)
    if known is None or known.counted or not known.digits:
        return False
    return known.matters is not None or metric == CANARY


def _date(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment))

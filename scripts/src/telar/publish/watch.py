"""What is wrong with a history itself: late, frozen, empty or orphaned series, a machine that changed.

Histories elsewhere stood still for weeks without anybody's notice: a page that is drawn from yesterday's
numbers looks as well as one of today's.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Literal

import msgspec

from telar.catalog.types import Catalog
from telar.publish.standing import Now, Standing

DAY = 86_400
LATE = 3 * DAY  # without a new point
GONE = 14 * DAY  # after which it is no longer late, but given up: then somebody has been told
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


def watch(catalog: Catalog, now: Now | None, today: float) -> list[Alarm]:
    """One alarm of each kind at most."""
    if now is None or not any(s.value is not None for s in now.standing):
        return [Alarm(kind="empty", lines=("nothing was published, or nothing that is valid",))]
    found: dict[Kind, list[str]] = {}
    for standing in now.standing:
        for kind, line in _of(catalog, now, standing, today):
            found.setdefault(kind, []).append(line)
    return [Alarm(kind=kind, lines=tuple(dict.fromkeys(found[kind]))) for kind in TITLES if kind in found]


def _of(catalog: Catalog, now: Now, standing: Standing, today: float) -> Iterator[tuple[Kind, str]]:
    cell, age = now.cells.get(standing.series), today - standing.time
    since = time.strftime("%Y-%m-%d", time.gmtime(standing.time))
    if cell and cell.label not in catalog.variants:
        if age < GONE:
            yield "orphan", f"{standing.series}: {cell.label} isn't in the catalogue any more"
        return
    if LATE < age < GONE:
        yield "late", f"{standing.series}: the last is of {since}"
    last = standing.values[-FROZEN:]
    if len(last) == FROZEN and len(set(last)) == 1 and last[0] != 0:
        yield "frozen", f"{standing.metric} of {standing.series}: {last[0]:g}, {FROZEN} times"
    if standing.metric == CANARY:
        for finding in standing.findings:
            if finding.state in ("open", "suspected") and finding.kind != "improvement":
                change = finding.level / finding.reference - 1
                yield "canary", f"{standing.series}: {change:+.1%} since {since}"

"""Adds sessions and points to the published store, and tells how each series stands."""

from __future__ import annotations

import calendar
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

import msgspec

from telar.analyse import tracking
from telar.analyse.points import points_of, series_name
from telar.analyse.tracking import Finding, Level, Tracked, track
from telar.catalog.types import Catalog
from telar.plan.cells import Cell
from telar.store import points as store
from telar.store.accepted import Acceptance
from telar.store.files import Session
from telar.store.points import Point, Text
from telar.store.published import Published, Row, month_of
from telar.store.record import Number, Part, Record, Validity

WINDOW = 13  # months whose points are looked at anew each time; what was before left its levels
SPARK = 30  # values


class Moment(Part, frozen=True):
    time: int
    commit: str


class Told(Part, frozen=True):
    """A finding, as the pages show it."""

    kind: tracking.Kind
    state: tracking.State
    before: Moment
    since: Moment
    decided: Moment
    reference: Number
    level: Number
    evidence: Number
    points: int
    reason: str


class Standing(Part, frozen=True):
    """A series as it stands."""

    series: Text
    metric: Text
    unit: str
    better: Literal["smaller", "bigger"]
    time: int  # of its newest point
    commit: str
    origin: str
    validity: Validity
    value: Number | None  # the newest valid one
    reference: Number | None
    level: Number | None
    values: tuple[Number, ...]  # the last valid ones
    findings: tuple[Told, ...]


class Now(Part, frozen=True):
    format: Literal[1]
    cells: dict[Text, Cell]  # series -> what it is of; those of other tools have none
    standing: tuple[Standing, ...]


class Left(Part, frozen=True):
    """What the points up to the end of a month left behind."""

    format: Literal[1]
    until: str  # the month
    levels: tuple[tuple[str, str, Level], ...]  # series, metric
    cells: dict[Text, Cell]


class Added(msgspec.Struct, frozen=True, kw_only=True):
    sessions: int
    runs: int
    points: int
    bytes: int  # written
    whole: int  # of the store


def publish(
    catalog: Catalog,
    published: Published,
    sessions: Sequence[Session],
    points: Sequence[Point],
    accepted: Sequence[Acceptance],
) -> Added:
    """Adds what isn't there yet. Raises StoreError, with nothing changed, for records that aren't whole."""
    read = [(session, session.records()) for session in sessions]
    rows = [(row(session, records), records) for session, records in read if records]
    fresh = [*points, *(p for _, records in rows for p in points_of(catalog, records))]
    months = {month_of(p.time) for p in fresh} | {month_of(r.time) for r, _ in rows}
    published.want({*months, *_window(published, months)})
    added = [
        records
        for (session, _), (own, records) in zip([r for r in read if r[1]], rows, strict=True)
        if published.add_session(own, _contents(session, own))
    ]
    count = published.add_points(fresh)
    changed = bool(added or count)
    if changed or published.index.now is None:
        cells = {series_name(r.cell): r.cell for records in added for r in records if r.pair is None}
        _look(published, accepted, cells, min({month_of(p.time) for p in fresh}, default="9999-12"))
    written = published.write()
    return Added(
        sessions=len(added),
        runs=sum(map(len, added)),
        points=count,
        bytes=written,
        whole=published.index.bytes,
    )


def row(session: Session, records: Sequence[Record]) -> Row:
    last = max(records, key=lambda r: r.finished)
    return Row(
        id=session.id,
        time=last.finished,
        commit=last.provenance.commit,
        suite=session.plan.suite,
        machine=last.provenance.machine.hostname_digest,
        runs={path.name: record.digest for path, record in _files(session, records)},
    )


def _files(session: Session, records: Sequence[Record]) -> list[tuple[Path, Record]]:
    names = {run.position: run.name for run in session.plan.runs}
    return [(session.record_path(names[r.position]), r) for r in records]


def _contents(session: Session, own: Row) -> dict[str, bytes]:
    return {name: (session.folder / "records" / name).read_bytes() for name in own.runs}


def _window(published: Published, fresh: Iterable[str]) -> list[str]:
    """The months that are looked at when points are added to these."""
    left = published.levels(Left)
    earliest = min(fresh, default="9999-12")
    if left is None or earliest <= left.until:
        return published.months
    return [m for m in published.months if m > left.until]


def _look(
    published: Published, accepted: Sequence[Acceptance], fresh: dict[str, Cell], earliest: str
) -> None:
    """How each series stands, by the points of the last months and what was left by those before."""
    months = _window(published, [earliest])
    left = published.levels(Left)
    if left and earliest <= left.until:  # history was added to: what it left must be found anew
        left = None
    before = published.now(Now)
    cells = {**(left.cells if left else {}), **(before.cells if before else {}), **fresh}
    starts = {(series, metric): level for series, metric, level in left.levels} if left else {}
    split = months[-WINDOW] if len(months) > WINDOW + 1 else None
    points = store.by_series(p for month in months for p in published.points(month))
    end = _end_of(split) if split else math.inf
    tracked = {
        key: track(own, accepted, start=starts.get(key), split=end) for key, own in points.items()
    }
    published.set_now(
        Now(
            format=1,
            cells=dict(sorted(cells.items())),
            standing=tuple(_standing(points[key], found) for key, found in tracked.items()),
        )
    )
    if split:
        levels = {**starts, **{key: t.left for key, t in tracked.items() if t.left}}
        kept = tuple((series, metric, level) for (series, metric), level in sorted(levels.items()))
        published.set_levels(Left(format=1, until=split, levels=kept, cells=cells))


def _end_of(month: str) -> float:
    """The last second of it."""
    year, number = int(month[:4]), int(month[5:])
    days = calendar.monthrange(year, number)[1]
    return calendar.timegm((year, number, days, 23, 59, 59))


def _standing(points: Sequence[Point], found: Tracked) -> Standing:
    last = points[-1]
    valid = [p.value for p in points if p.validity == "valid"]
    return Standing(
        series=found.series,
        metric=found.metric,
        unit=found.unit,
        better=found.better,
        time=int(last.time),
        commit=last.commit,
        origin=last.origin,
        validity=last.validity,
        value=valid[-1] if valid else None,
        reference=found.reference,
        level=found.level,
        values=tuple(valid[-SPARK:]),
        findings=tuple(_told(f) for f in found.findings),
    )


def _told(finding: Finding) -> Told:
    def moment(point: Point) -> Moment:
        return Moment(time=int(point.time), commit=point.commit)

    return Told(
        kind=finding.kind,
        state=finding.state,
        before=moment(finding.before),
        since=moment(finding.since),
        decided=moment(finding.decided),
        reference=finding.reference,
        level=finding.level,
        evidence=finding.evidence,
        points=finding.points,
        reason=finding.reason,
    )

"""Adds sessions and points to the published store, and tells how each series stands."""

from __future__ import annotations

import calendar
import math
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from telar.analyse.points import environment, points_of, series_name, surroundings
from telar.analyse.tracking import Finding, Tracked, rules_of, track
from telar.catalog.types import Catalog
from telar.gates import judged_again
from telar.plan.cells import Cell
from telar.publish import badges, feed
from telar.publish.columns import group_of
from telar.publish.standing import (
    Grown,
    Left,
    MetricWords,
    Moment,
    Now,
    PublishedFinding,
    Standing,
    VariantWords,
)
from telar.store import detector as rates
from telar.store import points as store
from telar.store import seal
from telar.store.accepted import Acceptance
from telar.store.evidence import Evidence
from telar.store.files import Session
from telar.store.floors import Floors
from telar.store.points import Point
from telar.store.published import Published, month_of
from telar.store.published_files import CommitWords, Kept, Row
from telar.store.record import Record
from telar.store.shards import rounded
from telar.tools import git

WINDOW = 13  # months whose points are looked at again each time; what was before left its levels
SPARK, SPARK_DIGITS = 30, 4  # values of a small line in a table: more digits can't be seen in it
RECENT = 5  # points whose runs a range is of: as few as a shift of the level must have
LONGEST = 200  # characters of a commit's subject and author
NOTHING = Floors()


class Added(msgspec.Struct, frozen=True, kw_only=True):
    sessions: int
    runs: int
    points: int
    evidence: int  # comparisons, searches and attributions
    bytes: int  # written
    whole: int  # of the store


def publish(
    catalog: Catalog,
    published: Published,
    sessions: Sequence[Session],
    points: Sequence[Point],
    accepted: Sequence[Acceptance],
    floors: Floors = NOTHING,
    evidence: Sequence[Evidence] = (),
) -> Added:
    """Adds what isn't there yet. Raises StoreError, with nothing changed, for records that aren't whole."""
    read = [(session, judged_again(session.records(), catalog)) for session in sessions]
    found = [(row(session, records), records) for session, records in read if records]
    fresh = [*points, *(p for _, records in found for p in points_of(catalog, records))]
    months = {month_of(p.time) for p in fresh} | {month_of(own.time) for own, _ in found}
    published.want(())  # how it stands, which says what months are looked at
    published.want({*months, *_window(published, months)})
    added = [records for own, records in found if published.add_session(own, _contents(own, records))]
    count = published.add_points(fresh)
    if count:
        _add_commits(catalog, published, fresh)
    proven = sum(published.add_evidence(own) for own in evidence)
    written = 0
    if added or count or proven or published.index.now is None:
        cells = {series_name(r.cell): r.cell for records in added for r in records if r.pair is None}
        earliest = min((month_of(p.time) for p in fresh), default="9999-12")
        now = _look(catalog, published, accepted, floors, cells, earliest)
        published.put_stable({feed.PATH: feed.feed(now), **badges.pictures(now)})
        written = published.write()
    return Added(
        sessions=len(added),
        runs=sum(map(len, added)),
        points=count,
        evidence=proven,
        bytes=written,
        whole=published.index.bytes,
    )


def _add_commits(catalog: Catalog, published: Published, fresh: Sequence[Point]) -> None:
    """What git says of the commits that were measured, where this clone knows them."""
    by_month: dict[str, set[str]] = {}
    for point in fresh:
        by_month.setdefault(month_of(point.time), set()).add(point.commit)
    said = git.commits(catalog.home, {c for own in by_month.values() for c in own})
    for month, own in by_month.items():
        published.add_commits(month, {c: _words(said[c]) for c in own if c in said})


def _words(commit: git.Commit) -> CommitWords:
    return CommitWords(
        subject=commit.subject[:LONGEST],
        author=commit.author[:LONGEST],
        parent=commit.parent,
        branch=commit.branch,
    )


def _named(
    published: Published, months: Iterable[str], before: Now | None, standing: Sequence[Standing]
) -> dict[str, CommitWords]:
    """What is known of the commits that findings name, of older ones too."""
    known = dict(before.commits) if before else {}
    for month in months:
        known |= published.commits(month)
    names = {m.commit for s in standing for f in s.findings for m in _moments(f)}
    return {name: known[name] for name in sorted(names & known.keys())}


def _moments(finding: PublishedFinding) -> Iterator[Moment]:
    yield from (finding.before, finding.since)
    for step in finding.growth:
        yield from (step.before, step.since)


def row(session: Session, records: Sequence[Record]) -> Row:
    last = max(records, key=lambda r: r.finished)
    names = {run.position: run.name for run in session.plan.runs}
    return Row(
        id=session.id,
        time=last.finished,
        commit=last.provenance.commit,
        suite=session.plan.suite,
        environments={environment(r): surroundings(r) for r in records},
        runs={
            f"{names[r.position]}.json": Kept(
                run_id=r.run_id, seconds=round(r.finished - r.started, 1), validity=r.validity
            )
            for r in records
        },
    )


def _contents(own: Row, records: Sequence[Record]) -> dict[str, bytes]:
    """The records' files, those of an older format in the present one: the pages read no other."""
    return {
        name: seal.sealed(msgspec.json.encode(record)) for name, record in zip(own.runs, records, strict=True)
    }


def _window(published: Published, fresh: Iterable[str]) -> list[str]:
    """The months that are looked at when points are added to these."""
    left = published.levels(Left)
    earliest = min(fresh, default="9999-12")
    if left is None or earliest <= left.until:
        return published.months
    return [m for m in published.months if m > left.until]


def _look(
    catalog: Catalog,
    published: Published,
    accepted: Sequence[Acceptance],
    floors: Floors,
    fresh: dict[str, Cell],
    earliest: str,
) -> Now:
    """How each series stands, by the points of the last months and what was left by those before."""
    months = _window(published, [earliest])
    left = published.levels(Left)
    if left and earliest <= left.until:  # history was added to: what it left must be found again
        left = None
    before = published.now(Now)
    cells = {**(left.cells if left else {}), **(before.cells if before else {}), **fresh}
    starts = {(series, metric): level for series, metric, level in left.levels} if left else {}
    split = months[-WINDOW] if len(months) > WINDOW + 1 else None
    points = store.by_series(published.points_of(months))
    end = _end_of(split) if split else math.inf
    matters = {name: metric.matters for name, metric in catalog.file.metric.items()}
    tracked = {
        key: track(own, accepted, rules_of(matters.get(key[1])), start=starts.get(key), split=end)
        for key, own in points.items()
    }
    standing = tuple(_standing(points[key], found) for key, found in tracked.items())
    now = Now(
        format=1,
        variants={
            name: VariantWords(
                system=v.app.file.system,
                framework=v.app.file.framework,
                database=v.app.file.database,
                model=v.app.file.model,
                launch=v.launch,
                description=v.app.file.description,
                p99_limit_ms=catalog.of(v.app.file.system).file.slo.p99_ms,
            )
            for name, v in catalog.variants.items()
        },
        metrics={
            name: MetricWords(
                label=m.label,
                title=m.title,
                unit=m.unit,
                better=m.better,
                digits=m.digits,
                matters=m.matters,
                group=group_of(name),
            )
            for name, m in catalog.file.metric.items()
        },
        jdks={name: jdk.title for name, jdk in catalog.file.jdk.items()},
        slo_p99_ms=catalog.file.slo.p99_ms,
        floors=floors,
        cells=dict(sorted(cells.items())),
        standing=standing,
        # Telar's own, whosever service is published.
        detector=rates.read(catalog.root / "benchmarks-data" / rates.FIGURES),
        repository=git.web_address(catalog.home) or (before.repository if before else ""),
        commits=_named(published, months, before, standing),
    )
    published.set_now(now)
    if split:
        levels = {**starts, **{key: t.left for key, t in tracked.items() if t.left}}
        kept = tuple((series, metric, level) for (series, metric), level in sorted(levels.items()))
        published.set_levels(Left(format=1, until=split, levels=kept, cells=cells))
        for year in sorted({m[:4] for m in published.months if f"{m[:4]}-12" <= split}):
            published.join_year(year)
    return now


def _end_of(month: str) -> float:
    """The last second of it."""
    year, number = int(month[:4]), int(month[5:])
    days = calendar.monthrange(year, number)[1]
    return calendar.timegm((year, number, days, 23, 59, 59))


def _standing(points: Sequence[Point], found: Tracked) -> Standing:
    last = points[-1]
    valid = [p.value for p in points if p.validity == "valid"]
    recent = [p for p in points if p.validity == "valid"][-RECENT:]
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
        reference=None if found.reference is None else rounded(found.reference),
        level=None if found.level is None else rounded(found.level),
        values=tuple(rounded(v, SPARK_DIGITS) for v in valid[-SPARK:]),
        findings=tuple(_published(f) for f in found.findings),
        low=min((rounded(p.value if p.low is None else p.low, SPARK_DIGITS) for p in recent), default=None),
        high=max(
            (rounded(p.value if p.high is None else p.high, SPARK_DIGITS) for p in recent), default=None
        ),
    )


def _published(finding: Finding) -> PublishedFinding:
    return PublishedFinding(
        kind=finding.kind,
        state=finding.state,
        before=moment(finding.before),
        since=moment(finding.since),
        decided=moment(finding.decided),
        reference=rounded(finding.reference),
        level=rounded(finding.level),
        evidence=rounded(finding.evidence),
        points=finding.points,
        reason=finding.reason,
        growth=tuple(
            Grown(
                before=moment(step.before),
                since=moment(step.since),
                reference=rounded(step.held),
                level=rounded(step.level),
            )
            for step in finding.growth
        ),
        over=moment(finding.over) if finding.over else None,
    )


def moment(point: Point) -> Moment:
    return Moment(time=int(point.time), commit=point.commit)

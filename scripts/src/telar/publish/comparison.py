"""The tables: each app's platform and virtual launch, and their ratio."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from telar.catalog.types import Catalog, MetricFile
from telar.publish import report
from telar.publish.arms import BASE, OTHER, Arm, Group, ratio
from telar.store.record import Record

NONE = "–"
HEADLINE = ("p99", "app-cpu", "rss")  # the ratios that the first sentence tells
COUNTED = {"failures", "dropped"}  # counts whose ratio says nothing


@dataclass(frozen=True, kw_only=True)
class Column:
    metric: str
    label: str
    unit: str
    title: str
    better: str


@dataclass(frozen=True, kw_only=True)
class Cell:
    metric: str
    text: str
    bad: bool = False  # something failed or was dropped: a fact, not a judgement


@dataclass(frozen=True, kw_only=True)
class Row:
    kind: str  # arm, ratio, failed
    name: str  # of the cell
    label: str
    runs: str
    cells: tuple[Cell, ...] = ()
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class Table:
    title: str
    columns: tuple[Column, ...]
    groups: tuple[tuple[Group, tuple[Row, ...]], ...]


def tables(catalog: Catalog, groups: list[Group]) -> list[Table]:
    return [
        Table(
            title=title,
            columns=tuple(column(catalog, m) for m in metrics),
            groups=tuple((g, tuple(_rows(catalog, g, metrics))) for g in groups),
        )
        for title, metrics in report.TABLES.items()
    ]


def every_metric(catalog: Catalog, groups: list[Group]) -> list[tuple[Column, list[tuple[str, str]]]]:
    """All that the records hold: a metric, and its value in each cell."""
    arms = [arm for g in groups for arm in g.arms if arm.completed]
    known = {name for arm in arms for name in arm.summary.metrics}
    ordered = [m for m in catalog.file.metric if m in known] + sorted(known - set(catalog.file.metric))
    return [
        (column(catalog, m), [(arm.cell.name, value(catalog, arm, m)) for arm in arms]) for m in ordered
    ]


def column(catalog: Catalog, metric: str) -> Column:
    """A metric that the catalogue no longer has goes by its name."""
    file = _file(catalog, metric)
    counted = file.unit in {"requests", "arrivals", "threads", "collections"}  # the label says it
    unit = "" if counted else file.unit
    return Column(metric=metric, label=file.label, unit=unit, title=file.title, better=file.better)


def value(catalog: Catalog, arm: Arm, metric: str) -> str:
    found = arm.summary.metrics.get(metric)
    return NONE if found is None else f"{found:,.{_file(catalog, metric).digits}f}"


def why(record: Record) -> str:
    if record.stopped is None:
        return "failed"
    return f"failed in {record.stopped.phase}: {record.stopped.error}"


def ratio_text(number: float | None) -> str:
    """Two or three significant digits, however large."""
    if number is None:
        return NONE
    for above, digits in ((99.5, 0), (9.95, 1), (0.0995, 2), (0.00995, 3)):
        if number >= above:
            return f"{number:,.{digits}f}×"
    return f"{number:.2g}×"


def findings(catalog: Catalog, groups: list[Group]) -> list[str]:
    """What the session says, in a sentence or two: ratios and how many runs stand behind them."""
    pairs = [(g, g.pair) for g in groups if g.pair]
    if not pairs:
        return [f"No app has a completed run with both {BASE} and {OTHER} threads: there is no ratio to tell."]
    parts = [
        text for metric in HEADLINE if (text := _range(catalog, metric, pairs, places=metric == HEADLINE[0]))
    ]
    subject = pairs[0][0].app if len(pairs) == 1 else f"{len(pairs)} apps launched both ways"
    counts = [arm.completed for _, pair in pairs for arm in pair]
    return [f"{OTHER.capitalize()} ÷ {BASE}, {subject}: {'; '.join(parts)}.", _weight(counts)]


def notes(groups: Iterable[Group]) -> list[str]:
    lines = []
    arms = [arm for g in groups for arm in g.arms]
    for arm in arms:
        requests = sum(s.count for s in arm.summary.stages)
        for kind, count in sorted(arm.summary.failures.items()):
            lines.append(
                f"{arm.cell.variant}: {count:,} of {requests:,} requests failed ({kind}). "
                "Their times are part of the percentiles."
            )
    total = sum(arm.summary.iterations + arm.summary.dropped for arm in arms)
    scheduled = sum(arm.summary.scheduled for arm in arms)
    lines.append(f"{total:,} arrivals accounted for in completed runs, {scheduled:,.0f} scheduled.")
    return lines


def _rows(catalog: Catalog, group: Group, metrics: tuple[str, ...]) -> Iterable[Row]:
    for arm in group.arms:
        if arm.completed:
            yield Row(
                kind="arm",
                name=arm.cell.name,
                label=arm.launch,
                runs=str(arm.completed),
                cells=tuple(_cell(catalog, arm, m) for m in metrics),
            )
        if arm.failed:
            reasons = "; ".join(dict.fromkeys(why(r) for r in arm.failed))
            yield Row(
                kind="failed",
                name=arm.cell.name,
                label=arm.launch,
                runs=f"{len(arm.failed)} of {arm.summary.runs}",
                message=reasons,
            )
    if group.pair:
        base, other = group.pair
        yield Row(
            kind="ratio",
            name=other.cell.name,
            label=f"{OTHER} ÷ {BASE}",
            runs=f"{other.completed} : {base.completed}",
            cells=tuple(
                Cell(metric=m, text=NONE if m in COUNTED else ratio_text(ratio(group.pair, m)))
                for m in metrics
            ),
        )


def _cell(catalog: Catalog, arm: Arm, metric: str) -> Cell:
    bad = metric in COUNTED and bool(arm.summary.metrics.get(metric))
    return Cell(metric=metric, text=value(catalog, arm, metric), bad=bad)


def _range(
    catalog: Catalog, metric: str, pairs: list[tuple[Group, tuple[Arm, Arm]]], *, places: bool
) -> str:
    found = sorted((r, g.app) for g, pair in pairs if (r := ratio(pair, metric)) is not None)
    if not found:
        return ""
    title = _file(catalog, metric).title
    (low, at_low), (high, at_high) = found[0], found[-1]
    if len(found) == 1:
        return f"{title} {ratio_text(low)}"
    if places:
        return f"{title} from {ratio_text(low)} ({at_low}) to {ratio_text(high)} ({at_high})"
    return f"{title} {ratio_text(low)} to {ratio_text(high)}"


def _weight(counts: list[int]) -> str:
    if max(counts) == 1:
        return (
            "One run stands behind each side of a ratio: single observations, which say nothing about "
            "how much runs differ among themselves."
        )
    several = f"{min(counts)} to {max(counts)}" if min(counts) < max(counts) else str(counts[0])
    return (
        f"{several} runs stand behind each side of a ratio: percentiles of all their requests together, "
        "medians of everything else."
    )


def _file(catalog: Catalog, metric: str) -> MetricFile:
    unknown = MetricFile(label=metric, title=metric, unit="", better="smaller", digits=3)
    return catalog.file.metric.get(metric, unknown)

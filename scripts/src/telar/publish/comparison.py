"""The tables: each app's platform and virtual launch, and their ratio."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from telar.catalog.types import Catalog
from telar.publish.arms import BASE, OTHER, Arm, Group, ratio, refusal
from telar.publish.columns import Column, column, metric_file, tables_of, validity
from telar.publish.ratios import NONE, ratio_text
from telar.store.record import Record

COUNTED = {"failures", "dropped"}  # counts whose ratio says nothing


@dataclass(frozen=True, kw_only=True)
class Cell:
    metric: str
    text: str
    spread: str = ""  # lowest to highest of several runs
    bad: bool = False  # something failed or was dropped: a fact, not a judgement


@dataclass(frozen=True, kw_only=True)
class Row:
    kind: str  # arm, ratio, failed
    name: str  # of the cell
    label: str
    runs: str
    validity: str = ""
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
        for title, metrics in tables_of(arm.summary for g in groups for arm in g.arms).items()
    ]


def every_metric(catalog: Catalog, groups: list[Group]) -> list[tuple[Column, list[tuple[str, str]]]]:
    """All that the records hold: a metric, and its value in each cell."""
    arms = [arm for g in groups for arm in g.arms if arm.completed]
    known = {name for arm in arms for name in arm.summary.metrics}
    ordered = [m for m in catalog.file.metric if m in known] + sorted(known - set(catalog.file.metric))
    return [(column(catalog, m), [(arm.cell.name, value(catalog, arm, m)) for arm in arms]) for m in ordered]


def value(catalog: Catalog, arm: Arm, metric: str) -> str:
    found = arm.summary.metrics.get(metric)
    return NONE if found is None else number(catalog, metric, found)


def number(catalog: Catalog, metric: str, found: float) -> str:
    return f"{found:,.{metric_file(catalog, metric).digits}f}"


def why(record: Record) -> str:
    if record.stopped is None:
        return "failed"
    return f"failed in {record.stopped.phase}: {record.stopped.error}"


def _rows(catalog: Catalog, group: Group, metrics: tuple[str, ...]) -> Iterable[Row]:
    for arm in group.arms:
        if arm.completed:
            yield Row(
                kind="arm",
                name=arm.cell.name,
                label=arm.launch,
                runs=str(arm.completed),
                validity=validity(arm.summary),
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
    refused = refusal(group)
    if refused:
        yield Row(kind="failed", name=group.app, label=f"{OTHER} ÷ {BASE}", runs="", message=refused)
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
    text = value(catalog, arm, metric)
    return Cell(metric=metric, text=text, spread=_spread(catalog, arm, metric), bad=bad)


def _spread(catalog: Catalog, arm: Arm, metric: str) -> str:
    done = [r for r in arm.records if r.outcome == "completed"]
    values = [r.metrics[metric].value for r in done if metric in r.metrics]
    if len(set(values)) < 2:  # noqa: PLR2004 - one run has no spread
        return ""
    return " – ".join(number(catalog, metric, v) for v in (min(values), max(values)))

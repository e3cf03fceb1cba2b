"""A session's comparison: each app's platform and virtual launch, and their ratio."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from telar.analyse.summary import Summary, alike, believed
from telar.catalog.types import Catalog
from telar.publish import headline, provenance
from telar.publish.arms import BASE, OTHER, Arm, Group, distinct, groups, ratio, refusal
from telar.publish.columns import column, metric_file, tables_of, validity
from telar.publish.ratios import GLANCE, ratio_text
from telar.store.record import Record
from telar.store.report import Report, ReportFigure, ReportGroup, ReportRow, ReportTable

COUNTED = {"failures", "dropped"}  # counts whose ratio says nothing


def of_session(
    catalog: Catalog, records: list[Record], found: list[Summary], files: Mapping[str, str]
) -> Report:
    """`files`: the name of each record's file, by its run id."""
    catalog = catalog.of(records[0].cell.system)  # whose limits are drawn
    own = groups(catalog, records, found)
    arms = [arm for g in own for arm in g.arms]
    metrics = _metrics(catalog, arms)
    pairs = [g.pair for g in own if g.pair]
    return Report(
        format=1,
        id=records[0].session,
        suite=records[0].suite,
        findings=tuple(headline.findings(catalog, own)),
        facts=tuple((name, said) for name, said in _facts(records) if said),
        notes=(*headline.notes(own), *provenance.differences(arms)),
        columns={m: column(catalog, m) for m in metrics},
        ratios=tuple(m for m in GLANCE if any(ratio(pair, m) is not None for pair in pairs)),
        tables=tuple(
            ReportTable(title=title, metrics=columns)
            for title, columns in tables_of(arm.summary for arm in arms).items()
        ),
        groups=tuple(
            ReportGroup(app=g.app, where=g.where, rows=tuple(_rows(catalog, g, metrics, files))) for g in own
        ),
        p99_limit_ms=catalog.file.slo.p99_ms,
    )


def _metrics(catalog: Catalog, arms: Iterable[Arm]) -> list[str]:
    """All that the records hold and all that has a place in a table, in the catalogue's order."""
    arms = list(arms)
    known = {name for arm in arms if arm.completed for name in arm.summary.metrics}
    known |= {m for columns in tables_of(arm.summary for arm in arms).values() for m in columns}
    return [m for m in catalog.file.metric if m in known] + sorted(known - set(catalog.file.metric))


def _facts(records: list[Record]) -> list[tuple[str, str]]:
    """What is true of the whole session."""
    known = [r.provenance for r in records]
    failed = sum(r.outcome == "failed" for r in records)
    started = min(r.started for r in records)
    minutes = (max(r.finished for r in records) - started) / 60
    return [
        ("runs", f"{len(records) - failed} completed, {failed} failed"),
        ("started", f"{provenance.utc(started)}, for {minutes:.0f} min"),
        ("engine", distinct(r.cell.engine for r in records)),
        ("workload", distinct(r.cell.workload for r in records)),
        ("machine", distinct(provenance.machine_text(p.machine) for p in known)),
        ("kernel", distinct(p.machine.kernel for p in known)),
        ("JVM", distinct(p.java.version for p in known if p.java)),
        ("generator", distinct(f"k6 {p.generator.version}" for p in known if p.generator)),
        ("commit", distinct(provenance.code(p) for p in known)),
    ]


def why(record: Record) -> str:
    if record.stopped is None:
        return "failed"
    return f"failed in {record.stopped.phase}: {record.stopped.error}"


def _rows(
    catalog: Catalog, group: Group, metrics: list[str], files: Mapping[str, str]
) -> Iterable[ReportRow]:
    launches = Counter(arm.launch for arm in group.arms)
    for arm in group.arms:
        label = arm.launch
        if launches[label] > 1:  # two sides of a comparison
            label += f", {arm.cell.revision[:9] or 'the working tree'}"
        if arm.completed:
            yield ReportRow(
                kind="cell",
                name=arm.cell.name,
                label=label,
                runs=str(arm.completed),
                validity=validity(arm.summary),
                figures={m: _figure(catalog, arm, m) for m in metrics if m in arm.summary.metrics},
                files=tuple(files[r.run_id] for r in arm.records),
                behind=tuple(files[r.run_id] for r in alike(believed(arm.records))),
            )
        if arm.failed:
            yield ReportRow(
                kind="failed",
                name=arm.cell.name,
                label=label,
                runs=f"{len(arm.failed)} of {arm.summary.runs}",
                message="; ".join(dict.fromkeys(why(r) for r in arm.failed)),
                files=() if arm.completed else tuple(files[r.run_id] for r in arm.records),
            )
    if refused := refusal(group):
        yield ReportRow(kind="ratio", name=group.app, label=f"{OTHER} ÷ {BASE}", runs="", message=refused)
    if group.pair:
        base, other = group.pair
        found = {m: ratio(group.pair, m) for m in metrics if m not in COUNTED}
        yield ReportRow(
            kind="ratio",
            name=other.cell.name,
            label=f"{OTHER} ÷ {BASE}",
            runs=f"{other.completed} : {base.completed}",
            figures={m: ReportFigure(text=ratio_text(r), ratio=r) for m, r in found.items() if r is not None},
        )


def _figure(catalog: Catalog, arm: Arm, metric: str) -> ReportFigure:
    return ReportFigure(
        text=number(catalog, metric, arm.summary.metrics[metric]),
        spread=_spread(catalog, arm, metric),
        bad=metric in COUNTED and bool(arm.summary.metrics[metric]),
    )


def number(catalog: Catalog, metric: str, found: float) -> str:
    return f"{found:,.{metric_file(catalog, metric).digits}f}"


def _spread(catalog: Catalog, arm: Arm, metric: str) -> str:
    done = [r for r in arm.records if r.outcome == "completed"]
    values = [r.metrics[metric].value for r in done if metric in r.metrics]
    if len(set(values)) < 2:  # noqa: PLR2004 - one run has no spread
        return ""
    return " – ".join(number(catalog, metric, v) for v in (min(values), max(values)))

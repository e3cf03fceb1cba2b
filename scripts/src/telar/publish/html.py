"""One self-contained page for a session: no script, no request, nothing but this file."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from pathlib import Path

import jinja2
from markupsafe import Markup

from telar.analyse.summary import Summary
from telar.catalog.types import Catalog
from telar.publish import comparison, curves, headline, provenance, ratios, timelines
from telar.publish.arms import Arm, Group, distinct, groups
from telar.store.record import Record

TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run's row among the timelines and phases."""

    label: str
    record: Record
    charts: list[timelines.Chart]
    others: list[timelines.Chart]
    flat: list[str]
    bar: Markup
    phases: dict[str, str]  # seconds


def page(catalog: Catalog, records: list[Record], found: list[Summary]) -> str:
    catalog = catalog.of(records[0].cell.system)  # whose limits are drawn
    own = groups(catalog, records, found)
    css = (TEMPLATES / "report.css").read_text(encoding="utf-8")
    return _environment().get_template("report.html").render(
        css=Markup(css),  # noqa: S704 - our own file
        css_hash=_hash(css),
        title=f"{records[0].suite}, {provenance.utc(_started(records))}",
        first=records[0],
        repeated=any(arm.completed > 1 for g in own for arm in g.arms),
        facts=_facts(records),
        findings=headline.findings(catalog, own),
        notes=headline.notes(own),
        failed=[r for r in records if r.outcome == "failed"],
        judged=[r for r in records if r.gates],
        why=comparison.why,
        ratios=ratios.ratios(catalog, own),
        slo=catalog.file.slo.p99_ms,
        tables=comparison.tables(catalog, own),
        every=comparison.every_metric(catalog, own),
        arms=[arm for g in own for arm in g.arms],
        launch_class=curves.launch_class,
        launches=list(dict.fromkeys(arm.launch for g in own for arm in g.arms)),
        **_curves(catalog, own),
        **_timelines(own, records),
        provenance=[(arm, provenance.parts(catalog, arm)) for g in own for arm in g.arms],
    )  # fmt: skip


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _hash(css: str) -> str:
    """What the page's security policy lets in: this style sheet and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(css.encode()).digest()).decode()


def _started(records: list[Record]) -> float:
    return min(r.started for r in records)


def _facts(records: list[Record]) -> list[tuple[str, str]]:
    """What is true of the whole session."""
    known = [r.provenance for r in records]
    failed = sum(r.outcome == "failed" for r in records)
    minutes = (max(r.finished for r in records) - _started(records)) / 60
    return [
        ("runs", f"{len(records) - failed} completed, {failed} failed"),
        ("started", f"{provenance.utc(_started(records))}, for {minutes:.0f} min"),
        ("engine", distinct(r.cell.engine for r in records)),
        ("workload", distinct(r.cell.workload for r in records)),
        ("machine", distinct(provenance.machine_text(p.machine) for p in known)),
        ("kernel", distinct(p.machine.kernel for p in known)),
        ("JVM", distinct(p.java.version for p in known if p.java)),
        ("generator", distinct(f"k6 {p.generator.version}" for p in known if p.generator)),
        ("commit", distinct(provenance.code(p) for p in known)),
    ]


def _curves(catalog: Catalog, own: list[Group]) -> dict[str, object]:
    slo = catalog.file.slo.p99_ms
    panels, by_endpoint = curves.panels(own), curves.endpoint_panels(own)
    scales = curves.scales([*panels, *by_endpoint])
    if scales is None:
        return {"panels": [], "endpoint_panels": []}
    return {
        "panels": [(p, curves.draw(p, scales, slo)) for p in panels],
        "endpoint_panels": [(p, curves.draw(p, scales, slo)) for p in by_endpoint],
    }


def _timelines(own: list[Group], records: list[Record]) -> dict[str, object]:
    bounds = timelines.overview_bounds(records)
    names = timelines.phase_names(records)
    longest = max(r.finished - r.started for r in records)
    seconds = max(timelines.seconds_of(r) for r in records)
    marked = {name for r in records for name, _, _ in timelines.marked(r)}

    def run(arm: Arm, record: Record) -> Run:
        others, flat = timelines.the_others(record)
        return Run(
            label=arm.launch if arm.summary.runs == 1 else f"{arm.launch}, {record.repetition}",
            record=record,
            charts=timelines.overview(record, bounds, seconds),
            others=others,
            flat=flat,
            bar=timelines.phase_bar(record, longest),
            phases={p.name: f"{p.end - p.start:.1f}" for p in record.timeline},
        )

    return {
        "runs": [(g, [run(arm, r) for arm in g.arms for r in arm.records]) for g in own],
        "quantities": [q for q in timelines.OVERVIEW if q.title in bounds],
        "seconds": seconds,
        "phase_names": names,
        "marked": [name for name in timelines.MARKED if name in marked],
    }

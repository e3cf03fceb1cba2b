"""What stands against the series of a history, for a terminal."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from telar.analyse.tracking import Finding, Tracked
from telar.catalog.types import Catalog
from telar.publish import folding

STYLES = {"open": "red", "suspected": "yellow", "cured": "dim", "accepted": "dim", "seen": "green"}
ORDER = ("open", "suspected", "seen", "accepted", "cured")
COLUMNS = (
    folding.text("", 10),
    folding.text("series", 14),
    folding.text("metric", 9),
    folding.figure("level"),
    folding.figure("change"),
    folding.text("since", 10),
    folding.text("after", 10),
    folding.figure("points"),
)


def print_tracked(catalog: Catalog, console: Console, found: Sequence[Tracked]) -> None:
    """Open regressions first, then suspicions, improvements, and what is over."""
    findings = [f for t in found for f in t.findings]
    if findings:
        ranked = sorted(findings, key=lambda f: (ORDER.index(f.state), -abs(f.change)))
        where = f"--json, and {folding.WIDER}"
        folding.print_table(console, COLUMNS, [_row(catalog, f) for f in ranked], where=where)
    points, left_out = sum(t.points for t in found), sum(t.left_out for t in found)
    short = sum(t.points - t.left_out < 2 * 8 for t in found)
    counts = Counter(f"{f.state} {f.kind}" for f in findings)
    said = ", ".join(f"{n} {what}" for what, n in sorted(counts.items())) or "no level shifted"
    console.print(f"\n{len(found):,} series, {points:,} points: {said}", highlight=False)
    if left_out:
        console.print(f"{left_out:,} points were not valid, and are left out", highlight=False)
    if short:
        console.print(f"{short:,} series are too short for anything to be seen in them", highlight=False)


def _row(catalog: Catalog, finding: Finding) -> tuple[str | Text, ...]:
    style = STYLES[finding.state]
    what = finding.kind if finding.state in ("seen", "open") else f"{finding.state} {finding.kind}"
    digits = catalog.file.metric[finding.metric].digits if finding.metric in catalog.file.metric else 3
    return (
        Text(what, style=style),
        finding.series,
        finding.metric,
        f"{finding.reference:,.{digits}f} → {finding.level:,.{digits}f}",
        f"{finding.change:+.1%}",
        _moment(finding.since.time, finding.since.commit),
        _moment(finding.before.time, finding.before.commit),
        str(finding.points),
    )


def _moment(when: float, commit: str) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(when)) + (f" {commit[:9]}" if commit else "")

"""Virtual ÷ platform of every app, at a glance."""

from __future__ import annotations

import math
from dataclasses import dataclass

from markupsafe import Markup

from telar.catalog.types import Catalog
from telar.publish.arms import Group, ratio
from telar.publish.columns import Column, column
from telar.publish.svg import Scale, figure, tag

NONE = "–"
BAR_WIDTH = 64
RATIOS = (
    "p50", "p95", "p99", "app-cpu", "database-cpu", "allocated", "heap-peak", "rss", "os-threads",
    "startup-ready",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Ratio:
    metric: str
    text: str
    bar: Markup | None


@dataclass(frozen=True, kw_only=True)
class Ratios:
    """Every app's ratios at a glance, their bars on one logarithmic scale around 1."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Group, str, tuple[Ratio, ...]], ...]


def ratios(catalog: Catalog, groups: list[Group]) -> Ratios | None:
    """None when no app has both."""
    pairs = [(g, g.pair) for g in groups if g.pair]
    found = {(g.app, g.where, m): ratio(pair, m) for g, pair in pairs for m in RATIOS}
    sizes = [abs(math.log10(r)) for r in found.values() if r]
    if not sizes:
        return None
    columns = [m for m in RATIOS if any(found[g.app, g.where, m] is not None for g, _ in pairs)]
    scale = Scale(low=-max(sizes), high=max(sizes), start=0, end=BAR_WIDTH)
    rows = []
    for g, (base, other) in pairs:
        own = {m: found[g.app, g.where, m] for m in columns}
        cells = (
            Ratio(metric=m, text=ratio_text(r), bar=_bar(r, scale) if r else None) for m, r in own.items()
        )
        rows.append((g, f"{other.completed} : {base.completed}", tuple(cells)))
    return Ratios(columns=tuple(column(catalog, m) for m in columns), rows=tuple(rows))


def ratio_text(number: float | None) -> str:
    """Two or three significant digits, however large."""
    if number is None:
        return NONE
    for above, digits in ((99.5, 0), (9.95, 1), (0.0995, 2), (0.00995, 3)):
        if number >= above:
            return f"{number:,.{digits}f}×"
    return f"{number:.2g}×"


def _bar(number: float, scale: Scale) -> Markup:
    one, here = scale.at(0), scale.at(math.log10(number))
    bar = tag("rect", class_="ratio-bar", x=min(one, here), y=2, width=max(abs(here - one), 1.0), height=5)
    middle = tag("line", class_="axis", x1=one, x2=one, y1=0, y2=9)
    return figure(ratio_text(number), BAR_WIDTH, 9, bar, middle, class_="ratio-figure")

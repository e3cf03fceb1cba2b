"""k6's summary: `--summary-export`, or what `handleSummary` is given."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from telar.collect.finite import finite
from telar.collect.imports.foreign import Occasion, decoded
from telar.store.points import Point

BIGGER = {
    "http_reqs": ("rate",),
    "iterations": ("rate",),
    "checks": ("rate", "value"),
    "data_received": ("rate",),
}
COUNTS = {"count", "passes", "fails"}  # say how long it ran rather than how fast
MILLISECONDS = {"min", "avg", "med", "max"}


class _Summary(msgspec.Struct):
    metrics: dict[str, dict[str, Any]]


def read(content: bytes, occasion: Occasion) -> list[Point]:
    """A point for each figure of each metric, but for counts: they follow from the test's length."""
    summary = decoded(content, _Summary, occasion, "k6's summary")
    found = []
    for name, metric in sorted(summary.metrics.items()):
        figures = metric["values"] if isinstance(metric.get("values"), dict) else metric
        for figure, given in sorted(figures.items()):
            value = finite(given)
            if value is None or figure in COUNTS:
                continue
            better: Literal["smaller", "bigger"] = "bigger" if figure in BIGGER.get(name, ()) else "smaller"
            found.append(
                Point(
                    series=occasion.prefix + name,
                    metric=figure,
                    unit=_unit(figure),
                    better=better,
                    time=occasion.time,
                    commit=occasion.commit,
                    value=value,
                    origin=occasion.origin,
                )
            )
    if not found:
        raise occasion.fault("has no figures in its metrics", hint="k6 run --summary-export FILE writes one")
    return found


def _unit(figure: str) -> str:
    if figure in MILLISECONDS or figure.startswith("p("):
        return "ms"
    return "1/s" if figure == "rate" else ""

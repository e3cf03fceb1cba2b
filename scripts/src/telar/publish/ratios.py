"""Ratios, as they are written, and those that are shown at a glance."""

from __future__ import annotations

NONE = "–"
GLANCE = (
    "p50", "p95", "p99", "app-cpu", "database-cpu", "allocated", "heap-peak", "rss", "os-threads",
    "startup-ready",
)  # fmt: skip


def ratio_text(number: float | None) -> str:
    """Two or three significant digits, however large."""
    if number is None:
        return NONE
    for above, digits in ((99.5, 0), (9.95, 1), (0.0995, 2), (0.00995, 3)):
        if number >= above:
            return f"{number:,.{digits}f}×"
    return f"{number:.2g}×"

"""Numbers of other tools' files."""

from __future__ import annotations

import math


def finite(value: object) -> float | None:
    """A number, or None for what other tools write where there is none: "NaN", null."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and abs(value) <= 1e18 else None  # noqa: PLR2004 - a record's bound

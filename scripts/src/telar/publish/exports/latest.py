"""For formats that know one value of a series."""

from __future__ import annotations

from collections.abc import Iterable

from telar.store.points import Point, by_series


def latest(points: Iterable[Point]) -> list[Point]:
    """Of each series the last point that may be compared. What is invalid isn't handed to tools that can't
    say so."""
    sound = (p for p in points if p.validity != "invalid")
    return [own[-1] for own in by_series(sound).values()]

"""Bencher Metric Format: benchmark -> measure -> value with its bounds."""

from __future__ import annotations

from collections.abc import Sequence

from telar.publish.exports.latest import latest
from telar.store.files import pretty
from telar.store.points import Point


def files(points: Sequence[Point]) -> dict[str, bytes]:
    found: dict[str, dict[str, dict[str, float]]] = {}
    for point in latest(points):
        measure = {"value": point.value}
        if point.low is not None and point.high is not None:
            measure |= {"lower_value": point.low, "upper_value": point.high}
        found.setdefault(point.series, {})[point.metric] = measure
    return {"bencher.json": pretty(found)}

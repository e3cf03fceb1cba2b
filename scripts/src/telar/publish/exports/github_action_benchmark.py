"""Two files for github-action-benchmark's `customSmallerIsBetter` and `customBiggerIsBetter`.

Direction is per tool there, hence two suites. Names must be unique in a file and stable over time. Its reader
makes 0 of a null, so that nothing unknown may be written at all.
"""

from __future__ import annotations

from collections.abc import Sequence

from telar.publish.exports.latest import latest
from telar.store.files import pretty
from telar.store.points import Point
from telar.words import many


def files(points: Sequence[Point]) -> dict[str, bytes]:
    """Of each series its last point. A suite without any is left out: there, an empty file is an error."""
    last = latest(points)
    suites = {f"{better}-is-better.json": [_bench(p) for p in last if p.better == better]
              for better in ("smaller", "bigger")}  # fmt: skip
    return {name: pretty(benches) for name, benches in suites.items() if benches}


def _bench(point: Point) -> dict[str, object]:
    found: dict[str, object] = {
        "name": f"{point.series} {point.metric}",
        "value": point.value,
        "unit": point.unit,
    }
    if point.low is not None and point.high is not None:
        found["range"] = f"{point.low:g} – {point.high:g}"
    found["extra"] = f"{many(point.runs, 'run')}, {point.validity}\n{point.origin}"
    return found

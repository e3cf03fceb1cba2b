"""The JSON that JMH writes with `-rf json`, so that viewers of it show services, too.

A series is a benchmark, named `telar.<series>`, with its metric as a parameter. What grows when it gets
better is throughput, everything else an average; the unit is the metric's own.
"""

from __future__ import annotations

from collections.abc import Sequence

from telar.publish.exports.latest import latest
from telar.store.files import pretty
from telar.store.points import Point


def files(points: Sequence[Point]) -> dict[str, bytes]:
    return {"jmh-result.json": pretty([_benchmark(p) for p in latest(points)])}


def _benchmark(point: Point) -> dict[str, object]:
    low = point.value if point.low is None else point.low
    high = point.value if point.high is None else point.high
    return {
        "benchmark": f"telar.{point.series}",
        "mode": "thrpt" if point.better == "bigger" else "avgt",
        "threads": 1,
        "forks": point.runs,
        "measurementIterations": 1,
        "params": {"metric": point.metric},
        "primaryMetric": {
            "score": point.value,
            "scoreError": (high - low) / 2,
            "scoreConfidence": [low, high],
            "scoreUnit": point.unit,
            "rawData": [[point.value]],
        },
        "secondaryMetrics": {},
    }

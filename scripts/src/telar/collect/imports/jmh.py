"""JMH's own JSON (`-rf json`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from telar.collect.finite import finite
from telar.collect.imports.foreign import Occasion, decoded
from telar.collect.jmh import JSON, Result, Score
from telar.store.points import Point


def read(content: bytes, occasion: Occasion) -> list[Point]:
    """A point for each benchmark with its parameters, and for each secondary metric. `thrpt` is better when
    bigger, all other modes when smaller; a secondary metric has its benchmark's direction only where its
    unit is a rate of it, as JMH's profilers write it.
    """
    results = decoded(content, list[Result], occasion, JSON)
    return [point for result in results for point in _points(result, occasion)]


def _points(result: Result, occasion: Occasion) -> Iterator[Point]:
    params = "".join(f" {k}={v}" for k, v in sorted(result.params.items()))
    better: Literal["smaller", "bigger"] = "bigger" if result.mode == "thrpt" else "smaller"
    yield from _point(
        f"{result.benchmark}{params}", result.mode, result.primary_metric, better, result, occasion
    )
    for name, score in sorted(result.secondary_metrics.items()):
        own = better if score.score_unit.startswith("ops/") else "smaller"
        metric = name.lstrip("·")
        yield from _point(f"{result.benchmark}{params}", metric, score, own, result, occasion)


def _point(
    series: str,
    metric: str,
    score: Score,
    better: Literal["smaller", "bigger"],
    result: Result,
    occasion: Occasion,
) -> Iterator[Point]:
    value = finite(score.score)
    if value is None:
        return
    bounds = [finite(v) for v in score.score_confidence]
    low, high = bounds if len(bounds) == 2 and None not in bounds else (None, None)  # noqa: PLR2004 - an interval
    yield Point(
        series=occasion.prefix + series,
        metric=metric,
        unit=score.score_unit,
        better=better,
        time=occasion.time,
        commit=occasion.commit,
        value=value,
        low=low,
        high=high,
        runs=max(1, result.forks),
        origin=occasion.origin,
    )

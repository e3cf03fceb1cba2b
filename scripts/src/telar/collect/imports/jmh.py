"""JMH's own JSON (`-rf json`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from telar.collect.imports.foreign import Occasion, decoded, finite
from telar.store.points import Point


class _Score(msgspec.Struct, rename="camel"):
    score: Any
    score_unit: str
    score_confidence: list[Any] = []
    raw_data: list[list[Any]] = []


class _Result(msgspec.Struct, rename="camel"):
    benchmark: str
    mode: str
    primary_metric: _Score
    params: dict[str, str] = {}
    secondary_metrics: dict[str, _Score] = {}
    forks: int = 1


def read(content: bytes, occasion: Occasion) -> list[Point]:
    """A point for each benchmark with its parameters, and for each secondary metric. `thrpt` is better when
    bigger, all other modes when smaller; a secondary metric has its benchmark's direction only where its
    unit is a rate of it, as JMH's profilers write it.
    """
    results = decoded(content, list[_Result], occasion, "JMH's JSON (-rf json)")
    return [point for result in results for point in _points(result, occasion)]


def _points(result: _Result, occasion: Occasion) -> Iterator[Point]:
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
    score: _Score,
    better: Literal["smaller", "bigger"],
    result: _Result,
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

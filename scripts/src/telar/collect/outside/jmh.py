"""JMH's JSON (`-rf json`): each benchmark with its parameters, a run for each fork."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

import msgspec

from telar.collect.finite import finite
from telar.collect.jmh import Result
from telar.store.outside import Outside, Run, Series


def is_json(content: bytes) -> bool:
    """Whether it is a list of JMH's results."""
    return content.lstrip()[:1] == b"[" and b'"primaryMetric"' in content


def read(content: bytes, path: str) -> Outside:
    """Raises msgspec's DecodeError, and ValueError where no result has a score."""
    results = msgspec.json.decode(content, type=list[Result])
    series = {name: own for result in results for name, own in _series(result)}
    if not series:
        raise ValueError("no benchmark in it has a score")
    return Outside(path=path, tool="JMH", series=series)


def _series(result: Result) -> Iterator[tuple[str, Series]]:
    params = "".join(f" {name}={value}" for name, value in sorted(result.params.items()))
    forks = [[v for raw in fork if (v := finite(raw)) is not None] for fork in result.primary_metric.raw_data]
    runs = tuple(Run(value=fmean(own), parts=tuple(own)) for own in forks if own)
    if runs:
        better = "bigger" if result.mode == "thrpt" else "smaller"
        unit = result.primary_metric.score_unit
        yield f"{result.benchmark}{params}", Series(unit=unit, better=better, runs=runs)  # type: ignore[arg-type]

"""What JMH says of a run: its JSON (`-rf json`), and of a fork its log, too.

The JSON has the measured iterations and none of the warm-up's: these are in the log alone.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from telar.catalog.types import Catalog
from telar.collect.finite import finite
from telar.store.record import Benchmark, Metric, Profiled, Ruler

JSON = "JMH's JSON (-rf json)"


class Score(msgspec.Struct, rename="camel"):
    """As JMH writes it: "NaN" stands where a number is none."""

    score: Any
    score_unit: str
    score_error: Any = None
    score_confidence: list[Any] = []
    raw_data: list[list[Any]] = []  # of each fork, its iterations


class Result(msgspec.Struct, rename="camel"):
    """One benchmark with its parameters."""

    benchmark: str
    mode: str
    primary_metric: Score
    params: dict[str, str] = {}
    secondary_metrics: dict[str, Score] = {}
    forks: int = 1
    jmh_version: str = ""


def fork(content: bytes, log: str) -> Benchmark:
    """The fork that JMH was asked for, from its JSON and from what it printed.

    Raises ValueError, with words for a person, unless it is one fork of one benchmark with a score.
    """
    try:
        results = msgspec.json.decode(content, type=list[Result])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError(f"isn't {JSON}: {error}") from error
    if len(results) != 1:
        raise ValueError(
            f"holds {len(results)} results, not that of one benchmark with one choice of parameters"
        )
    result = results[0]
    primary = result.primary_metric
    score, raw = finite(primary.score), primary.raw_data
    iterations = _numbers(raw[0]) if len(raw) == 1 else ()
    if len(raw) != 1 or score is None or not iterations:
        raise ValueError(
            f"{result.benchmark}: {len(raw)} forks with a score of {primary.score!r}, not one with a number"
        )
    return Benchmark(
        jmh=result.jmh_version,
        benchmark=result.benchmark,
        mode=result.mode,
        unit=primary.score_unit,
        params=result.params,
        warmup=_warmup(log),
        iterations=iterations,
        score=score,
        error=finite(primary.score_error),
        secondary=dict(_secondary(result)),
        invoker=_said(log, "VM invoker"),
        options=_said(log, "VM options"),
    )


MILLISECONDS = {"s/op": 1e3, "ms/op": 1.0, "us/op": 1e-3, "ns/op": 1e-6}


def metrics(catalog: Catalog, found: Benchmark, ruler: Ruler) -> dict[str, Metric]:
    """Every metric of telar.toml that a fork has a value for. A throughput (`ops/ms`) isn't the time of an
    operation: of one there is no `score`.
    """
    milliseconds = MILLISECONDS.get(found.unit)
    values: dict[str, float | None] = {
        "score": None if milliseconds is None else found.score * milliseconds,
        "score-error": None if milliseconds is None or found.error is None else found.error * milliseconds,
        "allocated-op": _profiled(found, "gc.alloc.rate.norm", "B/op", 1 / 1024),
        "gc-count": _profiled(found, "gc.count", "counts", 1.0),
        "gc-pause": _profiled(found, "gc.time", "ms", 1.0),
        "speed": ruler.speed,
    }
    table = catalog.file.metric
    return {
        name: Metric(value=value, unit=table[name].unit, better=table[name].better)
        for name in table
        if (value := values.get(name)) is not None
    }


def _profiled(found: Benchmark, name: str, unit: str, factor: float) -> float | None:
    """A profiler's value, where it is in the unit that the factor is for. Without a collection JMH gives no
    `gc.time`.
    """
    profiled = found.secondary.get(name)
    return profiled.score * factor if profiled and profiled.unit == unit else None


def _secondary(result: Result) -> list[tuple[str, Profiled]]:
    """Those with a number: one that only writes a file has none. Older JMHs write `·` before a name."""
    found = []
    for name, metric in sorted(result.secondary_metrics.items()):
        score = finite(metric.score)
        if score is not None:
            own = _numbers(metric.raw_data[0]) if len(metric.raw_data) == 1 else ()
            found.append((name.lstrip("·"), Profiled(score=score, unit=metric.score_unit, iterations=own)))
    return found


def _numbers(raw: list[Any]) -> tuple[float, ...]:
    """All of them, or none: a gap among iterations would be taken for their end."""
    values = [finite(value) for value in raw]
    known = tuple(value for value in values if value is not None)
    return known if len(known) == len(values) else ()


_WARMUP = re.compile(r"^# Warmup Iteration +\d+: +(?:(≈ 10)([⁻⁰¹²³⁴-⁹]+)|([\d.]+)) ", re.MULTILINE)
_RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def _warmup(log: str) -> tuple[float, ...]:
    """Of a score too small for its digits JMH prints the order alone: `≈ 10⁻⁴`."""
    found = (match.groups() for match in _WARMUP.finditer(log))
    return tuple(
        10.0 ** int(order.translate(_RAISED)) if small else float(plain) for small, order, plain in found
    )


def _said(log: str, what: str) -> str:
    """A line of the head that JMH prints before a benchmark."""
    found = re.search(rf"^# {what}: (.*)$", log, re.MULTILINE)
    return found.group(1).strip() if found else ""

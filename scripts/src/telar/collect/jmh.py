"""What JMH says of a run: its JSON (`-rf json`), and of a fork its log, too.

The JSON has the measured iterations and none of the warm-up's: these are in the log alone.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from telar.collect.finite import finite

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


class Values(msgspec.Struct, frozen=True, kw_only=True):
    """A profiler's metric."""

    score: float  # as JMH sums it up: some are a mean, some a sum
    unit: str  # as JMH writes it: "B/op", "counts", "ms", …
    iterations: tuple[float, ...]  # empty where it has one value for all


class Fork(msgspec.Struct, frozen=True, kw_only=True):
    """One fork (a fresh JVM) of one benchmark with one choice of its parameters."""

    jmh: str  # version
    benchmark: str
    mode: str  # "avgt", "thrpt", …
    unit: str  # of the scores, as JMH writes it: "ms/op"
    params: dict[str, str]
    warmup: tuple[float, ...]  # score of each iteration, in order, to the three digits of the log
    iterations: tuple[float, ...]  # of the measured ones
    score: float  # their mean
    error: (
        float | None
    )  # half of the 99.9 % confidence interval by Student's t, as JMH has it; None for one iteration
    secondary: dict[str, Values]
    invoker: str  # the java that JMH started
    options: str  # its options


def fork(content: bytes, log: str) -> Fork:
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
    return Fork(
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


def _secondary(result: Result) -> list[tuple[str, Values]]:
    """Those with a number: one that only writes a file has none. Older JMHs write `·` before a name."""
    found = []
    for name, metric in sorted(result.secondary_metrics.items()):
        score = finite(metric.score)
        if score is not None:
            own = _numbers(metric.raw_data[0]) if len(metric.raw_data) == 1 else ()
            found.append((name.lstrip("·"), Values(score=score, unit=metric.score_unit, iterations=own)))
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

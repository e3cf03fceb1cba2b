"""k6: its summary (`--summary-export`, `handleSummary`) and its raw results (`--out csv`)."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Iterable, Iterator
from statistics import fmean
from typing import Any

import msgspec

from telar.analyse.schedule import quantile
from telar.collect.finite import finite
from telar.store.outside import Load, Outside, Run, Series

FIGURES = {"mean": "avg", "p50": "med", "p90": "p(90)", "p95": "p(95)", "p99": "p(99)"}
BLOCK = 5.0  # seconds of a stretch
BLOCKS = 4  # fewer say nothing of the spread


class _Summary(msgspec.Struct):
    metrics: dict[str, dict[str, Any]]


def is_summary(content: bytes) -> bool:
    """Whether it is JSON with k6's metrics."""
    return content.lstrip()[:1] == b"{" and b'"http_req_duration"' in content


def summary(content: bytes, path: str) -> Outside:
    """Raises msgspec's DecodeError, and ValueError where it has no requests."""
    found = {n: _figures(m) for n, m in msgspec.json.decode(content, type=_Summary).metrics.items()}
    durations, requests = found.get("http_req_duration", {}), found.get("http_reqs", {})
    count, rate = requests.get("count"), requests.get("rate")
    if not count or not durations:
        raise ValueError("k6 made no request")
    series = {
        name: Series(unit="ms", better="smaller", runs=(Run(value=durations[figure]),))
        for name, figure in FIGURES.items()
        if figure in durations
    }
    if rate:
        series["rate"] = Series(unit="1/s", better="bigger", runs=(Run(value=rate),))
    failed = found.get("http_req_failed", {})
    share = failed.get("rate", failed.get("value"))
    # Of a rate that is called "failed" k6 counts as passes what did fail.
    known = failed.get("passes", None if share is None else share * count)
    dropped = found.get("dropped_iterations", {}).get("count")
    users = found.get("vus_max", {})
    return Outside(
        path=path,
        tool="k6's summary",
        series=series,
        load=Load(
            requests=round(count),
            failed=None if known is None else round(known),
            contradicted=_whole(found.get("checks", {}).get("fails")),
            dropped=_whole(dropped) if dropped is not None else 0,
            iterations=_whole(found.get("iterations", {}).get("count")),
            iteration_ms=found.get("iteration_duration", {}).get("avg"),
            users=_whole(users.get("max", users.get("value"))),
            seconds=count / rate if rate else None,
            late=False,
            connecting_p95_ms=found.get("http_req_blocked", {}).get("p(95)"),
            p95_ms=durations.get("p(95)"),
        ),
    )


def _figures(metric: dict[str, Any]) -> dict[str, float]:
    given = metric["values"] if isinstance(metric.get("values"), dict) else metric
    return {name: value for name, v in given.items() if (value := finite(v)) is not None}


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


def is_csv(content: bytes) -> bool:
    """Whether it begins with the heading of k6's CSV."""
    return content.startswith(b"metric_name,timestamp,metric_value")


def raw(content: bytes, path: str) -> Outside:
    """Raises ValueError where it has no requests, or a line that isn't k6's."""
    values: dict[str, list[tuple[float, float]]] = defaultdict(list)
    failed = contradicted = 0
    for name, moment, value in _rows(content):
        values[name].append((moment, value))
        failed += name == "http_req_failed" and value == 1
        contradicted += name == "checks" and value == 0
    durations = sorted(values["http_req_duration"])
    if not durations:
        raise ValueError("k6 made no request")
    # A request's row has the moment of its end.
    start = min(moment - ms / 1000 for moment, ms in durations)
    seconds = durations[-1][0] - start
    return Outside(
        path=path,
        tool="k6's raw results",
        series=dict(_series(durations, start, seconds)),
        load=Load(
            requests=len(durations),
            failed=failed,
            contradicted=contradicted,
            dropped=round(sum(value for _, value in values["dropped_iterations"])),
            iterations=round(sum(value for _, value in values["iterations"])),
            iteration_ms=_mean(values["iteration_duration"]),
            users=round(max((value for _, value in values["vus_max"]), default=0)) or None,
            seconds=seconds,
            late=False,
            connecting_p95_ms=_p95(values["http_req_blocked"]),
            p95_ms=_p95(durations),
        ),
    )


def _rows(content: bytes) -> Iterator[tuple[str, float, float]]:
    """Metric, moment in seconds, value."""
    reader = csv.DictReader(io.StringIO(content.decode("utf-8", errors="replace")))
    for number, row in enumerate(reader, start=2):
        try:
            yield row["metric_name"], _moment(float(row["timestamp"])), float(row["metric_value"])
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"line {number} isn't one of k6's results: {error}") from error


def _moment(stamp: float) -> float:
    """In seconds, whichever unit K6_CSV_TIME_FORMAT asked for."""
    while stamp > 1e11:  # noqa: PLR2004 - of the year 5138, if it were seconds
        stamp /= 1000
    return stamp


def _series(
    durations: list[tuple[float, float]], start: float, seconds: float
) -> Iterator[tuple[str, Series]]:
    """Each figure of the whole, with the same of stretches of time."""
    blocks: dict[int, list[float]] = defaultdict(list)
    for moment, ms in durations:
        blocks[int((moment - start) / BLOCK)].append(ms)
    whole = [ms for n, ms in sorted(blocks.items()) if (n + 1) * BLOCK <= seconds]
    stretches = whole if len(whole) >= BLOCKS else []
    every = [ms for _, ms in durations]
    for name, share in (("mean", None), ("p50", 0.5), ("p95", 0.95), ("p99", 0.99)):
        parts = tuple(_figure(own, share) for own in stretches)
        run = Run(value=_figure(every, share), parts=parts)
        yield name, Series(unit="ms", better="smaller", runs=(run,))
    if seconds > 0:
        rates = tuple(len(own) / BLOCK for own in stretches)
        run = Run(value=len(every) / seconds, parts=rates)
        yield "rate", Series(unit="1/s", better="bigger", runs=(run,))


def _figure(values: list[float], share: float | None) -> float:
    return fmean(values) if share is None else quantile(values, share)


def _mean(values: Iterable[tuple[float, float]]) -> float | None:
    own = [value for _, value in values]
    return fmean(own) if own else None


def _p95(values: Iterable[tuple[float, float]]) -> float | None:
    own = [value for _, value in values]
    return quantile(own, 0.95) if own else None

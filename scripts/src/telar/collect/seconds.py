"""The load by second: what was offered, what came back, how long it took."""

from __future__ import annotations

from collections.abc import Sequence

from telar.analyse.schedule import quantile
from telar.collect.k6 import Results
from telar.store.record import Stage


def by_second(results: Results, stages: Sequence[Stage]) -> dict[str, tuple[float | None, ...]]:
    """Offered rate, answered and failed requests, and latency, for each second of the window.

    `load.waited_seconds` is what all the requests that ended in the second took together, from their sending:
    the service can't know of more. `load.late_ms` is what they waited in the generator before; null where
    that isn't known.
    """
    start = results.start
    size = int(results.end - start) + 1
    answered, failed = [0.0] * size, [0.0] * size
    services: list[list[float]] = [[] for _ in range(size)]
    latencies: list[list[float]] = [[] for _ in range(size)]
    waits: list[list[float]] = [[] for _ in range(size)]
    for (end, service, bad), wait in zip(results.ends, results.waits_us, strict=True):
        second = int(end - start)
        (failed if bad else answered)[second] += 1
        services[second].append(service)
        latencies[second].append(service + wait)
        waits[second].append(wait)
    known = results.late is not None
    return {
        "load.offered": tuple(_offered(stages, second + 0.5) for second in range(size)),
        "load.answered": tuple(answered),
        "load.failed": tuple(failed),
        "load.waited_seconds": tuple(sum(values) / 1e6 for values in services),
        "load.p50_ms": tuple(_quantile_ms(values, 0.50) for values in latencies),
        "load.p99_ms": tuple(_quantile_ms(values, 0.99) for values in latencies),
        "load.late_ms": tuple(_quantile_ms(values, 0.99) if known else None for values in waits),
    }


def _offered(stages: Sequence[Stage], second: float) -> float | None:
    for stage in stages:
        if stage.start <= second < stage.end:
            share = (second - stage.start) / (stage.end - stage.start)
            return stage.from_rate + (stage.to_rate - stage.from_rate) * share
    return None


def _quantile_ms(values: list[float], share: float) -> float | None:
    return quantile(values, share) / 1000 if values else None

"""One name, one meaning: what older records and floors call latency, newer ones call the service time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from telar.store.record import LatencyFrom, Record

SERVICE = {"p50": "service-p50", "p95": "service-p95", "p99": "service-p99"}
LATENCIES = {*SERVICE, "p999", "max"}

T = TypeVar("T")


def by_meaning(named: Mapping[str, T], latency_from: LatencyFrom) -> dict[str, T]:
    """Metric -> what is known of it, with latencies from the sending under the names of service times."""
    if latency_from == "due":
        return dict(named)
    kept = {name: value for name, value in named.items() if name not in LATENCIES}
    return {SERVICE[name]: named[name] for name in SERVICE if name in named} | kept


def latency_from(record: Record) -> LatencyFrom:
    """What its latencies count from; of a failed run, which has none, what they would in an older record."""
    return record.load.latency_from if record.load else "sent"

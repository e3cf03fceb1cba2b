"""The app's own metrics (Micrometer, Prometheus text), reduced to the series that a record keeps."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.samples import Sample


@dataclass(frozen=True, kw_only=True)
class Rule:
    """The sum of the samples of these names whose labels fit, times `scale`, becomes one series."""

    series: str
    names: tuple[str, ...]
    fits: Callable[[dict[str, str]], bool] = lambda _: True
    scale: float = 1.0


def _area(area: str) -> Callable[[dict[str, str]], bool]:
    return lambda labels: labels.get("area") == area


THREAD_STATES = ("runnable", "blocked", "waiting", "timed-waiting", "new", "terminated")

RULES: tuple[Rule, ...] = (
    Rule(series="heap_used", names=("jvm_memory_used_bytes",), fits=_area("heap")),
    Rule(series="heap_committed", names=("jvm_memory_committed_bytes",), fits=_area("heap")),
    Rule(series="nonheap_used", names=("jvm_memory_used_bytes",), fits=_area("nonheap")),
    Rule(series="threads_live", names=("jvm_threads_live_threads",)),
    *(
        Rule(
            series=f"threads_{state.replace('-', '_')}",
            names=("jvm_threads_states_threads",),
            fits=lambda labels, state=state: labels.get("state") == state,  # type: ignore[misc]
        )
        for state in THREAD_STATES
    ),
    # Spring with JDK 24 or newer; Quarkus 3.30 binds only pinned and submit-failed.
    *(
        Rule(
            series=f"virtual_{status}",
            names=("jvm_threads_virtual_live_threads",),
            fits=lambda labels, status=status: labels.get("scheduling_status") == status,  # type: ignore[misc]
        )
        for status in ("mounted", "queued")
    ),
    Rule(series="virtual_pinned_count", names=("jvm_threads_virtual_pinned_seconds_count",)),
    Rule(series="virtual_pinned_seconds", names=("jvm_threads_virtual_pinned_seconds_sum",)),
    Rule(series="virtual_submit_failed", names=("jvm_threads_virtual_submit_failed_total",)),
    Rule(series="requests_served", names=("http_server_requests_seconds_count",)),
    Rule(series="request_seconds", names=("http_server_requests_seconds_sum",)),
    Rule(
        series="pool_active",
        names=(
            "hikaricp_connections_active",
            "r2dbc_pool_acquired_connections",
            "agroal_active_count",
            "mongodb_driver_pool_checkedout",
            "sql_pool_active",
        ),
    ),
    Rule(
        series="pool_max",
        names=("hikaricp_connections_max", "r2dbc_pool_max_allocated_connections"),
    ),
    Rule(
        series="pool_waiting",
        names=(
            "hikaricp_connections_pending",
            "r2dbc_pool_pending_connections",
            "agroal_awaiting_count",
            "mongodb_driver_pool_waitqueuesize",
            "sql_pool_queue_size",
        ),
    ),
    Rule(series="jit_seconds", names=("jvm_compilation_time_ms_total",), scale=0.001),
    Rule(series="classes_loaded", names=("jvm_classes_loaded_classes",)),
)


def reduce(text: str, *, page: str | None = None) -> dict[str, float]:
    """Series name to value, for those series whose metrics the text has.

    `page`: the path where the text was read. Quarkus and WebFlux count whoever reads it among the requests
    that they serve, two a second where the metrics servers read, too: these are left out.
    """
    by_name: dict[str, list[Sample]] = {}
    wanted = {name for rule in RULES for name in rule.names}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            if sample.name in wanted and (page is None or sample.labels.get("uri") != page):
                by_name.setdefault(sample.name, []).append(sample)
    values: dict[str, float] = {}
    for rule in RULES:
        fitting = _fitting(rule, by_name)
        if fitting:
            values[rule.series] = sum(fitting) * rule.scale
    return values


def _fitting(rule: Rule, by_name: dict[str, list[Sample]]) -> list[float]:
    samples: Iterable[Sample] = (s for name in rule.names for s in by_name.get(name, []))
    # -1 and NaN are Micrometer's "not known", and no record can hold an infinity.
    return [s.value for s in samples if rule.fits(s.labels) and 0 <= s.value < math.inf]

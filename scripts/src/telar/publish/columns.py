"""The metrics that head columns, as the catalogue describes them."""

from __future__ import annotations

from dataclasses import dataclass

from telar.catalog.types import Catalog, MetricFile

# Title of each table, and its columns: metrics of telar.toml.
TABLES = {
    "Latency and load": ("p50", "p95", "p99", "p999", "throughput", "failures", "dropped", "capacity"),
    "Resources": (
        "app-cpu", "database-cpu", "allocated", "heap-peak", "rss", "os-threads", "startup-ready",
    ),
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Column:
    metric: str
    label: str
    unit: str
    title: str
    better: str


def column(catalog: Catalog, metric: str) -> Column:
    """A metric that the catalogue no longer has goes by its name."""
    file = metric_file(catalog, metric)
    counted = file.unit in {"requests", "arrivals", "threads", "collections"}  # the label says it
    unit = "" if counted else file.unit
    return Column(metric=metric, label=file.label, unit=unit, title=file.title, better=file.better)


def metric_file(catalog: Catalog, metric: str) -> MetricFile:
    unknown = MetricFile(label=metric, title=metric, unit="", better="smaller", digits=3)
    return catalog.file.metric.get(metric, unknown)

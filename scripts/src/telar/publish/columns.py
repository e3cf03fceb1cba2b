"""The metrics that head columns, as the catalogue describes them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from telar.analyse import endpoints
from telar.analyse.summary import Summary
from telar.catalog.settings import MetricFile
from telar.catalog.types import Catalog
from telar.plan.cells import Cell
from telar.store.report import ReportColumn

# Title of each table, and its columns: metrics of telar.toml.
TABLES = {
    "Latency and load": ("p50", "p95", "p99", "p999", "throughput", "failures", "dropped", "capacity"),
    "Resources": (
        "app-cpu", "database-cpu", "allocated", "heap-peak", "rss", "os-threads", "startup-ready",
    ),
}  # fmt: skip
# Of what isn't a service; of these columns those that some run has.
OTHERS = {
    "Benchmarks": ("score", "score-error", "allocated-op", "recording", "gc-count", "gc-pause"),
    "Programs": ("rounds-lost", "task-rate", "task-cpu", "parked"),
}
SPEED = "speed"  # of the machine: the last column of those
APART = 0.02  # from there on, the rate and what was held say different things
UNBOUNDED = 1e12  # of a metric that is described no longer


def tables_of(found: Iterable[Summary]) -> dict[str, tuple[str, ...]]:
    """`TABLES`, with the rate that was held where answers took so long that it is another one; of benchmarks
    and programs theirs.
    """
    found = list(found)
    measured = [s for s in found if s.metrics]
    tables = {}
    for title, columns in OTHERS.items():
        own = {name for s in measured if _is_of(s, title) for name in s.metrics}
        if known := [name for name in columns if name in own]:
            tables[title] = (*known, SPEED)
    services = [s for s in measured if not any(_is_of(s, title) for title in OTHERS)]
    return {**(_of_services(found) if services or not measured else {}), **tables}


def _is_of(summary: Summary, title: str) -> bool:
    """Whether a run has what only such runs have; collections those of services have, too."""
    own = set(OTHERS[title]) - {"gc-count", "gc-pause"}
    return not own.isdisjoint(summary.metrics)


def _of_services(found: list[Summary]) -> dict[str, tuple[str, ...]]:
    """A search has found more than a ramp's highest stage."""
    tables = _with_held(found)
    if not any("ceiling" in s.metrics for s in found):
        return tables
    return {
        title: tuple("ceiling" if c == "capacity" else c for c in columns)
        for title, columns in tables.items()
    }


def _with_held(found: list[Summary]) -> dict[str, tuple[str, ...]]:
    known = (s.metrics for s in found if {"held", "throughput"} <= s.metrics.keys())
    both = [(metrics["held"], metrics["throughput"]) for metrics in known]
    if not any(abs(held - rate) > APART * held for held, rate in both):
        return TABLES
    return {title: tuple(_beside(columns)) for title, columns in TABLES.items()}


def _beside(columns: Iterable[str]) -> Iterator[str]:
    for column in columns:
        yield column
        if column == "throughput":
            yield "held"


# Metrics that one change tends to move together, as the pages sort regressions.
GROUPS = {
    "throughput": ("throughput", "held", "failures", "dropped", "capacity"),
    "benchmarks": ("score", "score-error", "recording"),
    "programs": ("rounds-lost", "task-rate", "task-cpu", "parked"),
    "latency": ("p50", "p95", "p99", "p999", "max", "connection-wait"),
    "memory": ("allocated", "allocated-op", "gc-count", "gc-pause", "gc-pause-max", "rss"),
    "work": ("statements", "rows-read", "answer"),
    "threads": ("os-threads", "context-switches", "pinned", "pool", "pool-waiting"),
    "machine": ("speed", "telemetry-gap"),
}
BY_PART = {
    "-cpu": "CPU", "cpu-": "CPU", "startup": "start-up", "warm": "start-up", "p50": "latency",
    "p95": "latency", "p99": "latency", "heap": "memory", "memory": "memory", "live": "memory",
}  # fmt: skip


def group_of(metric: str) -> str:
    """By its name; `other` where the name says nothing."""
    for group, own in GROUPS.items():
        if metric in own:
            return group
    return next((group for part, group in BY_PART.items() if part in metric), "other")


def column(catalog: Catalog, metric: str) -> ReportColumn:
    """A metric that the catalogue no longer has goes by its name."""
    file = metric_file(catalog, metric)
    counted = file.unit in {"requests", "arrivals", "threads", "collections"}  # the label says it
    unit = "" if counted else file.unit
    return ReportColumn(label=file.label, unit=unit, title=file.title, better=file.better)


PREVIEW = "preview, not warm"  # in place of `invalid: warm`, where no measurement was meant


def validity(summary: Summary) -> str:
    """`valid`, or what the numbers are and the gates that say so: `invalid: warm`, `limited: database`."""
    if summary.validity == "valid":
        return "valid"
    failed = [g for g in summary.gates if g.verdict == "fail"]
    hard = _hard(summary)
    if is_preview(summary):
        others = [name for name in hard if name != "warm"]
        return f"{PREVIEW}; fails {', '.join(others)}" if others else PREVIEW
    reasons = hard if summary.validity == "invalid" else [str(g.limited_by) for g in failed]
    return ": ".join(filter(None, (summary.validity, ", ".join(dict.fromkeys(reasons)))))


def is_preview(summary: Summary) -> bool:
    """Whether the service was cold on purpose: its suite has a short, fixed warm-up."""
    return summary.short_warmup is not None and "warm" in _hard(summary)


def _hard(summary: Summary) -> list[str]:
    """The gates that make the runs invalid."""
    return [g.name for g in summary.gates if g.verdict == "fail" and not g.limited_by]


def metric_file(catalog: Catalog, metric: str) -> MetricFile:
    unknown = MetricFile(
        label=metric, title=metric, unit="", better="smaller", least=-UNBOUNDED, most=UNBOUNDED, digits=3
    )
    return endpoints.file_of(catalog, metric) or unknown


def title(catalog: Catalog, cell: Cell, metric: str) -> str:
    """Of a metric of this cell, an endpoint's with what people call it."""
    endpoint = endpoints.split(metric)[1]
    said = metric_file(catalog, metric).title
    return f"{endpoints.title(catalog, cell, endpoint)}: {said}" if endpoint else said

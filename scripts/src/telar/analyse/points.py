"""From records to points: what a session adds to the history of its series."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from itertools import groupby
from statistics import fmean, stdev

from telar.analyse.summary import Summary, summarise
from telar.catalog.types import Catalog
from telar.plan.cells import Cell
from telar.store.points import Point
from telar.store.record import Record


def series_name(cell: Cell) -> str:
    """Readable, and unique over all sessions."""
    return f"{cell.name}+{cell.engine}+{cell.runner}"


def points_of(catalog: Catalog, records: Iterable[Record]) -> list[Point]:
    """A point for each session, cell and metric. Windows of pairs are of a comparison, not of a history."""
    found: list[Point] = []
    own = [r for r in records if r.pair is None and r.outcome == "completed"]
    for session, of_session in groupby(sorted(own, key=lambda r: r.session), key=lambda r: r.session):
        kept = list(of_session)
        for summary in summarise(kept):
            found += _of(catalog, session, summary, [r for r in kept if r.cell == summary.cell])
    return found


def _of(catalog: Catalog, session: str, summary: Summary, records: list[Record]) -> list[Point]:
    sound = [r for r in records if r.validity != "invalid"] or records
    last = max(sound, key=lambda r: r.finished)
    found = []
    for metric, value in summary.metrics.items():
        file = catalog.file.metric.get(metric)
        values = [r.metrics[metric].value for r in sound if metric in r.metrics]
        if file is None or not values:
            continue
        mean, spread = logarithmic(values)
        found.append(
            Point(
                series=series_name(summary.cell),
                metric=metric,
                unit=file.unit,
                better=file.better,
                time=last.finished,
                commit=last.provenance.commit,
                value=value,
                low=min(values),
                high=max(values),
                runs=len(values),
                mean=mean,
                spread=spread,
                validity=summary.validity,
                environment=environment(last),
                origin=session,
            )
        )
    return found


def logarithmic(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Geometric mean, and standard deviation of the natural logarithms; None of fewer than two values, or
    where one isn't positive.
    """
    if len(values) < 2 or min(values) <= 0:  # noqa: PLR2004 - one value has no spread
        return None, None
    logs = [math.log(v) for v in values]
    return math.exp(fmean(logs)), stdev(logs)


def environment(record: Record) -> str:
    """A digest of the surroundings: where it differs, series begin again."""
    return hashlib.sha256(repr(sorted(surroundings(record).items())).encode()).hexdigest()[:12]


def surroundings(record: Record) -> dict[str, str]:
    """What moves numbers and isn't what a commit changes, in words: machine, kernel, builds of the JVM, the
    database and the generator, the load, the warm-up. What the commit builds isn't in it."""
    said, machine = record.provenance, record.provenance.machine
    found = {
        "machine": machine.hostname_digest[:12],
        "kernel": machine.kernel,
        "processor": f"{machine.cpu_model}, {machine.processors} of them",
        "governor": machine.governor,
        "container engine": machine.container_engine,
        "memory of the app": said.app_memory,
        "processors of": ", ".join(f"{who} {cpus}" for who, cpus in sorted(said.cpus.items())),
    }
    if record.load and record.load.latency_from != "sent":  # older records say nothing, and mean that
        found["latency"] = f"from when it was {record.load.latency_from}"
    if record.planned and record.planned.warmup_workload:
        warm = record.planned
        until = warm.warmup_seconds or warm.warmup_requests or "steady"
        found["warm-up"] = f"{warm.warmup_workload} at {warm.warmup_rate}/s until {until}"
    if record.benchmark:
        fork = record.benchmark
        found["JMH"] = (
            f"{fork.jmh}, {len(fork.warmup)} iterations of warm-up, {len(fork.iterations)} measured"
        )
    if said.java:
        found["JVM"] = f"{said.java.version}, {said.java.vendor}"
    if said.database:
        found["database"] = f"{said.database.name} {said.database.version}"
        settings = repr(sorted(said.database.settings.items()))
        found["database settings"] = hashlib.sha256(settings.encode()).hexdigest()[:12]
    if said.generator:
        found["k6"] = said.generator.version
        found["k6 script"] = said.generator.script_digest[:12]
    return found

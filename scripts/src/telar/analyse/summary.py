"""One line for each cell of a session, over its repetitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from statistics import median

import msgspec

from telar.analyse import histogram
from telar.plan.cells import Cell
from telar.store.meaning import latency_from
from telar.store.record import Gate, Product, Record, Validity

SEVERITY: tuple[Validity, ...] = ("valid", "limited", "invalid")
PERCENTILES = {"p50": 50.0, "p95": 95.0, "p99": 99.0, "p999": 99.9, "max": 100.0}


class StageLatency(msgspec.Struct, frozen=True, kw_only=True):
    stage: str
    from_rate: float
    to_rate: float
    start: float  # seconds since the window's start
    end: float
    count: int
    percentiles: dict[str, float]  # milliseconds


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """A cell's repetitions taken together."""

    cell: Cell
    product: Product | None
    java: str
    runs: int
    failed_runs: int
    validity: Validity  # of the runs that the numbers are of
    short_warmup: int | None = None  # seconds of a fixed one, after which a run is a preview
    invalid_runs: int  # completed, but not to be believed
    measured_again: tuple[str, ...]  # the gates for which windows were, each of them once
    gates: tuple[Gate, ...]  # one of each that failed or warned, of the runs that the numbers are of
    scheduled: float
    iterations: int
    dropped: int
    failures: dict[str, int]  # kind -> requests, over all runs
    metrics: dict[str, float]
    stages: tuple[StageLatency, ...]


def summarise(records: Iterable[Record]) -> list[Summary]:
    """A summary for each cell, in the order of their names: platform stands beside virtual.

    Latencies come from the merged histograms of the repetitions, other metrics are their median. Invalid
    runs are left out; where there is nothing else their numbers are shown as what they are: `validity`.
    """
    by_cell: dict[str, list[Record]] = {}
    for record in records:
        by_cell.setdefault(record.cell.name, []).append(record)
    return [_of(by_cell[name]) for name in sorted(by_cell)]


def _of(records: list[Record]) -> Summary:
    completed = [r for r in records if r.outcome == "completed"]
    done = believed(records)
    loads = [r.load for r in done if r.load]
    failures: Counter[str] = Counter()
    for failure in (f for r in done for f in r.failures):
        side = "" if failure.side == "server" else f"{failure.side}: "
        failures[side + failure.kind] += failure.count
    return Summary(
        cell=records[0].cell,
        product=next((r.provenance.database for r in records if r.provenance.database), None),
        java=next((r.provenance.java.version for r in records if r.provenance.java), ""),
        runs=len(records),
        failed_runs=len(records) - len(completed),
        validity=max((r.validity for r in done), key=SEVERITY.index, default="invalid"),
        invalid_runs=sum(r.validity == "invalid" for r in completed),
        short_warmup=next((r.planned.warmup_seconds for r in done if r.planned), None),
        measured_again=tuple(dict.fromkeys(g for r in done for s in r.superseded for g in s.gates)),
        gates=_told(done),
        scheduled=sum(load.scheduled for load in loads),
        iterations=sum(load.iterations for load in loads),
        dropped=sum(load.dropped for load in loads),
        failures=dict(failures),
        metrics=_metrics(done),
        stages=_stages(done),
    )


def believed(records: Iterable[Record]) -> list[Record]:
    """The runs that a cell's numbers are of: the completed ones that aren't invalid, or all completed ones
    where there is no other.
    """
    completed = [r for r in records if r.outcome == "completed"]
    return [r for r in completed if r.validity != "invalid"] or completed


def _told(done: list[Record]) -> tuple[Gate, ...]:
    """What was found wrong, the worst of each gate."""
    worst: dict[str, Gate] = {}
    for gate in (g for r in done for g in r.gates if g.verdict != "pass"):
        if gate.name not in worst or gate.verdict == "fail":
            worst[gate.name] = gate
    return tuple(worst.values())


def _metrics(done: list[Record]) -> dict[str, float]:
    names = {name for r in done for name in r.metrics}
    medians = {n: median([r.metrics[n].value for r in done if n in r.metrics]) for n in sorted(names)}
    histograms = [h.histogram for r in alike(done) for h in r.latencies]
    return medians | (_percentiles(histograms) if histograms else {})


def _stages(done: list[Record]) -> tuple[StageLatency, ...]:
    load = next((r.load for r in done if r.load), None)
    if load is None:
        return ()
    found = []
    for stage in load.stages:
        own = [h for r in alike(done) for h in r.latencies if h.stage == stage.name]
        if own:
            found.append(
                StageLatency(
                    stage=stage.name,
                    from_rate=stage.from_rate,
                    to_rate=stage.to_rate,
                    start=stage.start,
                    end=stage.end,
                    count=sum(h.count for h in own),
                    percentiles=_percentiles(h.histogram for h in own),
                )
            )
    return tuple(found)


def alike(done: list[Record]) -> list[Record]:
    """Those whose latencies count from the same moment as the last one's: a newer Telar may have gone on
    with a session.
    """
    return [r for r in done if latency_from(r) == latency_from(done[-1])]


def _percentiles(encoded: Iterable[str]) -> dict[str, float]:
    merged = histogram.merged(encoded)
    return {name: histogram.percentile_ms(merged, p) for name, p in PERCENTILES.items()}

"""What a record's types can't say: that its parts don't contradict each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hdrh.histogram import HdrHistogram

from telar.catalog.system import Kind
from telar.store.record import Failure, Latency, Record

# Kind -> what the conclusions of a completed run stand on.
STANDS_ON: dict[Kind, tuple[str, ...]] = {
    "http": ("load", "latencies", "metrics", "series"),
    "jmh": ("benchmark", "metrics", "series"),
    "task": ("program", "metrics", "series"),
}


def contradiction(record: Record) -> str:
    """The first that there is, with its place; empty when there is none."""
    return next((problem for rule in RULES for problem in rule(record)), "")


def _outcome(record: Record) -> Iterator[str]:
    """A run that failed says why; one that was completed has all that its conclusions stand on."""
    if record.outcome == "failed":
        if record.stopped is None:
            yield "$.stopped: missing in a run that failed"
        return
    if record.stopped is not None:
        yield "$.stopped: in a run that was completed"
    served = ("database",) if record.provenance.database else ()
    for name in (*STANDS_ON[record.kind], *served):
        if not getattr(record, name):
            yield f"$.{name}: missing in a run that was completed"


def _validity(record: Record) -> Iterator[str]:
    wrong = [gate.name for gate in record.gates if gate.verdict == "fail"]
    if record.validity == "valid" and (wrong or not record.gates):
        yield f"$.validity: valid, but {f'{wrong[0]} failed' if wrong else 'no gate has looked at it'}"


def _load(record: Record) -> Iterator[str]:
    """All that is counted by endpoint and stage is of endpoints and stages that there were."""
    load = record.load
    if load is None:
        return
    stages = {stage.name for stage in load.stages}
    for n, stage in enumerate(load.stages):
        if stage.end <= stage.start:
            yield f"$.load.stages.{n}.end: not after its start"
    for name in load.bytes.keys() - load.requests.keys():
        yield f"$.load.bytes.{name}: no such endpoint in $.load.requests"
    parts: list[tuple[str, Latency | Failure]] = [
        *((f"$.latencies.{n}", part) for n, part in enumerate(record.latencies)),
        *((f"$.failures.{n}", part) for n, part in enumerate(record.failures)),
    ]
    for place, part in parts:
        if part.endpoint not in load.requests:
            yield f"{place}.endpoint: {part.endpoint!r} is not in $.load.requests"
        if part.stage not in stages:
            yield f"{place}.stage: {part.stage!r} is not in $.load.stages"


def _histograms(record: Record) -> Iterator[str]:
    for n, latency in enumerate(record.latencies):
        if problem := _unreadable(latency):
            yield f"$.latencies.{n}.histogram: {problem}"


def _unreadable(latency: Latency) -> str:
    try:
        held = HdrHistogram.decode(latency.histogram.encode("ascii")).total_count
    except Exception as error:  # whatever the library makes of garbage
        return f"can't be decoded: {error or type(error).__name__}"
    return "" if held == latency.count else f"holds {held} latencies, not {latency.count}"


def _series(record: Record) -> Iterator[str]:
    if record.series is not None and len(sizes := {len(v) for v in record.series.values.values()}) > 1:
        yield f"$.series.values: of different lengths: {min(sizes)} to {max(sizes)}"


Rule = Callable[[Record], Iterator[str]]
RULES: tuple[Rule, ...] = (_outcome, _validity, _load, _histograms, _series)

"""From which rate virtual threads hold what a pool of platform threads doesn't, for each time that a request
waits.

A pool of n threads holds at most n ÷ wait requests a second (Little's law: Little 1961). That is the
prediction. What is measured are stairs: steps of constant rates, in an open model. A step is held when its
arrivals were answered and took no longer than the wait and an allowance. So the rate at which a model ends is
known as an interval: from the highest step that was held to the first one above it that wasn't.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Literal

import msgspec

from telar.analyse import histogram
from telar.gates.evidence import growth, load_of, readings
from telar.store.record import Record, Stage

POOL = 200  # platform threads: server.tomcat.threads.max of apps/sleep/spring-tomcat
ANSWERED = 0.99  # of a step's arrivals
LATER = 0.05  # of the wait, by which p50 and p95 of a held step may exceed it
LATER_MS = 25.0  # or by this, where that is more
FULL = 0.90  # of all processors: a step that isn't held beyond it says nothing about threads
SETTLED = 1.0  # seconds of a step, and the wait, after which answers come as fast as arrivals

Model = Literal["platform", "virtual"]
MODELS: tuple[Model, ...] = ("platform", "virtual")
# Why a model ends where it does: it doesn't, by itself, by the machine, or its rounds don't agree.
End = Literal["not reached", "service", "machine", "rounds differ"]
Word = Literal["virtual pays", "platform holds more", "no difference", "undecided"]


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One step of one run."""

    rate: float  # arrivals a second
    held: bool
    answered: float  # share of its arrivals
    p50_ms: float
    p95_ms: float
    busy: float | None  # share of all processors, whoever used them
    late_ms: float  # that arrivals waited in the generator: the highest of its seconds' p99
    by_machine: bool  # not held, which full processors or a late generator explain
    cpu_ms: float | None  # of the app for a request, its just-in-time compilers left out
    threads: float | None  # of the operating system, the most at once


class Reach(msgspec.Struct, frozen=True, kw_only=True):
    """What a model held, all of its runs together."""

    runs: int
    held: float | None  # the highest rate that every run held; null: not even the lowest
    not_held: float | None  # the lowest rate above it that no run held; null: there is none
    end: End
    cpu_ms: dict[str, float]  # rate -> median over the runs, of the steps that were held
    threads: dict[str, float]
    steps: tuple[Step, ...]  # by run, then in the order of the stairs


class Crossing(msgspec.Struct, frozen=True, kw_only=True):
    """One wait."""

    wait_ms: int
    predicted: float | None  # rate at which the pool is used up; null: a wait of nothing never uses it up
    platform: Reach | None  # null: no run of it can be used
    virtual: Reach | None
    both_held: float | None  # the highest rate that both held
    cpu_ratio: float | None  # there: virtual ÷ platform
    threads: dict[Model, float]  # there
    word: Word
    low: float | None  # where the models part, or both end: the rate is above this,
    high: float | None  # and at most this; null where no step above was not held
    as_predicted: bool | None  # whether the prediction lies in between; null where nothing was crossed
    why: str  # of the word
    left_out: dict[str, int]  # reason -> runs


def crossings(records: Iterable[Record], waits: Mapping[str, int]) -> list[Crossing]:
    """One for each wait of which there is a record, the longest first.

    `waits`: milliseconds by workload. Records of other workloads say nothing here.
    """
    by_wait: dict[int, list[Record]] = {}
    for record in records:
        if record.cell.workload in waits:
            by_wait.setdefault(waits[record.cell.workload], []).append(record)
    return [_crossing(wait, by_wait[wait]) for wait in sorted(by_wait, reverse=True)]


def _crossing(wait_ms: int, records: Sequence[Record]) -> Crossing:
    usable: dict[Model, list[Record]] = {}
    left_out: dict[str, int] = {}
    for record in records:
        model = next((m for m in MODELS if record.cell.variant.endswith(f"-{m}")), None)
        reason = f"{record.cell.variant}: neither model" if model is None else unusable(record, model)
        if reason:
            left_out[reason] = left_out.get(reason, 0) + 1
        elif model:
            usable.setdefault(model, []).append(record)
    platform, virtual = (_reach(wait_ms, usable[m]) if m in usable else None for m in MODELS)
    predicted = POOL * 1000 / wait_ms if wait_ms else None
    both = sorted(_rates_held(platform) & _rates_held(virtual), key=float)
    at = both[-1] if both else ""
    reached = {m: r for m, r in (("platform", platform), ("virtual", virtual)) if r}
    cpu = [r.cpu_ms.get(at) for r in (virtual, platform) if r]
    word, low, high, why = _word(platform, virtual, left_out)
    return Crossing(
        wait_ms=wait_ms, predicted=predicted, platform=platform, virtual=virtual,
        both_held=float(at) if at else None,
        cpu_ratio=cpu[0] / cpu[1] if at and cpu[0] and cpu[1] else None,
        threads={m: r.threads[at] for m, r in reached.items() if at in r.threads},  # type: ignore[misc]
        word=word, low=low, high=high, why=why, left_out=left_out,
        as_predicted=_as_predicted(word, predicted, low, high),
    )  # fmt: skip


def unusable(record: Record, model: str) -> str:
    """Why a run says nothing; empty where it does. What is limited is a true number about its limit."""
    if record.outcome != "completed":
        return f"{model}: failed"
    if record.planned and record.planned.warmup_seconds is not None:
        return f"{model}: a preview, not warm"
    if record.validity == "invalid":
        failed = [g.name for g in record.gates if g.verdict == "fail" and not g.limited_by]
        return f"{model}: invalid" + f" ({', '.join(failed)})" * bool(failed)
    return ""


# ---- one run


def allowed_ms(wait_ms: int) -> float:
    """What p50 and p95 of a held step are at most."""
    return wait_ms + max(LATER_MS, LATER * wait_ms)


def steps_of(record: Record, wait_ms: int) -> list[Step]:
    """The steps of constant rate, in their order. A request belongs to the step in which it arrived."""
    return [_step(record, s, wait_ms) for s in load_of(record).stages if s.from_rate == s.to_rate > 0]


def _step(record: Record, stage: Stage, wait_ms: int) -> Step:
    own = [latency for latency in record.latencies if latency.stage == stage.name]
    failed = sum(f.count for f in record.failures if f.stage == stage.name)
    arrivals = stage.to_rate * (stage.end - stage.start)
    answered = (sum(latency.count for latency in own) - failed) / arrivals
    whole = histogram.merged(latency.histogram for latency in own)
    p50, p95 = (histogram.percentile_ms(whole, p) for p in (50, 95))
    start = stage.start + min(SETTLED + wait_ms / 1000, (stage.end - stage.start) / 2)
    held = answered >= ANSWERED and max(p50, p95) <= allowed_ms(wait_ms)
    busy, late = _busy(record, start, stage.end), _late_ms(record, stage, wait_ms)
    without = answered >= ANSWERED and max(p50, p95) - late <= allowed_ms(wait_ms)
    return Step(
        rate=stage.to_rate,
        held=held,
        answered=answered,
        p50_ms=p50,
        p95_ms=p95,
        busy=busy,
        late_ms=late,
        by_machine=not held and (without or (busy or 0.0) >= FULL),
        cpu_ms=_cpu_ms(record, start, stage.end),
        threads=max(
            (v for t, v in readings(record, "app.os_threads") if start <= t <= stage.end), default=None
        ),
    )


def _late_ms(record: Record, stage: Stage, wait_ms: int) -> float:
    """0 where it isn't known: then latencies are from the sending, and hold none of it."""
    until = stage.end + wait_ms / 1000
    return max((v for t, v in readings(record, "load.late_ms") if stage.start <= t < until), default=0.0)


def _busy(record: Record, start: float, end: float) -> float | None:
    used = growth(record, "host.busy_seconds", start, end)
    seconds = _span(record, "host.busy_seconds", start, end)
    processors = record.provenance.machine.processors
    return None if used is None or not processors else used / (seconds[1] - seconds[0]) / processors


def _cpu_ms(record: Record, start: float, end: float) -> float | None:
    used, compiling = (growth(record, f"app.{n}_seconds", start, end) for n in ("cpu", "compiler"))
    if used is None or compiling is None:
        return None
    first, last = _span(record, "app.cpu_seconds", start, end)
    requests = sum(
        v for n in ("load.answered", "load.failed") for t, v in readings(record, n) if first <= t < last
    )
    return (used - compiling) * 1000 / requests if requests else None


def _span(record: Record, series: str, start: float, end: float) -> tuple[float, float]:
    """The first and the last second within [start, end] at which a series that grew was read."""
    seconds = [t for t, _ in readings(record, series) if start <= t <= end]
    return seconds[0], seconds[-1]


# ---- all runs of a model


def _reach(wait_ms: int, records: Sequence[Record]) -> Reach:
    steps = [step for record in records for step in steps_of(record, wait_ms)]
    by_rate: dict[float, list[Step]] = {}
    for step in steps:
        by_rate.setdefault(step.rate, []).append(step)
    held = max((rate for rate, own in by_rate.items() if all(s.held for s in own)), default=None)
    above = {rate: own for rate, own in by_rate.items() if held is None or rate > held}
    not_held = min((rate for rate, own in above.items() if not any(s.held for s in own)), default=None)
    return Reach(
        runs=len(records),
        held=held,
        not_held=not_held,
        end=_end(above, not_held),
        cpu_ms=_medians(by_rate, "cpu_ms"),
        threads=_medians(by_rate, "threads"),
        steps=tuple(steps),
    )


def _end(above: Mapping[float, list[Step]], not_held: float | None) -> End:
    if not above:
        return "not reached"
    if not_held is None:
        return "rounds differ"
    return "machine" if all(s.by_machine for s in above[not_held]) else "service"


def _medians(by_rate: Mapping[float, list[Step]], name: str) -> dict[str, float]:
    """By rate, of the rates that every run held."""
    known = {
        rate: [value for step in own if (value := getattr(step, name)) is not None]
        for rate, own in sorted(by_rate.items())
        if all(s.held for s in own)
    }
    return {f"{rate:g}": median(values) for rate, values in known.items() if values}


def _rates_held(reach: Reach | None) -> set[str]:
    rates = {s.rate for s in reach.steps} if reach else set()
    return {f"{r:g}" for r in rates if reach and all(s.held for s in reach.steps if s.rate == r)}


# ---- the verdict

Verdict = tuple[Word, float | None, float | None, str]


def _word(platform: Reach | None, virtual: Reach | None, left_out: Mapping[str, int]) -> Verdict:
    """The word, the interval in which the models part, and why."""
    if platform is None or virtual is None:
        missing = " and ".join(m for m, r in zip(MODELS, (platform, virtual), strict=True) if r is None)
        reasons = "; ".join(f"{n} left out, {reason}" for reason, n in left_out.items())
        return (
            "undecided",
            None,
            None,
            f"no run of {missing} that can be used" + f": {reasons}" * bool(reasons),
        )
    sides: tuple[tuple[Word, Reach, Reach], ...] = (
        ("virtual pays", platform, virtual),
        ("platform holds more", virtual, platform),
    )
    for word, less, more in sides:
        if less.end == "service" and less.not_held and more.held and more.held >= less.not_held:
            return word, less.held or 0.0, less.not_held, ""
    differ = [m for m, r in zip(MODELS, (platform, virtual), strict=True) if r.end == "rounds differ"]
    if differ:
        return "undecided", None, None, f"the rounds of {' and '.join(differ)} don't agree"
    if platform.held is None or virtual.held is None:
        return "undecided", None, None, "not even the lowest rate was held"
    ends = {platform.end, virtual.end}
    if platform.held != virtual.held and "machine" not in ends:
        return "undecided", None, None, "no rate was held by one in every round and by the other in none"
    less = min(platform, virtual, key=lambda r: r.held or 0.0)
    why = "no higher rate was offered" if ends == {"not reached"} else "both end there"
    return "no difference", less.held, less.not_held, "the machine's limit" if "machine" in ends else why


def _as_predicted(word: Word, predicted: float | None, low: float | None, high: float | None) -> bool | None:
    if word not in ("virtual pays", "platform holds more") or low is None or high is None:
        return None
    return word == "virtual pays" and predicted is not None and low <= predicted <= high

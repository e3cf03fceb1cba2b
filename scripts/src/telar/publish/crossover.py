"""The crossover map in words: for each wait, what either kind of threads held."""

from __future__ import annotations

import re
from collections.abc import Iterable

import msgspec

from telar.analyse.crossover import ANSWERED, LATER, LATER_MS, POOL, Crossing, Reach, crossings
from telar.catalog.types import Catalog
from telar.plan.cells import Cell
from telar.store.record import Record
from telar.words import many

_WAIT = re.compile(r"wait-(\d+)ms")  # the operation of a workload of waits (apps/sleep/load/sleep.ts)
HEAD = (
    "wait", "predicted, 1/s", "platform held, 1/s", "virtual held, 1/s", "CPU ratio", "verdict", "OS threads",
)  # fmt: skip
HELD = (
    f"Held: {ANSWERED:.0%} of a step's arrivals answered, p50 and p95 at most {LATER:.0%} or {LATER_MS:g} ms "
    "over the wait. CPU ratio and OS threads: platform's and virtual's at the highest rate that both held; "
    "CPU of the app for a request, without its compilers, virtual ÷ platform."
)


class Map(msgspec.Struct, frozen=True, kw_only=True):
    """Of one session, and one JDK, engine and layout in it."""

    session: str
    where: str  # JDK, engine, machine
    pool: int  # platform threads
    crossings: tuple[Crossing, ...]


def waits(catalog: Catalog) -> dict[str, int]:
    """Milliseconds, by the workloads whose requests all wait for the same time, and say for how long."""
    found = {name: [_WAIT.fullmatch(own) for own in w.file.mix] for name, w in catalog.workloads.items()}
    return {name: int(own[0][1]) for name, own in found.items() if len(own) == 1 and own[0]}


def maps(records: Iterable[Record], catalog: Catalog) -> list[Map]:
    """Of a session's records: nothing is compared across JDKs, engines or layouts."""
    known = waits(catalog)
    groups: dict[str, list[Record]] = {}
    for record in records:
        if record.cell.workload in known:
            groups.setdefault(_surroundings(record.cell), []).append(record)
    return [
        Map(session=own[0].session, where=_where(own), pool=POOL, crossings=tuple(crossings(own, known)))
        for own in groups.values()
    ]


def _surroundings(cell: Cell) -> str:
    alike = msgspec.structs.replace(cell, variant="x", workload="x")
    return f"{alike.name} {cell.engine} {cell.runner} {cell.layout}"


def _where(records: list[Record]) -> str:
    last = next((r for r in reversed(records) if r.outcome == "completed"), records[-1])
    java, machine = last.provenance.java, last.provenance.machine
    rounds = max(r.repetition for r in records)
    return (
        f"JDK {java.version if java else last.cell.jdk}, {last.cell.engine} engine, {machine.processors} × "
        f"{machine.cpu_model}, {last.cell.layout}, {many(rounds, 'round')}"
    )


# ---- words


def row(own: Crossing) -> list[str]:
    """The cells below `HEAD`."""
    threads = [f"{own.threads[m]:,.0f}" if m in own.threads else "?" for m in ("platform", "virtual")]
    return [
        wait(own.wait_ms),
        "–" if own.predicted is None else rate(own.predicted),
        held(own.platform),
        held(own.virtual),
        "–" if own.cpu_ratio is None else f"×{own.cpu_ratio:.2f}",
        verdict(own),
        " → ".join(threads) if own.threads else "–",
    ]


def wait(milliseconds: int) -> str:
    whole = milliseconds and milliseconds % 1000 == 0
    return f"{milliseconds // 1000:,} s" if whole else f"{milliseconds:,} ms"


def rate(per_second: float) -> str:
    return f"{per_second:,.0f}"


def held(reach: Reach | None) -> str:
    """Where a model ends: from what it held to what it didn't."""
    if reach is None:
        return "–"
    if reach.not_held is None:
        return "–" if reach.held is None else f"≥ {rate(reach.held)}"
    return f"< {rate(reach.not_held)}" if reach.held is None else f"{rate(reach.held)}–{rate(reach.not_held)}"


def verdict(own: Crossing) -> str:
    """In words; all figures in it are measured, but for the prediction."""
    low, high = (None if v is None else rate(v) for v in (own.low, own.high))
    interval = f"under {high}/s" if not own.low else f"{low}–{high}/s"
    if own.word == "virtual pays":
        return f"virtual pays from {interval} on, {_prediction(own)}"
    if own.word == "platform holds more":
        return f"platform holds more: virtual ends at {interval}"
    if own.word == "undecided":
        return f"undecided: {own.why}"
    if own.why == "both end there":
        return f"no difference: both end at {interval}"
    return f"no difference up to {low}/s: {own.why}"


def _prediction(own: Crossing) -> str:
    if own.as_predicted:
        return "as predicted"
    return "not predicted" if own.predicted is None else f"{rate(own.predicted)}/s was predicted"


def notes(found: Map) -> list[str]:
    """Runs that a verdict doesn't stand on, where it doesn't say so itself."""
    return [
        f"{wait(own.wait_ms)}: {many(count, 'run')} left out, {reason}"
        for own in found.crossings
        if own.word != "undecided"
        for reason, count in own.left_out.items()
    ]


def markdown(found: Map, picture: str = "") -> str:
    """The table for a document; `picture`: a path from there."""
    lines = [
        "| " + " | ".join(HEAD) + " |",
        "|--:|--:|--:|--:|--:|---|--:|",
        *("| " + " | ".join(row(own)) + " |" for own in found.crossings),
        "",
        HELD,
        "",
        f"Session `{found.session}`: {found.where}. A pool of {found.pool} platform threads.",
        *(f"{note}." for note in notes(found)),
    ]
    if picture:
        lines = [f"![{summary(found)}]({picture})", "", *lines]
    return "\n".join(lines)


def summary(found: Map) -> str:
    """The whole map in a sentence."""
    return "; ".join(f"{wait(own.wait_ms)}: {verdict(own)}" for own in found.crossings)

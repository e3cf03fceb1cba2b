"""A run and the same cell's run again, side by side: what is not the same, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from telar.catalog.jvm import TELLING
from telar.catalog.types import Catalog
from telar.publish.columns import metric_file
from telar.publish.provenance import utc
from telar.publish.ratios import ratio_text
from telar.store.floors import Floor
from telar.store.meaning import by_meaning, latency_from
from telar.store.record import Record
from telar.words import many

Floors = Mapping[str, Floor]  # metric -> what two runs differ by, for nothing
Facts = dict[str, frozenset[str]]
NONE = "–"


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """What was otherwise: of lists only what one side has and the other hasn't."""

    what: str
    old: str
    new: str


class Compared(msgspec.Struct, frozen=True, kw_only=True):
    """A metric of both; `new` is the median of the new runs, between `low` and `high`."""

    metric: str
    unit: str
    old: float | None
    new: float | None
    low: float | None
    high: float | None
    ratio: float | None
    floor: float | None
    within: bool | None  # whether the difference is no more than noise; None where that isn't known


class Replay(msgspec.Struct, frozen=True, kw_only=True):
    old: str  # run ids
    new: tuple[str, ...]
    soundness: tuple[tuple[str, str], ...]  # run, and how far its numbers may be believed
    differences: tuple[Difference, ...]
    metrics: tuple[Compared, ...]


def compare(catalog: Catalog, old: Record, new: Sequence[Record], floors: Floors) -> Replay:
    """Of a failed run there are no numbers, only what it ran on."""
    return Replay(
        old=old.run_id,
        new=tuple(r.run_id for r in new),
        soundness=tuple((f"{name}, {utc(r.started)}", _soundness(r)) for name, r in _named(old, new)),
        differences=tuple(_differences(old, new)),
        metrics=tuple(_metrics(catalog, old, new, floors)),
    )


def print_replay(catalog: Catalog, console: Console, replay: Replay) -> None:
    for run, said in replay.soundness:
        console.print(f"{run}: {escape(said)}", soft_wrap=True)
    console.print()
    if replay.differences:
        console.print(_table_of_differences(replay))
    else:
        console.print("Code, machine and settings are the same.")
    if replay.metrics:
        console.print()
        console.print(_table_of_metrics(catalog, replay))
        for line in _notes(catalog, replay):
            console.print(line)


# ---- what was not the same


def facts(record: Record) -> Facts:
    """All that is known of what ran and on what, by name: `machine.kernel`, `java.flags.UseG1GC`, …"""
    whole = msgspec.to_builtins(record.provenance)
    if record.load:
        load = record.load
        stages = [f"{s.name} {s.from_rate:g}–{s.to_rate:g}/s, {s.end - s.start:g} s" for s in load.stages]
        whole |= {"schedule": stages, "seed of the load": load.seed, "latency from": load.latency_from}
    # Command lines name the run's own folder.
    return {
        name: frozenset(v for v in values if f"/{record.session}/" not in v) for name, values in _flat(whole)
    }


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, frozenset[str]]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else key)
    elif name.endswith("command"):  # what follows the options is where the file lies
        yield name, frozenset(part for part in value if part.startswith("-"))
    elif isinstance(value, list | tuple):
        yield name, frozenset(map(str, value))
    else:
        yield name, frozenset() if value is None or value == "" else frozenset([str(value)])


def _differences(old: Record, new: Sequence[Record]) -> Iterator[Difference]:
    """Each run of the new ones is of one session: what differs among them is said as well."""
    before, after = facts(old), [facts(r) for r in new]
    for name in dict.fromkeys(name for each in (before, *after) for name in each):
        theirs = [each.get(name, frozenset()) for each in after]
        ours, others = before.get(name, frozenset()), frozenset[str]().union(*theirs)
        if not ours and name.removeprefix("java.flags.") in TELLING:
            continue  # a record from before these were kept whatever their value
        if ours != others:
            yield Difference(what=name, old=_words(ours - others), new=_words(others - ours))


def _words(values: frozenset[str]) -> str:
    return " ".join(sorted(values)) or NONE


# ---- what came of it


def _metrics(catalog: Catalog, old: Record, new: Sequence[Record], floors: Floors) -> Iterator[Compared]:
    runs = [old, *(r for r in new if r.outcome == "completed")]
    same = len({latency_from(r) for r in runs if r.load}) < 2  # noqa: PLR2004 - meanings
    before, *after = (r.metrics if same else by_meaning(r.metrics, latency_from(r)) for r in runs)
    held = {name for metrics in (before, *after) for name in metrics}
    known = [name for name in catalog.file.metric if name in held]
    for name in [*known, *sorted(held - set(known))]:
        values = [metrics[name].value for metrics in after if name in metrics]
        was = before[name].value if name in before else None
        now = median(values) if values else None
        noise = floors[name].replay if name in floors else None
        yield Compared(
            metric=name,
            unit=next(metrics[name].unit for metrics in (before, *after) if name in metrics),
            old=was,
            new=now,
            low=min(values, default=None),
            high=max(values, default=None),
            ratio=now / was if was and now is not None else None,
            floor=noise,
            within=_within(was, now, noise),
        )


def _within(old: float | None, new: float | None, floor: float | None) -> bool | None:
    if old is None or new is None or floor is None:
        return None
    return abs(new - old) <= floor * abs(old)


def _soundness(record: Record) -> str:
    if record.stopped:
        return f"failed in the phase {record.stopped.phase}: {record.stopped.error}"
    failed = [g.name for g in record.gates if g.verdict == "fail"]
    return f"{record.validity}: {', '.join(failed)}" if failed else record.validity


def _named(old: Record, new: Sequence[Record]) -> Iterator[tuple[str, Record]]:
    yield f"old {old.run_id}", old
    yield from ((f"new {r.run_id}", r) for r in new)


# ---- tables


def _table_of_differences(replay: Replay) -> Table:
    table = Table(title="Not the same", title_justify="left", title_style="bold", box=None, pad_edge=False)
    for heading in ("what", "old", "new"):
        table.add_column(heading, overflow="fold")
    for each in replay.differences:
        table.add_row(*(escape(text) for text in (each.what, each.old, each.new)))
    return table


def _table_of_metrics(catalog: Catalog, replay: Replay) -> Table:
    several = len(replay.new) > 1
    table = Table(title="Old and new", title_justify="left", title_style="bold", box=None, pad_edge=False)
    table.add_column("metric")
    headings = ["old", "new, median" if several else "new", *["lowest to highest"] * several, "new ÷ old"]
    for heading in (*headings, "floor"):
        table.add_column(heading, justify="right")
    table.add_column("")
    for each in replay.metrics:
        table.add_row(*_row(catalog, each, several=several))
    return table


def _row(catalog: Catalog, each: Compared, *, several: bool) -> list[str]:
    file = metric_file(catalog, each.metric)

    def text(value: float | None) -> str:
        return NONE if value is None else f"{value:,.{file.digits}f}"

    verdict = {True: "within the floor", False: "beyond the floor", None: ""}[each.within]
    return [
        f"{file.title} ({each.unit})",
        text(each.old),
        text(each.new),
        *[f"{text(each.low)} to {text(each.high)}"] * several,
        ratio_text(each.ratio),
        NONE if each.floor is None else f"± {each.floor:.1%}",
        f"[bold]{verdict}[/bold]" if each.within is False else verdict,
    ]


def _notes(catalog: Catalog, replay: Replay) -> Iterator[str]:
    both = [m for m in replay.metrics if m.old is not None and m.new is not None]
    beyond = [metric_file(catalog, m.metric).title for m in both if m.within is False]
    unmeasured = [m for m in both if m.floor is None]
    if beyond:
        yield f"\nBeyond the floor: {', '.join(beyond)}."
    if unmeasured:
        which = "any metric" if len(unmeasured) == len(both) else many(len(unmeasured), "metric")
        yield f"\nNo floor measured here of {which}: whether a difference is more than noise isn't known."

"""A session's comparison: tables for the terminal and for Markdown."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import takewhile

from rich.console import Console

from telar.analyse import budgets
from telar.analyse.summary import Summary, summarise
from telar.catalog.settings import MetricFile
from telar.catalog.types import Catalog
from telar.publish import budgets as published_budgets
from telar.publish import folding
from telar.publish.columns import is_preview, tables_of, validity
from telar.store.record import Record
from telar.words import many


def summaries(catalog: Catalog, records: list[Record]) -> list[Summary]:  # noqa: ARG001 - one signature
    return summarise(records)


def print_tables(catalog: Catalog, console: Console, records: list[Record]) -> None:
    """In the terminal's width: names fold or lose what all of them begin with, and no figure is cut."""
    found = summarise(records)
    for title, metrics in tables_of(found).items():
        headings, rows = _headings(catalog, found, metrics), _rows(catalog, found, metrics)
        about = [title]
        if len(products := {row[_DATABASE] for row in rows}) == 1:  # no column for what tells no rows apart
            about += products
            headings, *rows = [[*row[:_DATABASE], *row[_DATABASE + 1 :]] for row in (headings, *rows)]
        columns = [_column(heading) for heading in headings]
        names = [row[_VARIANT] for row in rows]
        if folding.fit(columns, rows, console.width)[_VARIANT] < max(map(len, names)):
            if common := _common(names):
                about.append(f"{common}…")
            for row in rows:
                row[_VARIANT] = row[_VARIANT].removeprefix(common)
        where = f"report.md, report.html and {folding.WIDER}"
        folding.print_table(console, columns, rows, title=" · ".join(about), where=where)
        console.print()
    for line in _notes(found):
        console.print(line, markup=False, highlight=False)


def _column(heading: str) -> folding.Column:
    if heading not in _NAMES:
        return folding.figure(heading)
    return folding.text(heading, 13 if heading == "variant" else 8)


def _common(names: list[str]) -> str:
    """What several names of variants have in common before their last parts: `spring-mysql-blocking-`."""
    parts = [name.split("-") for name in set(names)]
    if len(parts) < 2:  # noqa: PLR2004 - one name has nothing in common with another
        return ""
    alike = takewhile(lambda level: len(set(level)) == 1, zip(*parts, strict=False))
    return "".join(f"{level[0]}-" for level in alike)


def markdown(catalog: Catalog, records: list[Record]) -> str:
    found = summarise(records)
    first = records[0]
    machine = first.provenance.machine
    when = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(first.started))
    lines = [
        f"# {first.suite}, {when}",
        "",
        f"{many(len(records), 'run')}, {first.cell.engine} engine, "
        f"commit `{first.provenance.commit[:12] or 'none'}`"
        f"{' with changes' if first.provenance.dirty else ''}, {machine.processors} × {machine.cpu_model}, "
        f"kernel {machine.kernel}.",
    ]
    for title, columns in tables_of(found).items():
        headings = _headings(catalog, found, columns)
        lines += ["", f"## {title}", "", _row(headings)]
        lines.append(_row(["---" if h in _NAMES else "---:" for h in headings]))
        lines += [_row(row) for row in _rows(catalog, found, columns)]
    lines += ["", *_notes(found)]
    if outcomes := budgets.judge(catalog, records):
        lines += ["", *published_budgets.markdown(catalog, outcomes)]
    return "\n".join(lines).rstrip() + "\n"


_NAMES = ("validity", "variant", "database", "workload", "JDK", "drivers", "flags")
_VARIANT, _DATABASE = 1, 2  # their places


def _headings(catalog: Catalog, found: list[Summary], columns: tuple[str, ...]) -> list[str]:
    table = catalog.file.metric
    return [*_names(found), *(_heading(table[c]) for c in columns)]


def _heading(metric: MetricFile) -> str:
    counted = metric.unit in {"requests", "arrivals", "threads"}  # the label says it already
    return metric.label if counted else f"{metric.label} {metric.unit}"


def _names(found: list[Summary]) -> dict[str, Callable[[Summary], str]]:
    """The columns that tell cells apart: axes with a single value are left out."""
    columns: dict[str, Callable[[Summary], str]] = {
        "validity": validity,
        "variant": lambda s: s.cell.label,
        "database": _product,
    }
    if len({s.cell.workload for s in found}) > 1:
        columns["workload"] = lambda s: s.cell.workload
    if len({s.cell.jdk for s in found}) > 1:
        columns["JDK"] = lambda s: s.java or s.cell.jdk
    drivers = {
        s.cell.label: {str(o.cell.drivers) for o in found if o.cell.label == s.cell.label} for s in found
    }
    if any(len(d) > 1 for d in drivers.values()):
        columns["drivers"] = lambda s: " ".join(f"{n} {v}" for n, v in s.cell.drivers.items())
    if len({s.cell.flags for s in found}) > 1:
        columns["flags"] = lambda s: " ".join(s.cell.flags) or "–"
    return columns


def _rows(catalog: Catalog, found: list[Summary], columns: tuple[str, ...]) -> list[list[str]]:
    names = _names(found)
    return [[*(of(s) for of in names.values()), *(_value(catalog, s, c) for c in columns)] for s in found]


def _value(catalog: Catalog, summary: Summary, metric: str) -> str:
    value = summary.metrics.get(metric)
    return "–" if value is None else f"{value:,.{catalog.file.metric[metric].digits}f}"


def _product(summary: Summary) -> str:
    """As the server reported itself: MariaDB is never called MySQL."""
    return f"{summary.product.name} {summary.product.version}" if summary.product else "–"


def _named(summary: Summary, found: list[Summary]) -> str:
    """The cell as its row names it: two of one variant differ in workload, JDK, drivers or flags, and the
    variant says the database."""
    axes = (of for title, of in _names(found).items() if title not in ("validity", "database"))
    return " · ".join(of(summary) for of in axes)


def _notes(found: list[Summary]) -> list[str]:
    lines = _previews(found)
    for s in found:
        named = _named(s, found)
        if s.failed_runs:
            lines.append(f"{named}: {s.failed_runs} of {s.runs} runs did not finish.")
        if s.invalid_runs and s.validity != "invalid":
            lines.append(f"{named}: {s.invalid_runs} of {s.runs} runs are invalid and in no number.")
        if s.measured_again:
            lines.append(f"{named}: measured again ({', '.join(s.measured_again)}).")
        for kind, count in sorted(s.failures.items()):
            lines.append(f"{named}: {count} requests failed ({kind}).")
    lines += _gate_notes(found)
    total = sum(s.iterations + s.dropped for s in found)
    scheduled = sum(s.scheduled for s in found)
    if scheduled:  # of benchmarks and programs alone there are none
        lines.append(f"{total:,} arrivals accounted for, {scheduled:,.0f} scheduled.")
    return lines


def _previews(found: list[Summary]) -> list[str]:
    cold = [s for s in found if is_preview(s)]
    if not cold:
        return []
    seconds = sorted({s.short_warmup for s in cold if s.short_warmup})
    return [
        f"A preview and no measurement: {len(cold)} of {many(len(found), 'cell')}. After "
        f"{' and '.join(map(str, seconds))} s of warm-up the compilers are still at work. That they are here "
        "shows that everything runs; what they differ by says nothing yet. Suites that warm up until steady "
        "measure: telar list suites."
    ]


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}{'' if text[-1] in '.?' else '.'}" if text else ""


def _gate_notes(found: list[Summary]) -> list[str]:
    """Each gate that found something, for failures and warnings once: where, what it saw there first, and
    what to do."""
    every = [
        (_named(s, found), g) for s in found for g in s.gates if not (g.name == "warm" and is_preview(s))
    ]
    lines = []
    for name in dict.fromkeys(g.name for _, g in every):
        for verdict, word in (("fail", "fails"), ("warn", "warns")):
            of_it = [(v, g) for v, g in every if (g.name, g.verdict) == (name, verdict)]
            if not of_it:
                continue
            variant, first = of_it[0]
            where = variant if len(of_it) == 1 else f"{len(of_it)} cells, first {variant}"
            lines.append(
                f"{name} {word} ({where}): {first.observed}; expected {first.expected}. "
                f"{_sentence(first.advice)}"
            )
    return lines


def _row(cells: list[str]) -> str:
    return "| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |"

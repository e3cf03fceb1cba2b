"""Budgets, kept and broken, for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console
from rich.text import Text

from telar.analyse.budgets import Outcome
from telar.catalog.types import Catalog
from telar.publish import folding
from telar.words import digits

STYLES = {"kept": "green", "broken": "red", "undecided": "yellow"}
COLUMNS = (
    folding.text("budget", 9),
    folding.text("of", 14),
    folding.text("asks", 12),
    folding.figure("found"),
    folding.figure("interval"),
    folding.text("variant", 13),
)


def print_outcomes(catalog: Catalog, console: Console, found: Sequence[Outcome]) -> None:
    """A table, and a line for each reason why something is undecided."""
    rows: list[list[str | Text]] = [
        [Text(row[0], style=STYLES[row[0]]), *row[1:]] for row in _rows(catalog, found)
    ]
    folding.print_table(console, COLUMNS, rows, title="Budgets")
    for why in dict.fromkeys(each.why for each in found if each.why):
        console.print(f"undecided: {why}", markup=False, highlight=False)
    console.print()


def markdown(catalog: Catalog, found: Sequence[Outcome]) -> list[str]:
    """The same, as lines."""
    heads = [column.heading for column in COLUMNS]
    rows = [
        "| " + " | ".join(cells) + " |" for cells in (heads, ["---"] * len(heads), *_rows(catalog, found))
    ]
    return ["## Budgets", "", *rows, ""]


def title(catalog: Catalog, outcome: Outcome) -> str:
    """What is asked of: `p99 of POST /movies at 300/s`."""
    own = outcome.budget
    system = catalog.systems.get(outcome.cell.system or catalog.file.defaults.system)
    called = system.file.endpoints.get(own.endpoint or "", own.endpoint) if system else own.endpoint
    of = f" of {called}" if called else ""
    return f"{own.metric}{of}" + (f" at {own.rate}/s" if own.rate is not None else "")


def _rows(catalog: Catalog, found: Sequence[Outcome]) -> Iterator[list[str]]:
    for each in found:
        own = each.budget
        unit = f" {catalog.file.metric[own.metric].unit}"
        asked = [
            f"{sign} {digits(value, 6)}{unit}"
            for sign, value in (("≥", own.least), ("≤", own.most))
            if value is not None
        ]
        value = "–" if each.value is None else digits(each.value)
        interval = (
            "–" if each.low is None or each.high is None else f"{digits(each.low)} … {digits(each.high)}"
        )
        yield [each.word, title(catalog, each), " and ".join(asked), value, interval, each.cell.label]

"""Tables for a terminal of any width: figures are never cut. Text folds first; then columns are left out,
from the right, and a line names them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

GAP = 2  # columns of a terminal between those of a table
WORD = 14  # characters
_PARTS = re.compile(
    r"(?:[^\s,-]|(?<=\d),(?=\d))*[\s,-]?"
)  # behind which a text may be broken, a number nowhere
WIDER = "a wider terminal"


@dataclass(frozen=True, kw_only=True)
class Column:
    """What matters first stands first: the last is left out first."""

    heading: str
    justify: Literal["left", "right"] = "left"
    least: int | None = None  # text that may fold down to so many characters; None: a figure, which may not


def text(heading: str, least: int = 12) -> Column:
    return Column(heading=heading, least=least)


def figure(heading: str) -> Column:
    return Column(heading=heading, justify="right")


def print_table(
    console: Console,
    columns: Sequence[Column],
    rows: Sequence[Sequence[str | Text]],
    *,
    title: str = "",
    where: str = WIDER,
) -> None:
    """`where`: what has the columns for which there is no room. Text is printed as it is, without markup."""
    texts = [[Text(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
    widths = fit(columns, [[t.plain for t in row] for row in texts], console.width)
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    if title:
        console.print(Text(title, style="bold"))
    for column, width in zip(columns, widths, strict=False):
        heading = "\n".join(folded(column.heading, width))
        table.add_column(Text(heading), justify=column.justify, width=width, overflow="fold")
    for row in texts:
        table.add_row(*(_fold(cell, width) for cell, width in zip(row, widths, strict=False)))
    console.print(table)
    if left_out := [c.heading for c in columns[len(widths) :]]:
        console.print(
            f"No room for: {', '.join(left_out)}. They are in {where}.",
            style="dim", markup=False, highlight=False,
        )  # fmt: skip


def fit(columns: Sequence[Column], rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """The widths of the columns that there is room for. The first one is always among them."""
    values = [max((cell_len(row[n]) for row in rows), default=0) for n in range(len(columns))]
    full = [max(cell_len(c.heading), width) for c, width in zip(columns, values, strict=True)]
    least = [
        max(
            _longest_part(c.heading),
            values[n] if c.least is None else min(values[n], _whole(c.least, n, rows)),
        )
        for n, c in enumerate(columns)
    ]
    count = len(columns)
    while count > 1 and sum(least[:count]) + GAP * (count - 1) > room:
        count -= 1
    widths = least[:count]
    spare = room - sum(widths) - GAP * (count - 1)
    for n in range(count):
        more = max(0, min(full[n] - widths[n], spare))
        widths[n] += more
        spare -= more
    return [max(1, min(width, room)) for width in widths]


def _whole(least: int, column: int, rows: Sequence[Sequence[str]]) -> int:
    """So wide that no part of a text is broken that isn't longer than a word."""
    parts = (cell_len(part.rstrip()) for row in rows for part in _PARTS.findall(row[column]))
    return max(least, max((n for n in parts if n <= WORD), default=0))


def folded(said: str, width: int) -> list[str]:
    """Lines of at most so many characters, broken behind spaces, hyphens and commas where there are any."""
    lines = [""]
    for part in _PARTS.findall(said):
        if lines[-1] and cell_len((lines[-1] + part).rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return [line.rstrip() for line in lines]


def _fold(cell: Text, width: int) -> Text:
    if cell_len(cell.plain) <= width or "\n" in cell.plain:
        return cell
    return Text("\n".join(folded(cell.plain, width)), style=cell.style)


def _longest_part(heading: str) -> int:
    return max((cell_len(word) for word in heading.split()), default=0)

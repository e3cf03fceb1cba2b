"""What `telar check` prints."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from telar.analyse.outside import Difference
from telar.publish import folding
from telar.store.outside import Outside
from telar.store.record import Gate
from telar.words import digits, many

STYLES = {"pass": "green", "warn": "yellow", "fail": "red", "worse": "red", "better": "green"}
GATES = (
    folding.text("gate", 6),
    folding.text("", 4),
    folding.text("observed", 20),
    folding.text("expected", 16),
)
DIFFERENCES = (
    folding.text("verdict", 9),
    folding.text("figure", 12),
    folding.figure("base → head"),
    folding.figure("change (interval)"),
    folding.figure("would have seen"),
)


def print_file(console: Console, found: Outside, gates: Sequence[Gate]) -> None:
    """A table of its gates, and what to do about those that didn't pass."""
    if not gates:
        console.print(f"{found.path}: {found.tool}: every gate passed\n", markup=False, highlight=False)
        return
    rows: list[list[str | Text]] = [
        [g.name, Text(g.verdict, style=STYLES[g.verdict]), g.observed, g.expected] for g in gates
    ]
    folding.print_table(console, GATES, rows, title=f"{found.path}: {found.tool}")
    for g in gates:
        if g.advice:
            console.print(f"{g.name}: {g.advice}", markup=False, highlight=False)
    console.print()


def print_differences(console: Console, found: Sequence[Difference], *, assumed: bool) -> None:
    """`assumed`: what starts differ by wasn't measured."""
    rows: list[list[str | Text]] = [
        [
            Text(each.word, style=STYLES.get(each.word, "")),
            f"{each.name}, {each.unit}",
            f"{digits(each.base, 4)} → {digits(each.head, 4)}",
            f"{each.effect:+.1%} ({each.low:+.1%} … {each.high:+.1%})",
            f"{each.smallest:.1%}",
        ]
        for each in found
    ]
    folding.print_table(console, DIFFERENCES, rows)
    for why in dict.fromkeys(each.why for each in found if each.why):
        console.print(f"undecided: {why}", highlight=False)
    if assumed:
        console.print(
            "A side has fewer than 3 starts: what they differ by isn't known, and is taken for 10 %. "
            "Three files a side, measured in turns, say more.",
            style="yellow",
            highlight=False,
        )


def summary(gates: Sequence[Gate]) -> str:
    """One line for all gates of a file."""
    counts = {word: sum(g.verdict == word for g in gates) for word in ("pass", "warn", "fail")}
    failed = ", ".join(g.name for g in gates if g.verdict == "fail")
    if failed:
        return f"not to be believed: {failed}"
    if counts["warn"]:
        return f"nothing speaks against it; {many(counts['warn'], 'question')} its file doesn't answer"
    return "nothing speaks against it"

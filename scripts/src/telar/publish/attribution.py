"""What several factors do to a metric, each alone: for a comment and a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from rich.console import Console
from rich.markup import escape

from telar.analyse.attribution import Attributed, Part
from telar.catalog.types import Catalog
from telar.publish import folding
from telar.publish.columns import metric_file
from telar.publish.figures import NONE


def markdown(catalog: Catalog, each: Attributed, plain: Callable[[str], str]) -> Iterator[str]:
    """`plain` makes text harmless: a version's name comes from the outside."""
    title = metric_file(catalog, each.metric).title
    yield f"**Which of them moved it**, each alone on the base ({plain(each.variant)}, {plain(title)}):"
    yield ""
    yield "| | change | interval | share |"
    yield "|---|--:|--:|--:|"
    yield from ("| " + " | ".join(map(plain, _row(part))) + " |" for part in each.parts)


def print_attributed(catalog: Catalog, console: Console, each: Attributed) -> None:
    title = metric_file(catalog, each.metric).title
    console.print(f"\n[bold]{escape(each.variant)}[/bold]: {escape(title)}, each factor alone")
    folding.print_table(console, COLUMNS, [_row(part) for part in each.parts])


COLUMNS = [folding.text("factor"), *map(folding.figure, ("change", "interval", "share"))]


def _row(part: Part) -> list[str]:
    share = NONE if part.share is None else f"{part.share:.0%}"
    return [part.name, f"{part.effect:+.1%}", f"{part.low:+.1%} … {part.high:+.1%}", share]

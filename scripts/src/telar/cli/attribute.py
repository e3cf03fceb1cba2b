"""`telar attribute`: which of several factors did it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.markup import escape
from rich.table import Table

from telar.analyse.attribution import Part
from telar.analyse.attribution import attribute as attributed
from telar.analyse.verdicts import Compared, Verdict
from telar.catalog.load import known
from telar.cli import comparing
from telar.cli.common import catalog, cell_options, console, data_folder, json_option, print_json, seconds_of
from telar.errors import ConfigError, RunError
from telar.plan.cells import Cell
from telar.plan.sides import factors
from telar.publish.columns import metric_file


@click.command()
@cell_options
@click.option("--base", "base_words", multiple=True, metavar="SIDE", required=True, help="Before.")
@click.option(
    "--head", "head_words", multiple=True, metavar="SIDE", required=True, help="With all that moved."
)
@click.option("--metric", default="service-cpu-relative", help="[default: service-cpu-relative]")
@comparing.budget_option("15m", "Time to spend on each factor, and on all together")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@click.option("--verbose", "-v", is_flag=True, help="Print each command before it runs.")
@json_option
def attribute(
    base_words: tuple[str, ...],
    head_words: tuple[str, ...],
    metric: str,
    budget: str,
    data: Path | None,
    verbose: bool,
    as_json: bool,
    **said: Any,
) -> None:
    """Says which of several factors moved a metric, and whether they act on each other.

    Each factor in which the sides differ (commit, JDK, driver, variant, flags) is changed alone, and all
    of them together, each in pairs against the base, all in one session in turns.

    \b
    Examples:
      telar attribute --base jdk=21 --base driver=mysql=8.0.33 --head jdk=25 --head driver=mysql=9.7.0
      telar attribute --base v1 --base jdk=21 --head v2 --head jdk=25 --metric p50 --budget 10m
    """
    c = catalog()
    console.stderr = as_json  # stdout is the machine's then
    known("metric", metric, c.file.metric)
    base, head = comparing.side(c, "--base", base_words), comparing.side(c, "--head", head_words)
    moved = factors(base, head)
    if len(moved) < 2:  # noqa: PLR2004 - one factor needs no attribution
        raise ConfigError(
            f"the sides differ in {', '.join(moved) or 'nothing'} alone", hint="telar ab compares them"
        )
    once, found = comparing.cells(c, said)
    sides = {**moved, ALL: head}
    cells = {(cell.variant, name): comparing.pairs_for(base, side, [cell])[0]
             for cell in found for name, side in sides.items()}  # fmt: skip
    plan, designed = comparing.plan_of(c, once, list(cells.values()), seconds_of(budget), said["repeat"])
    made = comparing.measure(
        c, "attribute", plan, designed, data_folder(data), verbose=verbose, enough=lambda _: False
    )
    by_names = {(each.base.name, each.head.name): each for each in made.compared}
    result: dict[str, list[Part]] = {}
    for cell in found:
        own = {name: _verdict(by_names, cells[cell.variant, name], metric) for name in sides}
        result[cell.variant] = _parts(own, c.file.verdict.false_alarms)
    if as_json:
        print_json(result)
        return
    for variant, parts in result.items():
        _print(variant, metric_file(c, metric).title, parts)


ALL = "all together"


def _verdict(found: dict[tuple[str, str], Compared], pair: tuple[Cell, Cell], metric: str) -> Verdict | None:
    compared = found.get((pair[0].name, pair[1].name))
    every = (*compared.verdicts, *compared.beside) if compared else ()
    return next((v for v in every if v.metric == metric), None)


def _parts(own: dict[str, Verdict | None], miss: float) -> list[Part]:
    together = own[ALL]
    if together is None:
        raise RunError("no pair of all together is sound", hint="telar report says which gates failed")
    alone = {name: v for name, v in own.items() if name != ALL and v is not None}
    whole = attributed(alone, together, miss)
    if not whole:
        raise RunError("the noise isn't known", hint="telar calibrate measures it")
    total = Part(
        name=ALL, effect=together.effect or 0.0, low=together.low or 0.0, high=together.high or 0.0, share=1.0
    )
    return [*whole, total]


def _print(variant: str, title: str, parts: list[Part]) -> None:
    console.print(f"\n[bold]{escape(variant)}[/bold]: {escape(title)}")
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("factor", "change", "interval", "share"):
        table.add_column(heading, justify="left" if heading == "factor" else "right")
    for part in parts:
        share = "–" if part.share is None else f"{part.share:.0%}"
        table.add_row(part.name, f"{part.effect:+.1%}", f"{part.low:+.1%} … {part.high:+.1%}", share)
    console.print(table)

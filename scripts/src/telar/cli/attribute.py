"""`telar attribute`: which of several factors did it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from telar.build import alone
from telar.catalog.load import known
from telar.cli import attributing, comparing
from telar.cli.common import catalog, cell_options, console, data_folder, json_option, print_json, seconds_of
from telar.publish import attribution as shown


@click.command()
@cell_options
@click.option("--base", "base_words", multiple=True, metavar="SIDE", required=True, help="Before.")
@click.option(
    "--head", "head_words", multiple=True, metavar="SIDE", required=True, help="With all that moved."
)
@click.option(
    "--metric", help="Of this one.  [default: in which all together differ the surest, variant by variant]"
)
@comparing.budget_option("15m", "Time to spend on each factor, and on all together")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@click.option("--verbose", "-v", is_flag=True, help="Print each command before it runs.")
@json_option
def attribute(
    base_words: tuple[str, ...],
    head_words: tuple[str, ...],
    metric: str | None,
    budget: str,
    data: Path | None,
    verbose: bool,
    as_json: bool,
    **said: Any,
) -> None:
    """Says which of several factors moved a metric, and whether they act on each other.

    Each factor in which the sides differ (commit, JDK, driver, variant, flags) is changed alone, and all
    of them together, each in pairs against the base, all in one session in turns. Of commits between which
    the build files bump several versions (Maven, Gradle), each of these is a factor; whatever else they
    change is in what is left.

    \b
    Examples:
      telar attribute --base main --head HEAD
      telar attribute --base jdk=21 --base driver=mysql=8.0.33 --head jdk=25 --head driver=mysql=9.7.0
      telar attribute --base v1 --base jdk=21 --head v2 --head jdk=25 --metric p50 --budget 10m
    """
    c = catalog()
    console.stderr = as_json  # stdout is the machine's then
    if metric is not None:
        known("metric", metric, c.file.metric)
    base, head = comparing.side(c, "--base", base_words), comparing.side(c, "--head", head_words)
    asked = attributing.Asked(
        base=base,
        head=head,
        moved=alone.asked(c, base, head),
        metric=metric,
        budget=seconds_of(budget),
        forks=said["repeat"],
    )
    once, found = comparing.cells(c, said, base, head)
    result = attributing.measure(c, asked, once, found, data_folder(data), verbose=verbose)
    if as_json:
        print_json({each.variant: {"metric": each.metric, "parts": each.parts} for each in result})
        return
    for each in result:
        shown.print_attributed(c, console, each)

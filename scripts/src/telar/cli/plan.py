"""`telar plan`: what a run would do, without doing it."""

from __future__ import annotations

from typing import Any

import click
from rich.table import Table

from telar.cli.common import catalog, cell_options, console, json_option, print_json, wishes
from telar.plan.cells import make_plan, warmup_guess


@click.command()
@cell_options
@json_option
def plan(as_json: bool, **said: Any) -> None:
    """Shows which cells a suite would run, in which order.

    \b
    Examples:
      telar plan thesis
      telar plan smoke --only 'spring-*-virtual' --jdk 21,25
      telar plan smoke --driver mysql=8.0.33,9.7.0 --json
    """
    c = catalog()
    made = make_plan(c, wishes(c, **said))
    if as_json:
        print_json(made)
        return
    table = Table(box=None, pad_edge=False)
    for column in ("#", "round", "variant", "workload", "JDK", "drivers", "engine"):
        table.add_column(column)
    for r in made.runs:
        drivers = " ".join(f"{n} {v}" for n, v in r.cell.drivers.items())
        table.add_row(
            str(r.position),
            str(r.repetition),
            r.cell.variant,
            r.cell.workload,
            r.cell.jdk,
            drivers,
            r.cell.engine,
        )
    console.print(table)
    seconds = sum(c.workloads[r.cell.workload].duration + warmup_guess(c, made) for r in made.runs)
    console.print(
        f"\n{len(made.runs)} runs, {seconds / 60:.0f} min of load, order drawn with seed {made.seed}"
    )

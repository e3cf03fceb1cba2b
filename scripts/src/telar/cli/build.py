"""`telar build`: the apps' run directories, and with `--images` the images."""

from __future__ import annotations

import time
from typing import Any

import click
from rich.table import Table

from telar.build import artifacts
from telar.cli.common import catalog, cell_options, console, json_option, print_json, wishes
from telar.plan.cells import make_plan
from telar.tools import shell


@click.command()
@cell_options
@click.option("--images", "with_images", is_flag=True, help="Also the images, with docker buildx bake.")
@click.option("-v", "--verbose", is_flag=True, help="Print each command before it runs.")
@json_option
def build(with_images: bool, verbose: bool, as_json: bool, **said: Any) -> None:
    """Builds what a suite's cells need (all variants by default). What did not change is not built again.

    \b
    Examples:
      telar build
      telar build --only 'quarkus-*'
      telar build --images --jdk 21,25
    """
    c = catalog()
    said["suite"] = said["suite"] or "smoke"
    cells = [r.cell for r in make_plan(c, wishes(c, **said)).runs]
    started = time.monotonic()
    say = (lambda _: None) if as_json else (lambda line: console.print(f"  {line}", markup=False))
    with shell.echo.to(say if verbose else lambda _: None):
        folders = artifacts.prepare(c, cells, say)
        made = {folder.name: str(folder) for folder in folders.values()}
        if with_images:
            from telar.build import bake  # noqa: PLC0415 - needs Docker, which `telar build` doesn't

            made |= bake.build(c, [bake.image_of(c, cell, folders[cell.name]) for cell in cells], say)
    if as_json:
        print_json(made)
        return
    table = Table("artefact or image", "where, or its id", box=None, pad_edge=False)
    for name, place in made.items():
        table.add_row(name, place.replace(f"{c.root}/", "")[:60])
    console.print(table)
    console.print(f"{len(made)} artefacts and images in {time.monotonic() - started:.0f} s")

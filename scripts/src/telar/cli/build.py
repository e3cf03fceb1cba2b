"""`telar build`: the apps' run directories, and with `--images` the images."""

from __future__ import annotations

import time
from typing import Any

import click

from telar.build import maven
from telar.catalog.types import Catalog
from telar.cli.common import catalog, cell_options, console, json_option, print_json, wishes
from telar.plan.cells import Cell, make_plan


@click.command()
@cell_options
@click.option("--images", "with_images", is_flag=True, help="Also the images, with docker buildx bake.")
@json_option
def build(with_images: bool, as_json: bool, **said: Any) -> None:
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
    say = (lambda line: None) if as_json else (lambda line: console.print(f"  {line}", markup=False))
    made = _artifacts(c, cells, say)
    if with_images:
        from telar.build import bake  # noqa: PLC0415 - needs Docker, which `telar build` doesn't

        made |= bake.images(c, cells, say)
    if as_json:
        print_json(made)
        return
    for name, place in made.items():
        console.print(f"{name}  {place}", markup=False, soft_wrap=True)
    console.print(f"{len(made)} artefacts in {time.monotonic() - started:.0f} s")


def _artifacts(c: Catalog, cells: list[Cell], say: Any) -> dict[str, str]:
    builds = {maven.artifact_folder(c, b): b for b in (maven.build_of(c, cell) for cell in cells)}
    return {folder.name: str(maven.ensure(c, b, say)) for folder, b in builds.items()}

"""`telar build`: the apps' run directories, and with `--images` the images."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.table import Table

from telar.build import alone, artifacts, bake, bundle, sources
from telar.catalog.types import Catalog
from telar.cli import comparing
from telar.cli.common import catalog, cell_options, console, json_option, print_json, wishes
from telar.cli.run import read_plan
from telar.errors import ConfigError
from telar.plan.cells import Cell, make_plan
from telar.tools import git, shell


@click.command()
@cell_options
@click.option("--images", "with_images", is_flag=True, help="Also the images, with docker buildx bake.")
@click.option("--plan", "plans", multiple=True, type=click.Path(path_type=Path),
              help="What a plan needs, or all those in a folder, instead of a suite.")  # fmt: skip
@click.option("--revision", metavar="COMMIT", help="The apps of that commit instead of this checkout's.")
@click.option("--base", "base_words", multiple=True, metavar="SIDE",
              help="With --head: what an attribution of the two has beside them.")  # fmt: skip
@click.option("--head", "head_words", multiple=True, metavar="SIDE", help="As in telar attribute.")
@click.option("--push", "registry", metavar="REGISTRY", help="Push the images, e.g. to ghcr.io/acme/shop.")
@click.option("--digests", type=click.Path(path_type=Path, dir_okay=False),
              help="With --push: write what was pushed, as sha256sum does.")  # fmt: skip
@click.option("--save", type=click.Path(path_type=Path, dir_okay=False),
              help="Write what was built to a file, for another machine.")  # fmt: skip
@click.option("--load", "loads", type=click.Path(path_type=Path, dir_okay=False), multiple=True,
              help="Build nothing: take it from such a file; images, too, with --images.")  # fmt: skip
@click.option("-v", "--verbose", is_flag=True, help="Print each command before it runs.")
@json_option
def build(
    with_images: bool,
    plans: tuple[Path, ...],
    revision: str | None,
    base_words: tuple[str, ...],
    head_words: tuple[str, ...],
    registry: str | None,
    digests: Path | None,
    save: Path | None,
    loads: tuple[Path, ...],
    verbose: bool,
    as_json: bool,
    **said: Any,
) -> None:
    """Builds what a suite's cells need (all variants by default). What did not change is not built again.

    A file that --save wrote is read as if a stranger had made it: it may hold what these cells need, and
    nothing else.

    \b
    Examples:
      telar build
      telar build --only 'quarkus-*'
      telar build --images --jdk 21,25
      telar build pull-request --revision origin/main --save base.tar
      telar build pull-request --revision origin/main --load base.tar
      telar build pull-request --base main --head HEAD --save alone.tar
      telar build --plan plans/job-1.json --images --push ghcr.io/acme/shop
      telar build smoke --images --push ghcr.io/acme/shop --digests digests.txt
    """
    c = catalog()
    sides = bool(base_words or head_words)
    for wrong, message in (
        (loads and (save or registry), "--load builds nothing: say no --save and no --push with it"),
        (digests and not registry, "--digests writes what --push pushed: say the registry"),
        (sides and (revision or plans or not (base_words and head_words)),
         "--base and --head say together what is built: no --revision and no --plan with them"),
    ):  # fmt: skip
        if wrong:
            raise ConfigError(message)
    for commit in (revision, *(word for word in (*base_words, *head_words) if "=" not in word)):
        c = sources.with_versions(c, git.commit_of(c.home, commit)) if commit else c
    cells = _alone(c, base_words, head_words, said) if sides else _cells(c, plans, revision, said)
    started = time.monotonic()
    say = (lambda _: None) if as_json else (lambda line: console.print(f"  {line}", markup=False))
    with shell.echo.to(say if verbose else lambda _: None):
        if loads:
            made: dict[str, str] = {}
            for file in loads:
                made |= {
                    name: str(file) for name in bundle.load(c, cells, file, say, images=with_images).artifacts
                }
        else:
            folders = artifacts.prepare(c, cells, say)
            made = {folder.name: str(folder) for folder in folders.values()}
            images = [bake.image_of(c, cell, folders[cell.name]) for cell in cells]
            if images and (with_images or registry):
                made |= bake.build(c, images, say)
            if registry:
                pushed = bake.push(c, images, registry, say)
                made |= {tag: f"{one.name}@{one.digest}" for tag, one in pushed.items()}
                if digests:
                    bake.write_digests(pushed.values(), digests)
        if save:
            bundle.save(c, cells, save, say, images=with_images)
    if as_json:
        print_json(made)
        return
    table = Table("artefact or image", "where, or its id", box=None, pad_edge=False)
    for name, place in made.items():
        table.add_row(name, place.replace(f"{c.root}/", "")[:60])
    console.print(table)
    console.print(f"{len(made)} artefacts and images in {time.monotonic() - started:.0f} s")


def _alone(
    c: Catalog, base_words: Sequence[str], head_words: Sequence[str], said: dict[str, Any]
) -> list[Cell]:
    base, head = comparing.side(c, "--base", base_words), comparing.side(c, "--head", head_words)
    _, found = comparing.cells(c, said, base, head)
    return alone.cells(c, alone.asked(c, base, head), base, head, found)


def _cells(c: Catalog, plans: tuple[Path, ...], revision: str | None, said: dict[str, Any]) -> list[Cell]:
    if plans and any(v for k, v in said.items() if k != "seed"):
        raise ConfigError("--plan says what is needed: say no suite and no wishes with it")
    if plans:
        files = [
            file for path in plans for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])
        ]
        found = [run.cell for file in files for run in read_plan(file).runs]
        if not found:
            raise ConfigError(f"--plan {plans[0]}: there is no plan in it")
    else:
        suite = said["suite"] or (None if c.guest else "smoke")  # all variants
        found = [r.cell for r in make_plan(c, wishes(c, **{**said, "suite": suite})).runs]
    if revision:
        commit = git.commit_of(c.home, revision)
        found = [msgspec.structs.replace(cell, revision=commit) for cell in found]
    return list({cell.name: cell for cell in found}.values())

"""`telar crossover`: from which rate virtual threads pay, for each time that a request waits."""

from __future__ import annotations

import os
from pathlib import Path

import click

from telar.catalog.types import Catalog
from telar.cli.common import GUEST, catalog, console, data_folder, json_option, print_json
from telar.errors import ConfigError, StoreError
from telar.gates import judged_again
from telar.publish import crossover as published
from telar.publish import crossover_picture, document, folding
from telar.publish.crossover import Map
from telar.store import find
from telar.store.files import Session, sessions, write_atomically

COLUMNS = (
    folding.figure(published.HEAD[0]), *(folding.figure(heading) for heading in published.HEAD[1:5]),
    folding.text(published.HEAD[5], 24), folding.figure(published.HEAD[6]),
)  # fmt: skip
MAKE = "telar run sleep-crossover makes such a session, telar run sleep-crossover --short a smaller one"


@click.command()
@click.argument("session", required=False)
@click.option(
    "--markdown",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Put the table between the marks of this document, with the picture where one is drawn.",
)
@click.option(
    "--picture",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Draw the map into this SVG file.",
)
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@json_option
def crossover(
    session: str | None, markdown: Path | None, picture: Path | None, data: Path | None, as_json: bool
) -> None:
    """Says from which rate virtual threads hold what a pool of 200 platform threads doesn't, for each wait of
    a request: what was predicted, what either held, and a verdict (docs/when-virtual-threads-pay.md).

    SESSION is its name, its folder, or a folder of several; by default the newest with such a run.

    \b
    Examples:
      telar crossover
      telar crossover 20261125-101500-sleep-crossover --json
      telar crossover --picture map.svg
      telar crossover --markdown docs/when-virtual-threads-pay.md --picture docs/pictures/crossover.svg
    """
    if os.environ.get(GUEST):
        raise ConfigError("the map is of Telar's own system sleep, not of a guest", hint="leave --guest out")
    console.stderr = as_json
    c, kept = catalog(), data_folder(data)
    chosen = find.session(session, kept) if session else _newest(c, kept)
    records = judged_again(chosen.records(), c)
    if not records:
        raise ConfigError(f"{chosen.folder} has no record yet", hint="telar run --resume")
    found = published.maps(records, c)
    if not found:
        raise ConfigError(
            f"{chosen.folder} has no run whose requests wait for a time that they say", hint=MAKE
        )
    if markdown or picture:
        _write(found, markdown, picture)
    if as_json:
        print_json(found)
        return
    for own in found:
        _print(own)


def _newest(c: Catalog, data: Path) -> Session:
    known = published.waits(c)
    for session in reversed(sessions(data)):
        try:
            fits = any(run.cell.workload in known for run in session.plan.runs)
        except StoreError:
            continue  # one that is asked for by its name says what is wrong with it
        if fits and any((session.folder / "records").glob("[!.]*.json")):
            return session
    raise ConfigError(
        f"no session below {data} has a run whose requests wait for a time that they say", hint=MAKE
    )


def _write(found: list[Map], markdown: Path | None, picture: Path | None) -> None:
    if len(found) > 1:
        raise ConfigError(
            f"the session has {len(found)} maps, a document and a picture have one: "
            + "; ".join(own.where for own in found),
            hint="run one JDK, engine and layout a session, e.g. telar run sleep-crossover --jdk 25",
        )
    (own,) = found
    if markdown:
        if not markdown.is_file():
            raise ConfigError(
                f"{markdown}: there is no such document", hint="--markdown takes one with marks"
            )
        there = os.path.relpath(picture.resolve(), markdown.resolve().parent) if picture else ""
        document.replace(markdown, "crossover", published.markdown(own, there))
    if picture:
        write_atomically(picture, f"{crossover_picture.draw(own)}\n".encode())


def _print(own: Map) -> None:
    rows = [published.row(each) for each in own.crossings]
    folding.print_table(console, COLUMNS, rows, where=f"--json, and {folding.WIDER}")
    console.print()
    for line in (published.HELD, *published.notes(own), f"{own.session}: {own.where}"):
        for part in folding.folded(line, console.width):
            console.print(part, markup=False, highlight=False)

"""`telar why`: the methods that a comparison's two sides differ in."""

from __future__ import annotations

from pathlib import Path

import click

from telar.cli import explaining
from telar.cli.common import console, data_folder, json_option, print_json
from telar.publish import why as published
from telar.store import find


@click.command()
@click.argument("session", required=False)
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@json_option
def why(session: str | None, data: Path | None, as_json: bool) -> None:
    """Says which methods the two sides of a comparison differ in, by the windows that telar ab profiled.

    Per method: CPU-µs and KiB per request of base and head with all that it calls (`own_…`: without), the
    change with its 95 % confidence interval, and the application's own method that it works for.

    SESSION is its name, its folder, or a folder of several, whose newest it is; the last one by default.

    \b
    Examples:
      telar why
      telar why 20261121-071500-ab --json
    """
    found = explaining.read(find.session(session, data_folder(data)).folder)
    if as_json:
        print_json(found)
        return
    for each in found:
        published.print_why(console, each)

"""`telar report`: the tables of a session, as text, Markdown and one HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from telar.cli import shown
from telar.cli.common import catalog, data_folder, json_option, print_json
from telar.errors import ConfigError
from telar.gates import judged_again
from telar.publish import report as reports
from telar.store import find


@click.command()
@click.argument("session", required=False)
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@json_option
def report(session: str | None, data: Path | None, as_json: bool) -> None:
    """Prints the comparison of a session (the last one with a record by default) and writes it as Markdown
    (report.md) and as pages in one HTML file (report.html), which ask no host for anything. Of a session of
    pairs it prints the verdict, too, with the noise that is known by now.

    SESSION is its name, its folder, or a folder of several, whose newest it is.

    \b
    Examples:
      telar report
      telar report 20261121-071500-quickstart
      telar report ../shop/bench/20261121-071500-ab
      telar report --json
    """
    c = catalog()
    chosen = find.session(session, data_folder(data))
    records = judged_again(chosen.records(), c)
    if not records:
        raise ConfigError(f"{chosen.folder} has no record yet", hint="telar run --resume")
    if as_json:
        print_json(shown.for_machines(c, chosen, records) or reports.summaries(c, records))
        return
    shown.show(c, chosen, records)

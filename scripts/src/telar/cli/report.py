"""`telar report`: the tables of a session, as text, Markdown and one HTML page."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from telar.build import site
from telar.catalog.types import Catalog
from telar.cli import shown
from telar.cli.common import catalog, console, data_folder, json_option, print_json, root
from telar.cli.publish import evidence_of, publishable
from telar.errors import ConfigError
from telar.gates import judged_again
from telar.publish import history
from telar.publish import report as reports
from telar.store import find, floors
from telar.store.files import Session, write_atomically
from telar.store.published import DATA, Published


@click.command()
@click.argument("session", required=False)
@click.option("--pages", is_flag=True, help="Also as the trend pages, in one HTML file.")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@json_option
def report(session: str | None, pages: bool, data: Path | None, as_json: bool) -> None:
    """Prints the comparison of a session (the last one with a record by default) and writes it as Markdown
    and HTML. Of a session of pairs it prints the verdict, too, with the noise that is known by now.

    SESSION is its name, its folder, or a folder of several, whose newest it is.

    \b
    Examples:
      telar report
      telar report 20261121-071500-quickstart
      telar report ../shop/bench/20261121-071500-ab
      telar report --pages
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
    built = _pages(c, chosen) if pages else None
    shown.show(c, chosen, records)
    if built:
        console.print(f"pages: {built}", soft_wrap=True, markup=False, highlight=False)


def _pages(c: Catalog, session: Session) -> Path:
    """The session alone, as the trend pages show it, in one file."""
    found = evidence_of(c, [session])
    if not found and session.id not in {own.id for own in publishable(c, session.folder.parent)}:
        raise ConfigError(
            f"{session.id} is of no suite, or compares a build with itself: the pages show none of these",
            hint="its tables are in its folder: report.html",
        )
    with tempfile.TemporaryDirectory(prefix="telar-report-") as scratch:
        noise = floors.read(c.data / floors.FLOORS)
        history.publish(c, Published(Path(scratch)), [] if found else [session], [], [], noise, found)
        built = site.build(root(), console.print)
        whole = site.in_one(built, Path(scratch) / DATA)
    target = session.folder / "pages.html"
    write_atomically(target, whole)
    return target

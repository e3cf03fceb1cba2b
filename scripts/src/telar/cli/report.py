"""`telar report`: the tables of a session, as text, Markdown and one HTML page."""

from __future__ import annotations

from pathlib import Path

import click

from telar.cli.common import catalog, console, data_folder, json_option, print_json
from telar.errors import ConfigError
from telar.publish import report as reports
from telar.store.files import Session, sessions


@click.command()
@click.argument("session", required=False)
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@json_option
def report(session: str | None, data: Path | None, as_json: bool) -> None:
    """Prints the comparison of a session (the last one by default) and writes it as Markdown and HTML.

    \b
    Examples:
      telar report
      telar report 20261121-071500-quickstart
      telar report --json
    """
    c = catalog()
    chosen = _find(data_folder(data), session)
    records = chosen.records()
    if not records:
        raise ConfigError(f"{chosen.folder} has no record yet", hint="telar run --resume")
    if as_json:
        print_json(reports.summaries(c, records))
        return
    written = reports.write(c, chosen.folder, records)
    reports.print_tables(c, console, records)
    console.print("\n" + "\n".join(f"{what}: {path}" for what, path in written.items()))


def _find(data: Path, name: str | None) -> Session:
    found = sessions(data)
    if not found:
        raise ConfigError(f"there is no session below {data}", hint="telar run quickstart makes one")
    if name is None:
        return found[-1]
    for session in found:
        if session.id == name:
            return session
    raise ConfigError(
        f"there is no session {name!r} below {data}",
        hint="the last ones: " + ", ".join(s.id for s in found[-5:]),
    )

"""`telar store`: what is kept, and whether it is still what was put there."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape

from telar.cli.common import console, data_folder, json_option, print_json
from telar.errors import StoreError
from telar.store import verify as verification


@click.group()
def store() -> None:
    """Looks after the records."""


@store.command()
@click.argument("data", type=click.Path(path_type=Path, file_okay=False, exists=True), required=False)
@json_option
def verify(data: Path | None, as_json: bool) -> None:
    """Finds records that are truncated, edited, foreign or copied, and says which.

    \b
    Examples:
      telar store verify
      telar store verify benchmarks-data/reference --json
    """
    found = verification.verify(data_folder(data))
    if as_json:
        print_json(found)
    else:
        for finding in found.findings:
            console.print(f"[red]✗[/red] {escape(finding.path)}: {escape(finding.problem)}", soft_wrap=True)
        missing = f", {found.missing} planned runs have none yet" if found.missing else ""
        console.print(f"{found.records} records whole and unchanged in {found.sessions} sessions{missing}")
    if found.findings:
        raise StoreError(
            f"{len(found.findings)} files are not what was put there",
            hint="bring them back from git or a backup; records are never changed",
        )

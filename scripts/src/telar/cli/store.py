"""`telar store`: what is kept, and whether it is still what was put there."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape
from rich.table import Table

from telar.cli.common import console, data_folder, json_option, print_json
from telar.errors import ConfigError, StoreError
from telar.store import verify as verification
from telar.store.verify import Verified
from telar.words import many


@click.group()
def store() -> None:
    """Looks after the records.

    \b
    Examples:
      telar store verify
    """


@store.command()
@click.argument("data", type=click.Path(path_type=Path, file_okay=False), required=False)
@json_option
def verify(data: Path | None, as_json: bool) -> None:
    """Finds records that are no longer what was written.

    They are truncated, edited, foreign, copied, or of a newer format. DATA is a folder of sessions, or
    one session's; by default where runs are kept. Ends with 7 when there is such a record.

    \b
    Examples:
      telar store verify
      telar store verify benchmarks-data/local --json
    """
    if data and not data.is_dir():
        raise ConfigError(f"there is no folder {data}")
    found = verification.verify(data_folder(data))
    if as_json:
        print_json(found)
    else:
        _print(found)
    if found.findings:
        raise StoreError(
            f"{len(found.findings)} of these files are not what was put there",
            hint="records are never changed: put back a copy, or move the file away and make the run again",
        )


def _print(found: Verified) -> None:
    console.print(_overview(found))
    for finding in found.findings:
        path = f"{finding.path}: {finding.problem}"
        console.print(f"\n[red]✗ {finding.fault}[/red]  {escape(path)}", soft_wrap=True, end="")
    if found.findings:
        console.print()
    for name in (f"{s.session}/{gap}" for s in found.sessions for gap in s.gaps):
        console.print(f"no record, though a later run has one: {escape(name)}", soft_wrap=True)
    for path in found.left_over:
        console.print(
            f"left over from writing that was cut short, may be removed: {escape(path)}", soft_wrap=True
        )
    whole = sum(s.whole for s in found.sessions)
    console.print(f"\n{many(whole, 'record')} whole and unchanged, in {many(len(found.sessions), 'session')}")


def _overview(found: Verified) -> Table:
    """A line for each session."""
    table = Table(box=None, pad_edge=False)
    table.add_column("session", no_wrap=True)
    for heading in ("planned", "whole", "to run", "wrong"):
        table.add_column(heading, justify="right")
    for s in found.sessions:
        wrong = f"[red]{len(s.findings)}[/red]" if s.findings else "0"
        table.add_row(escape(s.session), str(s.planned), str(s.whole), str(s.to_run), wrong)
    return table

"""What a session says: tables, and of pairs the verdict; for `telar run` and `telar report`."""

from __future__ import annotations

import tempfile
from pathlib import Path

import msgspec

from telar.analyse import budgets
from telar.analyse.summary import summarise
from telar.build import site
from telar.catalog.types import Catalog
from telar.cli import answer
from telar.cli.common import console, root
from telar.errors import MissingToolError
from telar.publish import budgets as published_budgets
from telar.publish import comparison as compared
from telar.publish import history
from telar.publish import report as reports
from telar.publish import verdict as published
from telar.publish.verdict import Comparison
from telar.store import floors
from telar.store.files import Session, write_atomically
from telar.store.published import DATA, Published
from telar.store.record import Record
from telar.tools.shell import CommandError


def show(c: Catalog, session: Session, records: list[Record]) -> None:
    """Prints it, and writes tables and page beside the records."""
    comparison = answer.of_session(c, session, records)
    written = write(c, session, records, comparison)
    if comparison and (session.folder / "verdict.md").exists():
        written["verdict"] = session.folder / "verdict.md"
    reports.print_tables(c, console, records)
    if found := budgets.judge(c, records):
        published_budgets.print_outcomes(c, console, found)
    if comparison:
        published.print_verdict(c, console, comparison)
    console.print()
    for what, path in written.items():
        console.print(f"{what}: {path}", soft_wrap=True, markup=False, highlight=False)


def write(
    c: Catalog, session: Session, records: list[Record], comparison: Comparison | None
) -> dict[str, Path]:
    """report.md and report.html in the session's folder. Where the pages can't be built, the page is left out
    and it is said why: what was measured has been kept.
    """
    paths = {"records": session.folder / "records", "Markdown": session.folder / "report.md"}
    write_atomically(paths["Markdown"], reports.markdown(c, records).encode())
    page = session.folder / "report.html"
    try:
        built = site.build(root(), console.print)
    except (MissingToolError, CommandError) as error:
        hint = f" ({error.hint})" if error.hint else ""
        console.print(f"{page} isn't written: {error.message}{hint}", style="yellow", soft_wrap=True)
        return paths
    write_atomically(page, _page(c, session, records, comparison, built))
    return {**paths, "page": page}


def _page(
    c: Catalog, session: Session, records: list[Record], comparison: Comparison | None, built: Path
) -> bytes:
    """The session alone, as the pages show it, in one file."""
    with tempfile.TemporaryDirectory(prefix="telar-report-") as scratch:
        pages = Published(Path(scratch))
        files = {kept.run_id: name for name, kept in history.row(session, records).runs.items()}
        pages.set_report(compared.of_session(c, records, summarise(records), files))
        noise = floors.read(c.data / floors.FLOORS)
        found = answer.found_in(c, session, lambda: comparison)
        history.publish(c, pages, [session], [], [], noise, [found] if found else [])
        return site.in_one(built, Path(scratch) / DATA)


def for_machines(c: Catalog, session: Session, records: list[Record]) -> dict[str, object] | None:
    """The verdict of a session of pairs, with a summary of each of its cells; None of others."""
    comparison = answer.of_session(c, session, records)
    if comparison is None:
        return None
    cells = reports.summaries(c, records)
    return {"word": comparison.word, **msgspec.to_builtins(comparison), "cells": msgspec.to_builtins(cells)}

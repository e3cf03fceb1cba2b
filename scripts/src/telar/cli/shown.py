"""What a session says: tables, and of pairs the verdict; for `telar run` and `telar report`."""

from __future__ import annotations

import msgspec

from telar.analyse import budgets
from telar.catalog.types import Catalog
from telar.cli import answer
from telar.cli.common import console
from telar.publish import budgets as published_budgets
from telar.publish import report as reports
from telar.publish import verdict as published
from telar.store.files import Session
from telar.store.record import Record


def show(c: Catalog, session: Session, records: list[Record]) -> None:
    """Prints it, and writes tables and page beside the records."""
    written = reports.write(c, session.folder, records)
    comparison = answer.of_session(c, session, records)
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


def for_machines(c: Catalog, session: Session, records: list[Record]) -> dict[str, object] | None:
    """The verdict of a session of pairs, with a summary of each of its cells; None of others."""
    comparison = answer.of_session(c, session, records)
    if comparison is None:
        return None
    cells = reports.summaries(c, records)
    return {"word": comparison.word, **msgspec.to_builtins(comparison), "cells": msgspec.to_builtins(cells)}

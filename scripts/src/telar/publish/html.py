"""One self-contained page for a session."""

from __future__ import annotations

from telar.analyse.summary import Summary
from telar.catalog.types import Catalog
from telar.store.record import Record


def page(catalog: Catalog, records: list[Record], found: list[Summary]) -> str:  # noqa: ARG001
    return "<!doctype html>\n"

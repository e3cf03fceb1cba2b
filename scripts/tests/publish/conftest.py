from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from telar.analyse.summary import summarise
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.publish import comparison
from telar.store.record import Record
from telar.store.report import Report


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load(Path(__file__).parents[3])


@pytest.fixture
def report(catalog: Catalog) -> Callable[[list[Record]], Report]:
    """Of records whose files are called 0.json, 1.json, …"""

    def of(records: list[Record]) -> Report:
        own = [msgspec.structs.replace(r, run_id=f"{n:016x}") for n, r in enumerate(records)]
        files = {r.run_id: f"{n}.json" for n, r in enumerate(own)}
        return comparison.of_session(catalog, own, summarise(own), files)

    return of

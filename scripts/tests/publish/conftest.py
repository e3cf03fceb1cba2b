from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from telar.analyse.summary import summarise
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.publish import html
from telar.store.record import Record


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    return load(Path(__file__).parents[3])


@pytest.fixture
def page(catalog: Catalog) -> Callable[[list[Record]], str]:
    return lambda records: html.page(catalog, records, summarise(records))

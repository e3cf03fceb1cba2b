"""Which kind of run a cell has."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from telar.catalog.kinds import kind_of
from telar.catalog.load import load
from telar.errors import ConfigError
from telar.run.http.cell import CellRun
from telar.run.jmh.cell import JmhRun
from telar.run.kinds import run_of

from ..store.records import CELL

CATALOG = load(Path(__file__).parents[3])


def test_a_system_that_says_no_kind_is_a_service_under_load() -> None:
    kinds = {v.app.file.system: kind_of(CATALOG, v.label) for v in CATALOG.variants.values()}
    assert (kinds["movies"], kinds["loom"], kinds["safety"]) == ("http", "jmh", "task")
    assert run_of(CATALOG, CELL) is CellRun


def test_a_benchmark_is_run_by_the_embedded_engine_alone() -> None:
    cell = msgspec.structs.replace(CELL, system="loom", variant="kotlin-loom", drivers={})
    assert run_of(CATALOG, cell) is JmhRun
    with pytest.raises(ConfigError, match="the engine compose runs nothing of the kind jmh") as raised:
        run_of(CATALOG, msgspec.structs.replace(cell, engine="compose"))
    assert raised.value.hint == "say --engine embedded"

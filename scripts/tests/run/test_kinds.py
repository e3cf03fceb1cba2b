"""Which kind of run a cell has."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from telar.catalog.kinds import kind_of
from telar.catalog.load import load
from telar.errors import ConfigError
from telar.run.http.cell import CellRun
from telar.run.kinds import run_of

from ..store.records import CELL

CATALOG = load(Path(__file__).parents[3])
MOVIES = CATALOG.systems["movies"]


def test_a_system_that_says_no_kind_is_a_service_under_load() -> None:
    assert {kind_of(CATALOG, variant) for variant in CATALOG.variants} == {"http"}
    assert run_of(CATALOG, CELL) is CellRun


def test_a_kind_that_nothing_runs_is_named_with_those_that_can_be_run() -> None:
    file = msgspec.structs.replace(MOVIES.file, kind="task", http=None)
    systems = {"movies": msgspec.structs.replace(MOVIES, file=file)}
    catalog = msgspec.structs.replace(CATALOG, systems=systems)
    with pytest.raises(ConfigError, match="of the kind task, which nothing runs") as raised:
        run_of(catalog, CELL)
    assert raised.value.hint == "kinds that can be run: http"

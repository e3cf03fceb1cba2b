"""Each variant of every system that is asked over HTTP keeps its contract, and so does what it calls.

Of the movies more is asked, in containers: test_parity.py. These contracts say how long an answer takes, so
one variant is up at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from telar.plan.cells import Cell, Wishes, make_plan
from telar.run import beside
from telar.run.embedded import EmbeddedEngine
from telar.run.http.hooks import Hooks
from telar.run.http.stack import Stack
from telar.run.session import alone

from .conftest import failures, soon_up

# Whoever comes first waits for all of them to be built.
pytestmark = [pytest.mark.embedded, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[3]
CATALOG = soon_up(ROOT)
SUITES = {
    "bank": "bank-short",
    "locations": "locations-create-short",
    "proxy": "proxy-short",
    "sleep": "sleep-short",
}
CELLS = {
    run.cell.label: run.cell
    for system, suite in SUITES.items()
    for run in make_plan(CATALOG, Wishes(suite=suite, engine="embedded", only=(f"{system}/*",))).runs
}


@pytest.fixture(scope="module")
def engine() -> Iterator[EmbeddedEngine]:
    with alone(CATALOG):
        made = EmbeddedEngine(CATALOG)
        made.prepare(list(CELLS.values()), print)
        yield made


def test_every_variant_of_a_system_with_a_contract_is_looked_at() -> None:
    assert {v for v in CATALOG.variants if v.partition("/")[0] in SUITES} == CELLS.keys()
    called = {own.cell.system for cell in CELLS.values() for own in _beside(cell)}
    assert called == {"stub"}
    with_contract = {folder.parent.name for folder in (ROOT / "apps").glob("*/contract")}
    assert with_contract == {*SUITES, *called, "movies"}


@pytest.mark.parametrize("name", list(CELLS))
def test_each_variant_and_what_it_calls_keep_their_contracts(
    engine: EmbeddedEngine, name: str, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    stack = Stack(CATALOG, engine, CELLS[name], folder=folder, hooks=Hooks())
    try:
        if stack.database:
            stack.start_database(stack.database)
        for own in stack.beside:
            interrupted = tmp_path / f"run-{own.name}" / "app.log"  # where an earlier attempt ended
            interrupted.parent.mkdir()
            interrupted.write_text("of the attempt that was interrupted")
            stack.start_beside(own)
            assert "interrupted" not in interrupted.read_text()
            assert failures(_contract(own.cell.system), f"http://127.0.0.1:{own.app}") == ""
        stack.start_app("0" * 16)
        assert failures(_contract(CELLS[name].system), stack.base) == ""
    finally:
        stack.close()
    assert "left over" not in (folder / "app.log").read_text()  # what Liberty wrote is gone with it


def _beside(cell: Cell) -> list[beside.Beside]:
    return beside.of_cell(CATALOG, cell, CATALOG.file.ports)


def _contract(system: str) -> Path:
    return ROOT / "apps" / system / "contract"

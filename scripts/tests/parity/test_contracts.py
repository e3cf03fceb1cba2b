"""Each variant of every system that is asked over HTTP keeps its contract, and so does what it calls.

Of the movies more is asked, in containers: test_parity.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

import pytest

from telar.plan.cells import Wishes, make_plan
from telar.run import beside
from telar.run.embedded import EmbeddedEngine
from telar.run.http.stack import Stack
from telar.run.session import alone

from .conftest import failures, soon_up, two_at_once

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


@dataclass(frozen=True)
class Seen:
    """What one variant did."""

    failures: dict[str, str]  # system -> its contract test's output; empty where all of it passed
    log: Path  # the app's


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Future[Seen]]]:
    with alone(CATALOG):
        engine = EmbeddedEngine(CATALOG)
        engine.prepare(list(CELLS.values()), print)
        with two_at_once(CATALOG, engine, CELLS, _look_at, tmp_path_factory.mktemp("contracts")) as each:
            yield each


def test_every_variant_of_a_system_with_a_contract_is_looked_at() -> None:
    assert {v for v in CATALOG.variants if v.partition("/")[0] in SUITES} == CELLS.keys()
    called = {own.cell.system for cell in CELLS.values() for own in _beside(cell.label)}
    assert called == {"stub"}
    with_contract = {folder.parent.name for folder in (ROOT / "apps").glob("*/contract")}
    assert with_contract == {*SUITES, *called, "movies"}


@pytest.mark.parametrize("name", list(CELLS))
def test_each_variant_and_what_it_calls_keep_their_contracts(
    seen: dict[str, Future[Seen]], name: str
) -> None:
    found = seen[name].result()
    assert found.failures == dict.fromkeys((CELLS[name].system, *(o.cell.system for o in _beside(name))), "")
    assert "left over" not in found.log.read_text()  # what Liberty wrote is gone with it


def _beside(name: str) -> list[beside.Beside]:
    return beside.of_cell(CATALOG, CELLS[name], CATALOG.file.ports)


def _look_at(stack: Stack) -> Seen:
    found = {}
    if stack.database:
        stack.start_database(stack.database)
    for own in stack.beside:
        interrupted = stack.folder.with_name(f"{stack.folder.name}-{own.name}") / "app.log"
        interrupted.parent.mkdir()
        interrupted.write_text("of an earlier attempt at this run, which was interrupted")
        stack.start_beside(own)
        assert "interrupted" not in interrupted.read_text()
        found[own.cell.system] = failures(_contract(own.cell.system), f"http://127.0.0.1:{own.app}")
    stack.start_app("0" * 16)
    found[stack.cell.system] = failures(_contract(stack.cell.system), stack.base)
    return Seen(failures=found, log=stack.folder / "app.log")


def _contract(system: str) -> Path:
    return ROOT / "apps" / system / "contract"

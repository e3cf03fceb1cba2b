"""Systems that call a remote one keep their contracts, and so does the remote one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from telar.plan.cells import Wishes, make_plan
from telar.run.embedded import EmbeddedEngine
from telar.run.http.hooks import Hooks
from telar.run.http.stack import Stack
from telar.run.session import alone

from .conftest import failures, soon_up

pytestmark = [pytest.mark.embedded, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[3]
CATALOG = soon_up(ROOT)
CALLING = [name for name, system in CATALOG.systems.items() if system.file.beside]
CELLS = {
    run.cell.label: run.cell
    for system in CALLING
    for run in make_plan(
        CATALOG, Wishes(suite=f"{system}-short", engine="embedded", only=(f"{system}/*",))
    ).runs
}


@pytest.fixture(scope="module")
def engine() -> Iterator[EmbeddedEngine]:
    with alone(CATALOG):
        made = EmbeddedEngine(CATALOG)
        made.prepare(list(CELLS.values()), print)
        yield made


def test_every_variant_is_looked_at() -> None:
    theirs = {v for v in CATALOG.variants if v.partition("/")[0] in CALLING}
    assert theirs == CELLS.keys()
    assert {"bank", "proxy"} <= set(CALLING)


@pytest.mark.parametrize("name", list(CELLS))
def test_each_variant_and_the_remote_system_keep_the_contract(
    engine: EmbeddedEngine, name: str, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    interrupted = tmp_path / "run-remote" / "app.log"  # where an earlier attempt at this run ended
    interrupted.parent.mkdir()
    interrupted.write_text("of the attempt that was interrupted")
    stack = Stack(CATALOG, engine, CELLS[name], folder=folder, hooks=Hooks())
    try:
        for own in stack.beside:
            stack.start_beside(own)
            assert "interrupted" not in interrupted.read_text()
            assert failures(_contract(own.variant.app.file.system), f"http://127.0.0.1:{own.app}") == ""
        stack.start_app("0" * 16)
        assert failures(_contract(CELLS[name].system), stack.base) == ""
    finally:
        stack.close()
    assert "left over" not in (folder / "app.log").read_text()  # what Liberty wrote is gone with it


def _contract(system: str) -> Path:
    return ROOT / "apps" / system / "contract"

"""Each variant of the system that waits keeps its contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from telar.collect import recording
from telar.plan.cells import Wishes, make_plan
from telar.run import java, probe
from telar.run.embedded import EmbeddedEngine
from telar.run.engine import AppLaunch
from telar.run.session import alone

from .conftest import failures, soon_up

pytestmark = [pytest.mark.embedded, pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[3]
CATALOG = soon_up(ROOT)
CONTRACT = ROOT / "apps" / "sleep" / "contract"
WISHES = Wishes(suite="sleep-short", engine="embedded", only=("sleep/*",))
CELLS = {run.cell.variant: run.cell for run in make_plan(CATALOG, WISHES).runs}


@pytest.fixture(scope="module")
def engine() -> Iterator[EmbeddedEngine]:
    with alone(CATALOG):
        made = EmbeddedEngine(CATALOG)
        made.prepare(list(CELLS.values()), print)
        yield made


def test_every_variant_is_looked_at() -> None:
    assert {f"sleep/{name}" for name in CELLS} == {v for v in CATALOG.variants if v.startswith("sleep/")}


@pytest.mark.parametrize("name", list(CELLS))
def test_each_variant_keeps_the_contract(engine: EmbeddedEngine, name: str, tmp_path: Path) -> None:
    cell = CELLS[name]
    variant, layout = CATALOG.variants[cell.label], CATALOG.file.layout[cell.layout]
    ports = CATALOG.file.ports
    recording.prepare(tmp_path)
    app = engine.start_app(
        AppLaunch(
            cell=cell,
            folder=tmp_path,
            environment=java.environment(
                variant, http_port=ports.app, metrics_port=ports.metrics, database_port=None
            ),
            arguments=lambda jar: java.arguments(CATALOG, variant, (), tmp_path, jar),
            start_jar=variant.app.file.build.start,
            cpus=layout.app_cpus,
            memory=layout.app_memory,
        )
    )
    try:
        probe.wait_ready(f"http://127.0.0.1:{ports.metrics}/health/ready", lambda: None)
        assert failures(CONTRACT, f"http://127.0.0.1:{ports.app}") == ""
    finally:
        app.stop()

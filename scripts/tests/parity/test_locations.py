"""Each variant of the locations keeps their contract, on the embedded engine's PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from telar.collect import recording
from telar.databases import clients, types
from telar.plan.cells import Cell, Wishes, make_plan
from telar.run import java, probe
from telar.run.embedded import EmbeddedEngine
from telar.run.engine import AppLaunch
from telar.run.session import alone

from .conftest import failures, soon_up

pytestmark = [pytest.mark.embedded, pytest.mark.timeout(300)]

ROOT = Path(__file__).parents[3]
CATALOG = soon_up(ROOT)
CONTRACT = ROOT / "apps" / "locations" / "contract"
WISHES = Wishes(suite="locations-create-short", engine="embedded")
CELLS = {run.cell.variant: run.cell for run in make_plan(CATALOG, WISHES).runs}


@pytest.fixture(scope="module")
def engine() -> Iterator[EmbeddedEngine]:
    with alone(CATALOG):
        made = EmbeddedEngine(CATALOG)
        made.prepare(list(CELLS.values()), print)
        yield made


@pytest.mark.parametrize("variant", list(CELLS))
def test_each_variant_keeps_the_contract(engine: EmbeddedEngine, variant: str, tmp_path: Path) -> None:
    database = types.load(CATALOG.databases["postgresql"])
    cpus = CATALOG.file.layout[CELLS[variant].layout].database_cpus
    engine.fresh_database(database, "locations", tmp_path)
    server = engine.start_database(database, tmp_path, cpus)
    try:
        with closing(clients.client(database.file.protocol, "127.0.0.1", database.file.port)) as client:
            client.wait_ready()
        recording.prepare(tmp_path)
        app = engine.start_app(_launch(CELLS[variant], database.file.port, tmp_path))
        try:
            ready = f"http://127.0.0.1:{CATALOG.file.ports.metrics}/health/ready"
            probe.wait_ready(ready, lambda: None)
            assert failures(CONTRACT, f"http://127.0.0.1:{CATALOG.file.ports.app}") == ""
        finally:
            app.stop()
    finally:
        server.stop()


def _launch(cell: Cell, port: int, folder: Path) -> AppLaunch:
    variant, layout = CATALOG.variants[cell.label], CATALOG.file.layout[cell.layout]
    return AppLaunch(
        cell=cell,
        folder=folder,
        environment=java.environment(
            variant,
            http_port=CATALOG.file.ports.app,
            metrics_port=CATALOG.file.ports.metrics,
            database_port=port,
        ),
        arguments=lambda jar: java.arguments(CATALOG, variant, (), folder, jar),
        start_jar=variant.app.file.build.start,
        cpus=layout.app_cpus,
        memory=layout.app_memory,
    )

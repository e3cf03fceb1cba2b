"""All variants are the same service: contract, bytes, and statements, each on the real thing.

Every variant is started once, in its container, with a fresh database; docs/fairness.md says what must
be equal and why.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
import pytest

from telar.databases import postgresql
from telar.databases.client import DatabaseClient
from telar.plan.cells import Cell, Wishes, make_plan
from telar.run.compose import ComposeEngine
from telar.run.http.stack import Stack
from telar.run.session import alone

from .conftest import failures, soon_up, two_at_once

# Whoever comes first waits for all variants to be built.
pytestmark = [pytest.mark.docker, pytest.mark.timeout(1800)]

ROOT = Path(__file__).parents[3]
CATALOG = soon_up(ROOT)
CELLS = {
    run.cell.variant: run.cell
    for suite in ("smoke", "databases")  # the fourteen, and what the databases are compared with
    for run in make_plan(CATALOG, Wishes(suite=suite, engine="compose")).runs
}
TIMES = 10  # requests of each kind while statements are counted

# Statements a request may cause, by the server's own counters. Beginning and ending a transaction is
# not among them: frameworks differ there by design (docs/fairness.md).
MYSQL = {
    "Com_select": "select",
    "Com_insert": "insert",
    "Com_update": "update",
    "Com_delete": "delete",
    "Com_delete_multi": "delete",  # Hibernate writes an alias: DELETE m FROM movie m WHERE …
}
POSTGRESQL = {k: k for k in ("select", "insert", "update", "delete")}
MONGODB = {k: k for k in ("find", "insert", "findAndModify", "update", "delete", "aggregate", "count")}
KINDS = {"mysql": MYSQL, "postgresql": POSTGRESQL, "mongodb": MONGODB}
ROWS = {
    "get": {"select": 1},
    "list": {"select": 1},
    "create": {"insert": 1},
    "put": {"select": 1, "update": 1},
    "rate": {"select": 1, "update": 1},
    "delete": {"delete": 1},
}
EXPECTED = {
    "mysql": ROWS,
    "postgresql": ROWS,
    "mongodb": {
        "get": {"find": 1},
        "list": {"find": 1},
        "create": {"insert": 1},
        "put": {"findAndModify": 1},
        "rate": {"findAndModify": 1},
        "delete": {"delete": 1},
    },
}


@dataclass(frozen=True)
class Seen:
    """What one variant did."""

    contract: str  # the contract test's output; empty when all of it passed
    fingerprint: dict[str, str]
    statements: dict[str, dict[str, float]]  # operation -> kind -> statements a request


class Unwatched(ComposeEngine):
    def telemetry(self, cell: Cell, run_id: str, base: str) -> tuple[str, ...]:
        """The metrics servers know of one run at a time. Here are two, and nothing is measured."""
        return ()


@pytest.fixture(scope="module")
def engine() -> Iterator[ComposeEngine]:
    with alone(CATALOG):
        made = Unwatched(CATALOG)
        try:
            made.prepare(list(CELLS.values()), print)
            yield made
        finally:
            made.close()


@pytest.fixture(scope="module")
def seen(
    engine: ComposeEngine, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, Future[Seen]]]:
    folder = tmp_path_factory.mktemp("parity")
    with pytest.MonkeyPatch.context() as patch:
        # Rows that were read are handed in ten seconds later. None is asked for here: statements are counted
        # at once.
        patch.setattr(postgresql, "HANDED_IN", 0)
        with two_at_once(CATALOG, engine, CELLS, _look_at, folder) as each:
            yield each


@pytest.mark.parametrize("variant", list(CELLS))
def test_every_variant_keeps_the_whole_http_contract(seen: dict[str, Future[Seen]], variant: str) -> None:
    assert seen[variant].result().contract == ""


@pytest.mark.parametrize("variant", list(CELLS))
def test_every_variant_answers_with_the_same_bytes(seen: dict[str, Future[Seen]], variant: str) -> None:
    first = seen["spring-mysql-blocking-platform"].result()
    assert first.fingerprint
    assert seen[variant].result().fingerprint == first.fingerprint


@pytest.mark.parametrize("variant", list(CELLS))
def test_every_variant_of_a_family_sends_the_same_statements(
    seen: dict[str, Future[Seen]], variant: str
) -> None:
    family = CATALOG.variants[variant].app.file.database
    assert seen[variant].result().statements == EXPECTED[family]


def _look_at(stack: Stack) -> Seen:
    assert stack.database
    stack.start_database(stack.database)
    stack.start_app("0" * 16)
    assert stack.client
    contract, fingerprint = _contract(stack.base, stack.folder)
    kinds = KINDS[stack.database.file.protocol]
    return Seen(contract, fingerprint, _statements(stack.base, stack.client, kinds))


def _contract(base: str, folder: Path) -> tuple[str, dict[str, str]]:
    fingerprint = folder / "fingerprint.json"
    failed = failures(ROOT / "apps" / "movies" / "contract", base, TELAR_FINGERPRINT=str(fingerprint))
    return failed, json.loads(fingerprint.read_text()) if fingerprint.exists() else {}


def _statements(base: str, client: DatabaseClient, kinds: dict[str, str]) -> dict[str, dict[str, float]]:
    """For each operation, how many statements of each kind one request caused."""
    with httpx.Client(base_url=base, timeout=30, trust_env=False) as http:
        ids = [m["id"] for m in http.get("/movies").json()]
        made = [_created(http, n) for n in range(TIMES)]
        operations = {
            "get": lambda n: http.get(f"/movies/{ids[n]}"),
            "list": lambda n: http.get("/movies", params={"page": n}),
            "create": lambda n: http.post("/movies", json={"title": f"Counted {n}"}),
            "put": lambda n: http.put(f"/movies/{made[n]}", json={"title": f"Put {n}"}),
            "rate": lambda n: http.patch(f"/movies/{made[n]}/rating", json={"rating": 5.5}),
            "delete": lambda n: http.delete(f"/movies/{made[n]}"),
        }
        found = {}
        for name, request in operations.items():
            idle = _difference(client, kinds, lambda: None)  # what asking itself costs
            total = _difference(client, kinds, partial(_repeat, request))
            each = {kind: (total[kind] - idle[kind]) / TIMES for kind in total}
            found[name] = {kind: n for kind, n in each.items() if n}
        return found


def _repeat(request: Callable[[int], httpx.Response]) -> None:
    for n in range(TIMES):
        request(n).raise_for_status()


def _created(http: httpx.Client, n: int) -> str:
    response = http.post("/movies", json={"title": f"Made {n}", "rating": 1.0})
    movie_id: str = response.raise_for_status().json()["id"]
    return movie_id


def _difference(client: DatabaseClient, kinds: dict[str, str], act: Callable[[], None]) -> dict[str, int]:
    before = client.statements()
    act()
    after = client.statements()
    found = dict.fromkeys(kinds.values(), 0)
    for counter, kind in kinds.items():
        found[kind] += after.get(counter, 0) - before.get(counter, 0)
    return found

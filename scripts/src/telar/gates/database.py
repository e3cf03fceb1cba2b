"""The database's side: did it start from the seed, and does no hot query scan?"""

from __future__ import annotations

from telar.catalog.types import Catalog
from telar.gates.evidence import gate
from telar.store.record import DatabaseState, Gate, Record


def state(record: Record, catalog: Catalog) -> Gate:  # noqa: ARG001 - one signature
    """Rows: the seed's at the start; at the end what was created more and deleted less."""
    found, load = record.database, record.load
    assert found is not None, "a completed run has its database"
    assert load is not None, "and its load"
    failed = {e: _failed(record, e) for e in ("create", "delete")}
    created = load.requests.get("create", 0) - failed["create"]
    deleted = load.requests.get("delete", 0) - failed["delete"]
    end = found.rows_seeded + load.setup_created + created - deleted
    # A request without an answer may have been carried out all the same.
    unsure = sum(failed.values())
    start_fine = found.rows_at_window_start == found.rows_seeded
    end_fine = found.rows_at_window_end is not None and abs(found.rows_at_window_end - end) <= unsure
    return gate(
        "state",
        "pass" if start_fine and end_fine else "fail",
        f"{found.rows_at_window_start} rows at the start, {found.rows_at_window_end} at the end",
        expected=f"{found.rows_seeded} and {end}" + (f" ± {unsure}" if unsure else ""),
        advice="another client wrote, or the database was used before: start from a fresh copy",
    )


def plan(record: Record, catalog: Catalog) -> Gate:
    """By the server's own account no hot query goes through all rows: its plans, and what it read so."""
    limit = catalog.file.gate.plan.scanned_rows
    found = record.database or DatabaseState(rows_seeded=0)
    scans = [query for query, path in found.plans.items() if path == "scan"]
    rows = _scanned(found)
    said = ", ".join(f"{query}: {path}" for query, path in found.plans.items()) or "no plans"
    bad = scans or (rows is not None and rows > limit)
    return gate(
        "plan",
        "fail" if bad else "pass" if found.plans else "warn",
        said if rows is None else f"{said}; {rows:.1f} rows scanned a statement",
        expected=f"no scan in a plan, at most {limit:g} rows scanned a statement",
        advice="the hot path reads the whole table: give the query its index back",
    )


def _scanned(found: DatabaseState) -> float | None:
    """Rows read by going through a table, for each statement; None where the server doesn't count them."""
    kinds = ("Com_select", "Com_stmt_execute")  # MySQL counts an executed prepared SELECT in both
    reads = max((found.statements.get(kind, 0) for kind in kinds), default=0)
    rows = found.statements.get("Handler_read_rnd_next")
    return None if rows is None or not reads else rows / reads


def _failed(record: Record, endpoint: str) -> int:
    return sum(f.count for f in record.failures if f.endpoint == endpoint)

"""The database's side: did it start from the seed, and does no hot query scan?"""

from __future__ import annotations

from telar.catalog.types import Catalog
from telar.gates.evidence import gate, load_of
from telar.store.record import DatabaseState, Gate, Record, Verdict

NO_DATA = "the system keeps none"
THEIRS = "the application keeps its data itself: whether it grows or scans can't be told"
UNKNOWN = "not told"  # what databases/mongodb.py says of a plan without stages


def state(record: Record, catalog: Catalog) -> Gate:
    """Rows: the seed's at the start; at the end what was created more and deleted less."""
    found, load = record.database, load_of(record)
    if _has_no_data(record, catalog):
        return gate("state", "pass", NO_DATA, expected="nothing kept", advice="")
    variant = catalog.variants.get(record.cell.label)
    data = catalog.data_of(variant.app.file.system) if variant else None
    if found is None or not found.rows_seeded or data is None:
        return gate("state", "warn", "not known", expected="a fresh state in each run", advice=THEIRS)
    failed = {e: _failed(record, e) for e in (*data.file.adds, *data.file.removes)}
    created = sum(load.requests.get(e, 0) - failed[e] for e in data.file.adds)
    deleted = sum(load.requests.get(e, 0) - failed[e] for e in data.file.removes)
    end = found.rows_seeded + load.setup_created + created - deleted
    # A request without an answer may have been carried out all the same.
    unsure = sum(failed.values())
    expected = f"{found.rows_seeded:,} at the start, {end:,}{f' ± {unsure:,}' if unsure else ''} at the end"
    if found.rows_at_window_start is None or found.rows_at_window_end is None:
        advice = "nobody counted the rows: whether the database was used before can't be told"
        return gate("state", "warn", "not known", expected=expected, advice=advice)
    start_fine = found.rows_at_window_start == found.rows_seeded
    end_fine = abs(found.rows_at_window_end - end) <= unsure
    return gate(
        "state",
        "pass" if start_fine and end_fine else "fail",
        f"{found.rows_at_window_start:,} rows at the start, {found.rows_at_window_end:,} at the end",
        expected=expected,
        advice="another client wrote, or the database was used before: start from a fresh copy",
    )


def plan(record: Record, catalog: Catalog) -> Gate:
    """By the server's own account no hot query goes through all rows: its plans, and what it read so."""
    rules, found = catalog.file.gate.plan, record.database
    if _has_no_data(record, catalog):
        return gate("plan", "pass", NO_DATA, expected="no hot query that scans", advice="")
    if found is None:
        return gate("plan", "warn", "not known", expected="no hot query that scans", advice=THEIRS)
    limit, rows, paths = rules.scanned_rows, _scanned(found, rules.own_rows), set(found.plans.values())
    told = ", ".join(f"{query}: {path}" for query, path in found.plans.items()) or "no plans"
    verdict: Verdict = "pass" if paths and UNKNOWN not in paths else "warn"
    if "scan" in paths or (rows is not None and rows > limit):
        verdict = "fail"
    return gate(
        "plan",
        verdict,
        told if rows is None else f"{told}; {rows:.1f} rows scanned a statement",
        expected=f"no scan in a plan, at most {limit:g} rows scanned a statement",
        advice="the hot path reads the whole table: give the query its index back"
        if verdict == "fail"
        else "the server did not tell every plan: whether a query scans can't be told",
    )


def _has_no_data(record: Record, catalog: Catalog) -> bool:
    """Of an app of a system without a database. What a guest without one keeps, Telar doesn't know."""
    variant = catalog.variants.get(record.cell.label)
    return variant is not None and variant.app.guest is None and variant.app.database is None


def _scanned(found: DatabaseState, own: float) -> float | None:
    """Rows read by going through a table, for each statement; None where the server doesn't count them.

    `own` rows are Telar's: those of the server's table of counters.
    """
    kinds = ("Com_select", "Com_stmt_execute")  # MySQL counts an executed prepared SELECT in both
    reads = max(found.statements.get(kind, 0) for kind in kinds)
    rows = found.statements.get("Handler_read_rnd_next")
    return None if rows is None or not reads else max(0.0, rows - own) / reads


def _failed(record: Record, endpoint: str) -> int:
    return sum(f.count for f in record.failures if f.endpoint == endpoint)

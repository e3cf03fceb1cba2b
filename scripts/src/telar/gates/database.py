"""The database's side: did it start from the seed, and does no hot query scan?"""

from __future__ import annotations

from telar.catalog.types import Catalog
from telar.gates.evidence import gate, load_of
from telar.store.record import DatabaseState, Gate, Record, Verdict

NO_DATA = "the system keeps none"
THEIRS = "the application keeps its data itself: whether it grows or scans isn't known"
GROWS = "what was written before is still there, on both sides alike: [data] clean may undo it"
PAGES = "ordinary paging does so: [gate.plan] scanned_rows of variant.toml sets a limit"
UNKNOWN = "not told"  # what databases/mongodb.py says of a plan without stages


def state(record: Record, catalog: Catalog) -> Gate:
    """Rows: the seed's at the start; at the end what was created more and deleted less."""
    found, load = record.database, load_of(record)
    if _has_no_data(record, catalog):
        return gate("state", "pass", NO_DATA, expected="nothing kept", advice="")
    variant = catalog.variants.get(record.cell.label)
    if catalog.guest and found and found.rows_seeded:
        return _state_of_a_guest(found, catalog)
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
        advice = "the rows weren't counted: whether the database was used before isn't known"
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


def _state_of_a_guest(found: DatabaseState, catalog: Catalog) -> Gate:
    """Rows of all its tables: as many at the start of the window as when the service was ready."""
    tables = catalog.tables_of(catalog.file.defaults.system)
    cleaned = tables is not None and tables.clean is not None
    begun, start, end = found.rows_seeded, found.rows_at_window_start, found.rows_at_window_end
    expected = f"{begun:,} rows in all tables at the start, as once the service was ready"
    if start is None or end is None:
        return gate("state", "warn", "not known", expected=expected, advice="the rows were not counted")
    return gate(
        "state",
        "pass" if start == begun else "fail" if cleaned else "warn",
        f"{start:,} rows at the start, {end:,} at the end",
        expected=expected,
        advice="[data] clean doesn't give back the rows of the start" if cleaned else GROWS,
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
    advice = "the server did not report every plan, so it isn't known whether a query scans"
    scans = "scan" in paths or (rows is not None and rows > limit)
    if scans:
        verdict = "fail" if _is_limited(catalog) else "warn"
        advice = "the hot path reads the whole table: give the query its index back"
        advice = advice if verdict == "fail" else PAGES
    return gate(
        "plan",
        verdict,
        told if rows is None else f"{told}; {rows:.1f} rows scanned a statement",
        expected=f"no scan in a plan, at most {limit:g} rows scanned a statement",
        advice=advice,
    )


def _is_limited(catalog: Catalog) -> bool:
    """Whether the limit is about these queries: a guest's are its own matter, unless it says a limit."""
    if catalog.guest is None:
        return True
    return any("plan" in system.file.gate for system in catalog.systems.values())


def _has_no_data(record: Record, catalog: Catalog) -> bool:
    """Of an app of a system without a database. What a guest without one keeps, Telar doesn't know."""
    variant = catalog.variants.get(record.cell.label)
    return variant is not None and variant.app.guest is None and variant.app.database is None


def _scanned(found: DatabaseState, own: float) -> float | None:
    """Rows read by going through a table, for each statement; None where the server doesn't count them.

    `own` rows are Telar's: those of MySQL's table of counters.
    """
    counted = found.statements
    # MySQL counts an executed prepared SELECT in two kinds.
    reads = max(counted.get(kind, 0) for kind in ("Com_select", "Com_stmt_execute", "select"))
    if not reads:
        return None
    if (
        "seq_tup_read" in counted
    ):  # PostgreSQL, whose tables of counters aren't among the tables that it counts
        return counted["seq_tup_read"] / reads
    rows = counted.get("Handler_read_rnd_next")
    return None if rows is None else max(0.0, rows - own) / reads


def _failed(record: Record, endpoint: str) -> int:
    return sum(f.count for f in record.failures if f.endpoint == endpoint)

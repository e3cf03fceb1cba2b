"""PostgreSQL's protocol."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import pg8000.native
from pg8000.exceptions import Error

from telar.catalog.system import Data, PostgreSqlFile
from telar.databases import rows, types
from telar.databases.client import ANSWER_TIMEOUT, Product, digest, wait_for_answer
from telar.errors import RunError

SCRIPT_TIMEOUT = 300  # seconds for a guest's script

# Beside what database.toml sets: what else moves numbers, or tells one server from another.
REPORTED = (
    "autovacuum",
    "checkpoint_timeout",
    "data_checksums",
    "default_transaction_isolation",
    "fsync",
    "full_page_writes",
    "huge_pages",
    "io_method",
    "jit",
    "max_connections",
    "max_parallel_workers_per_gather",
    "max_wal_senders",
    "max_wal_size",
    "random_page_cost",
    "server_encoding",
    "shared_buffers",
    "shared_preload_libraries",
    "ssl",
    "synchronous_commit",
    "track_io_timing",
    "wal_level",
    "wal_writer_delay",
    "work_mem",
)

# A connection hands in its counts of rows at most once a second while it works, else 10 s after it fell idle
# (PGSTAT_MIN_INTERVAL and PGSTAT_IDLE_INTERVAL of PostgreSQL's pgstat.c).
HANDED_IN = 10.2  # seconds
IDLE_FOR = """
    SELECT extract(epoch FROM clock_timestamp() - max(state_change))::float FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
ROWS_READ = """
    SELECT coalesce(sum(seq_tup_read), 0)::bigint, coalesce(sum(idx_tup_fetch), 0)::bigint
    FROM pg_stat_user_tables
"""
DESCRIBED = (
    "SELECT table_schema, table_name, column_name, ordinal_position, data_type, is_nullable "
    "FROM information_schema.columns WHERE table_schema NOT IN ('pg_catalog', 'information_schema') "
    "ORDER BY 1, 2, 4",
    "SELECT schemaname, tablename, indexdef FROM pg_indexes "
    "WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2, 3",
)
ASKED = "SELECT query, sum(calls)::bigint FROM pg_stat_statements GROUP BY query"
VERB = re.compile(r"(?:\s|\(|--[^\n]*\n|/\*.*?\*/)*(\w+)", re.DOTALL)  # after comments and brackets


class PostgreSqlClient:
    """See DatabaseClient. Its own statements aren't among those that it counts."""

    def __init__(self, host: str, port: int, data: Data | None = None) -> None:
        self._host, self._port, self._data = host, port, data
        self._connection: pg8000.native.Connection | None = None

    def wait_ready(self, timeout: float = 60) -> None:
        wait_for_answer(self._host, self._port, timeout, lambda: self._rows("SELECT 1"))

    def create_schema(self) -> None:
        data, own = self._known()
        self._rows((data.folder / own.schema).read_text(encoding="utf-8"))

    def seed(self) -> None:
        data, own = self._known()
        seeded = [{"id": n, **_columns(row)} for n, row in enumerate(rows.read(data), start=1)]
        columns, table = ", ".join(seeded[0]), own.table
        self._rows(
            f"INSERT INTO {table} ({columns}) SELECT {columns} "  # noqa: S608 - Identifiers
            f"FROM json_populate_recordset(NULL::{table}, CAST(:rows AS json))",
            rows=json.dumps(seeded),
        )
        # Rows with a number of their own don't move the sequence from which the next ones have theirs.
        self._rows(
            "SELECT setval(pg_get_serial_sequence(:table, 'id'), :last)", table=table, last=len(seeded)
        )
        self._vacuum(table)

    def carry_out(self, script: str) -> None:
        with self._errors():
            connection = self._connect(SCRIPT_TIMEOUT)
            try:
                connection.run(script)  # without parameters it may be several statements
            finally:
                connection.close()

    def rows(self) -> int:
        tables = self._rows(
            "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables "
            "WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        )
        return sum(int(self._rows(f"SELECT count(*) FROM {name}")[0][0]) for (name,) in tables)  # noqa: S608

    def count(self) -> int:
        _, own = self._known()
        return int(self._rows(f"SELECT count(*) FROM {own.table}")[0][0])  # noqa: S608 - an Identifier

    def delete_created(self) -> int:
        data, own = self._known()
        deleted = self._rows(
            f"WITH gone AS (DELETE FROM {own.table} WHERE id > :last RETURNING 1) "  # noqa: S608
            "SELECT count(*) FROM gone",
            last=data.file.rows,
        )
        self._vacuum(own.table)
        return int(deleted[0][0])

    def product(self) -> Product:
        return product_of(self._rows("SELECT version()")[0][0])

    def settings(self) -> dict[str, str]:
        found = self._rows("SELECT name, current_setting(name) FROM pg_settings ORDER BY name")
        return {name: value for name, value in found if name in REPORTED}

    def statements(self) -> dict[str, int]:
        """Statements by their first word, and the rows that were read in each of the two ways.

        Without pg_stat_statements rows alone. Waits until all connections have handed in what they read, or
        else what a warm-up read last were a window's.
        """
        self._wait_for_counts()
        # What this connection has read so far isn't the window's.
        self._rows("SELECT pg_stat_force_next_flush()")
        scanned, found = self._rows(ROWS_READ)[0]
        counted = self._rows("SELECT to_regclass('pg_stat_statements') IS NOT NULL")[0][0]
        texts = self._rows(ASKED) if counted else []
        each = {f"Query_{digest(text)}": int(calls) for text, calls in texts}
        return {**statements_of(texts), **each, "seq_tup_read": int(scanned), "idx_tup_fetch": int(found)}

    def _wait_for_counts(self) -> None:
        until = time.monotonic() + HANDED_IN  # no longer: a service may ask something every few seconds
        while (left := until - time.monotonic()) > 0:
            idle = self._rows(IDLE_FOR)[0][0]
            if idle is None or idle >= HANDED_IN:
                return
            time.sleep(min(left, HANDED_IN - idle))

    def schema_digest(self) -> str:
        return digest([self._rows(question) for question in DESCRIBED])

    def plans(self) -> dict[str, str]:
        _, own = self._known()
        return {
            name: path_of(self._rows(f"EXPLAIN (FORMAT JSON) {query}")[0][0])
            for name, query in own.queries.items()
        }

    def close(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(Error, OSError):  # its server may be gone
                self._connection.close()
        self._connection = None

    def _known(self) -> tuple[Data, PostgreSqlFile]:
        """The system's data, and what is PostgreSQL's of it."""
        if self._data is None or self._data.file.postgresql is None:
            raise RunError(
                "Telar knows no rows of this system in PostgreSQL's protocol",
                hint="[data.postgresql] of its system.toml names schema and table",
            )
        return self._data, self._data.file.postgresql

    def _vacuum(self, table: str) -> None:
        """What autovacuum does at moments of its own: the planner knows the table, no dead row is in it."""
        self._rows(f"VACUUM (ANALYZE) {table}")

    def _rows(self, statement: str, **values: object) -> list[list[Any]]:
        with self._errors():
            if self._connection is None:
                self._connection = self._connect(ANSWER_TIMEOUT)
            return list(self._connection.run(statement, **values) or [])

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Raises RunError in the place of the driver's error."""
        try:
            yield
        except (Error, OSError) as error:
            self.close()  # it may be broken; the next question gets a new one
            raise RunError(
                f"the database at {self._host}:{self._port} (PostgreSQL's protocol): {error}",
                hint="its log says more; another server on that port would explain it too",
            ) from error

    def _connect(self, timeout: int) -> pg8000.native.Connection:
        connection = pg8000.native.Connection(
            types.DATABASE,
            host=self._host,
            port=self._port,
            database=types.DATABASE,
            timeout=timeout,
            ssl_context=False,
            application_name="telar",
        )
        connection.run("SET pg_stat_statements.track = 'none'")
        return connection


def _columns(row: rows.Row) -> rows.Row:
    return {rows.column(field): value for field, value in row.items()}


def product_of(version: str) -> Product:
    """`PostgreSQL 18.1 (Debian 18.1-1) on x86_64-pc-linux-gnu, …`; others with the protocol begin so, too."""
    name = version.partition(" ")[0]
    numbers = re.search(r"\d+(?:\.\d+)*", version)
    return Product(name=name, version=numbers.group() if numbers else version)


def statements_of(asked: Iterable[Iterable[Any]]) -> dict[str, int]:
    """Text and number of calls -> calls by the first word: `select`, `insert`, `begin`."""
    kinds = Counter[str]()
    for text, calls in asked:
        verb = VERB.match(text)
        kinds[verb.group(1).lower() if verb else "other"] += int(calls)
    return dict(sorted(kinds.items()))


def path_of(explained: Iterable[Mapping[str, Any]]) -> str:
    """The innermost step of the plan and its index; "scan" when a step reads a whole table."""
    nodes = [node for plan in explained for node in _nodes(plan["Plan"])]
    if any(node["Node Type"] == "Seq Scan" for node in nodes):
        return "scan"
    return f"{nodes[-1]['Node Type']} {nodes[-1].get('Index Name', '')}".strip()


def _nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Outermost first."""
    yield plan
    for inner in plan.get("Plans", ()):
        yield from _nodes(inner)

"""MySQL's protocol: MySQL and MariaDB."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pymysql
from pymysql.cursors import Cursor

from telar.databases import seed
from telar.databases.clients import ANSWER_TIMEOUT, Product, wait_for_answer
from telar.errors import RunError

COLUMNS = seed.Movie.__struct_fields__

# Beside what database.toml sets: what tells one server from another.
REPORTED = (
    "autocommit",
    "character_set_server",
    "collation_server",
    "have_ssl",
    "innodb_adaptive_hash_index",
    "innodb_buffer_pool_dump_at_shutdown",
    "innodb_buffer_pool_load_at_startup",
    "innodb_buffer_pool_size",
    "innodb_doublewrite",
    "innodb_flush_log_at_trx_commit",
    "innodb_flush_method",
    "innodb_io_capacity",
    "innodb_io_capacity_max",
    "innodb_log_file_size",
    "innodb_redo_log_capacity",
    "log_bin",
    "max_connections",
    "mysqlx",
    "performance_schema",
    "query_cache_type",
    "skip_name_resolve",
    "sql_mode",
    "thread_handling",
    "tls_version",
    "transaction_isolation",
    "tx_isolation",
)


class MySqlClient:
    """See DatabaseClient."""

    def __init__(self, host: str, port: int) -> None:
        self._host, self._port = host, port
        self._connection: pymysql.Connection[Cursor] | None = None

    def wait_ready(self, timeout: float = 60) -> None:
        wait_for_answer(self._host, self._port, timeout, lambda: self._rows("SELECT 1"))

    def create_schema(self, contract: Path) -> None:
        self._rows((contract / "mysql.sql").read_text(encoding="utf-8"))

    def seed(self, contract: Path) -> None:
        marks = ", ".join(["%s"] * (1 + len(COLUMNS)))
        statement = f"INSERT INTO movie (id, {', '.join(COLUMNS)}) VALUES ({marks})"  # noqa: S608
        rows = [
            (number, *(getattr(movie, column) for column in COLUMNS))
            for number, movie in enumerate(seed.read(contract), start=1)
        ]
        with self._cursor() as cursor:
            cursor.executemany(statement, rows)

    def count(self) -> int:
        return int(self._rows("SELECT COUNT(*) FROM movie")[0][0])

    def delete_created(self) -> int:
        with self._cursor() as cursor:
            return cursor.execute("DELETE FROM movie WHERE id > %s", (seed.SIZE,))

    def product(self) -> Product:
        version, comment = self._rows("SELECT @@version, @@version_comment")[0]
        return product_of(version, comment)

    def settings(self) -> dict[str, str]:
        rows = self._rows("SHOW GLOBAL VARIABLES")
        return {name: value for name, value in rows if name in REPORTED}

    def statements(self) -> dict[str, int]:
        # The handler counts rows read, by each way of finding them: another index shows there.
        rows = self._rows(
            "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Com\\_%' OR Variable_name LIKE 'Handler\\_read\\_%'"
        )
        return {name: int(value) for name, value in rows if value != "0"}

    def plans(self) -> dict[str, str]:
        hot = {
            "one": "SELECT * FROM movie WHERE id = 500",
            "page": "SELECT * FROM movie ORDER BY id LIMIT 20 OFFSET 40",
        }
        return {name: self._path(query) for name, query in hot.items()}

    def close(self) -> None:
        if self._connection is not None and self._connection.open:
            self._connection.close()
        self._connection = None

    def _rows(self, statement: str) -> tuple[tuple[Any, ...], ...]:
        with self._cursor() as cursor:
            cursor.execute(statement)
            return cursor.fetchall()

    def _path(self, query: str) -> str:
        """`type` and `key` of the plan; ALL is a scan, and MySQL has no other name for it."""
        # MySQL 9 tells plans as trees unless it is asked for the table that MariaDB knows, too.
        form = "FORMAT = TRADITIONAL " if self.product().name == "MySQL" else ""
        with self._cursor() as cursor:
            cursor.execute(f"EXPLAIN {form}{query}")
            names = [column[0] for column in cursor.description]  # MySQL has columns that MariaDB hasn't
            plan = dict(zip(names, cursor.fetchall()[0], strict=True))
        return "scan" if plan["type"] == "ALL" else f"{plan['type']} {plan['key']}"

    @contextlib.contextmanager
    def _cursor(self) -> Iterator[Cursor]:
        try:
            if self._connection is None:
                self._connection = self._connect()
            with self._connection.cursor() as cursor:
                yield cursor
        except pymysql.Error as error:
            self.close()  # it may be broken; the next question gets a new one
            raise RunError(
                f"the database at {self._host}:{self._port} (MySQL's protocol): {error}",
                hint="its log says more; another server on that port would explain it too",
            ) from error

    def _connect(self) -> pymysql.Connection[Cursor]:
        return pymysql.connect(
            host=self._host,
            port=self._port,
            user="telar",
            database="movies",
            charset="utf8mb4",
            autocommit=True,
            connect_timeout=5,
            read_timeout=ANSWER_TIMEOUT,
            write_timeout=ANSWER_TIMEOUT,
            ssl_disabled=True,
        )


def product_of(version: str, comment: str) -> Product:
    """MariaDB and MySQL tell themselves apart in `@@version` and `@@version_comment` only."""
    name = "MariaDB" if "mariadb" in f"{version} {comment}".lower() else "MySQL"
    numbers = re.match(r"[\d.]+", version)
    return Product(name=name, version=numbers.group() if numbers else version)

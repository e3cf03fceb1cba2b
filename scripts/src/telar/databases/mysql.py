"""MySQL's protocol: MySQL and MariaDB."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from typing import Any

import pymysql
from pymysql.constants import CLIENT
from pymysql.cursors import Cursor

from telar.catalog.system import Data, MySqlFile
from telar.databases import rows, types
from telar.databases.client import ANSWER_TIMEOUT, Product, digest, wait_for_answer
from telar.errors import RunError

SCRIPT_TIMEOUT = 300  # seconds for a statement of a guest's script
MOST_BYTES = (
    64 * 1024**2
)  # of a statement or script: what MySQL and MariaDB take at most by default is 64 and 16

DESCRIBED = (
    "SELECT table_name, column_name, ordinal_position, column_type, is_nullable, collation_name "
    "FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position",
    "SELECT table_name, index_name, seq_in_index, column_name, non_unique, sub_part "
    "FROM information_schema.statistics WHERE table_schema = DATABASE() "
    "ORDER BY table_name, index_name, seq_in_index",
)

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

    def __init__(self, host: str, port: int, data: Data | None = None) -> None:
        self._host, self._port, self._data = host, port, data
        self._connection: pymysql.Connection[Cursor] | None = None

    def wait_ready(self, timeout: float = 60) -> None:
        wait_for_answer(self._host, self._port, timeout, lambda: self._rows("SELECT 1"))

    def create_schema(self) -> None:
        data, own = self._known()
        self._rows((data.folder / own.schema).read_text(encoding="utf-8"))

    def seed(self) -> None:
        data, own = self._known()
        seeded = rows.read(data)
        columns = ["id", *map(rows.column, seeded[0])]
        marks = ", ".join(["%s"] * len(columns))
        statement = f"INSERT INTO {own.table} ({', '.join(columns)}) VALUES ({marks})"  # noqa: S608
        with self._cursor() as cursor:
            cursor.executemany(statement, [(n, *row.values()) for n, row in enumerate(seeded, start=1)])

    def carry_out(self, script: str) -> None:
        with self._errors():
            connection = self._connect(SCRIPT_TIMEOUT, CLIENT.MULTI_STATEMENTS)
            with connection, connection.cursor() as cursor:
                cursor.execute(script)
                while cursor.nextset():  # a later statement's error comes with its result
                    pass

    def rows(self) -> int:
        tables = self._rows(
            "SELECT table_name FROM information_schema.tables "
            "WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'"
        )
        quoted = ("`" + str(name).replace("`", "``") + "`" for (name,) in tables)
        return sum(int(self._rows(f"SELECT COUNT(*) FROM {name}")[0][0]) for name in quoted)  # noqa: S608

    def count(self) -> int:
        _, own = self._known()
        return int(self._rows(f"SELECT COUNT(*) FROM {own.table}")[0][0])  # noqa: S608 - an Identifier

    def delete_created(self) -> int:
        data, own = self._known()
        with self._cursor() as cursor:
            return cursor.execute(f"DELETE FROM {own.table} WHERE id > %s", (data.file.rows,))  # noqa: S608

    def product(self) -> Product:
        version, comment = self._rows("SELECT @@version, @@version_comment")[0]
        return product_of(version, comment)

    def settings(self) -> dict[str, str]:
        rows = self._rows("SHOW GLOBAL VARIABLES")
        return {name: value for name, value in rows if name in REPORTED}

    def statements(self) -> dict[str, int]:
        # The handler counts rows read, by each way of finding them: another index shows there.
        rows = self._rows(
            "SHOW GLOBAL STATUS WHERE Variable_name LIKE 'Com\\_%' "
            "OR Variable_name LIKE 'Handler\\_read\\_%' OR Variable_name IN ('Bytes_received', 'Bytes_sent')"
        )
        return {name: int(value) for name, value in rows if value != "0"}

    def schema_digest(self) -> str:
        return digest([self._rows(question) for question in DESCRIBED])

    def plans(self) -> dict[str, str]:
        _, own = self._known()
        return {name: self._path(query) for name, query in own.queries.items()}

    def close(self) -> None:
        if self._connection is not None and self._connection.open:
            self._connection.close()
        self._connection = None

    def _known(self) -> tuple[Data, MySqlFile]:
        """The system's data, and what is MySQL's of it."""
        if self._data is None or self._data.file.mysql is None:
            raise RunError(
                "Telar knows no rows of this system in MySQL's protocol",
                hint="[data.mysql] of its system.toml names schema and table",
            )
        return self._data, self._data.file.mysql

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
        with self._errors():
            if self._connection is None:
                self._connection = self._connect(ANSWER_TIMEOUT)
            with self._connection.cursor() as cursor:
                yield cursor

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        """Raises RunError in the place of the driver's error."""
        try:
            yield
        except pymysql.Error as error:
            self.close()  # it may be broken; the next question gets a new one
            raise RunError(
                f"the database at {self._host}:{self._port} (MySQL's protocol): {error}",
                hint="its log says more; another server on that port would explain it too",
            ) from error

    def _connect(self, timeout: int, flags: int = 0) -> pymysql.Connection[Cursor]:
        return pymysql.connect(
            host=self._host,
            port=self._port,
            user="telar",
            database=types.DATABASE,
            charset="utf8mb4",
            autocommit=True,
            connect_timeout=5,
            read_timeout=timeout,
            write_timeout=timeout,
            max_allowed_packet=MOST_BYTES,
            client_flag=flags,
            ssl_disabled=True,
        )


def product_of(version: str, comment: str) -> Product:
    """MariaDB and MySQL tell themselves apart in `@@version` and `@@version_comment` only."""
    name = "MariaDB" if "mariadb" in f"{version} {comment}".lower() else "MySQL"
    numbers = re.match(r"[\d.]+", version)
    return Product(name=name, version=numbers.group() if numbers else version)

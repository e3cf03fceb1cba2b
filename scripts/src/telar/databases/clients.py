"""The client of a database, by its protocol."""

from __future__ import annotations

from telar.catalog.system import Data
from telar.databases import types
from telar.databases.client import DatabaseClient


def client(protocol: types.Protocol, host: str, port: int, data: Data | None = None) -> DatabaseClient:
    """A client; it connects at its first use. Without `data` it must not be asked for rows."""
    # Imported here: each brings a driver that the others' users needn't load.
    if protocol == "mysql":
        from telar.databases.mysql import MySqlClient  # noqa: PLC0415

        return MySqlClient(host, port, data)
    if protocol == "postgresql":
        from telar.databases.postgresql import PostgreSqlClient  # noqa: PLC0415

        return PostgreSqlClient(host, port, data)
    from telar.databases.mongodb import MongoDbClient  # noqa: PLC0415

    return MongoDbClient(host, port, data)

"""MongoDB's protocol: MongoDB and FerretDB."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from bson import ObjectId, json_util
from pymongo import MongoClient
from pymongo.collection import Collection
from pymongo.errors import PyMongoError

from telar.catalog.system import Data, MongoDbFile
from telar.databases import rows, types
from telar.databases.client import ANSWER_TIMEOUT, Product, digest, wait_for_answer
from telar.errors import RunError

Document = dict[str, Any]

# What stores the data: MongoDB's engine, or what FerretDB 2 stands in front of.
BACKEND = ("storageEngine.name", "ferretdb.postgresql", "ferretdb.documentdb")


class MongoDbClient:
    """See DatabaseClient."""

    def __init__(self, host: str, port: int, data: Data | None = None) -> None:
        self._host, self._port, self._data = host, port, data
        self._client: MongoClient[Document] | None = None

    def wait_ready(self, timeout: float = 60) -> None:
        wait_for_answer(self._host, self._port, timeout, lambda: self._command("ping"))

    def create_schema(self) -> None:
        """Nothing to do: a collection has no columns, and is there with its first document."""

    def carry_out(self, script: str) -> None:  # noqa: ARG002
        raise RunError("MongoDB's protocol takes no SQL", hint="the service itself puts its documents there")

    def rows(self) -> int:
        with self._errors() as client:
            return sum(collection.count_documents({}) for collection in self._collections(client))

    def seed(self) -> None:
        data, own = self._known()
        seeded = enumerate(rows.read(data), start=1)
        with self._errors() as client:
            documents = [{"_id": _id(own, number), **row} for number, row in seeded]
            client[types.DATABASE][own.collection].insert_many(documents)

    def count(self) -> int:
        _, own = self._known()
        with self._errors() as client:
            return client[types.DATABASE][own.collection].count_documents({})

    def delete_created(self) -> int:
        data, own = self._known()
        outside = [{"_id": {"$lt": _id(own, 1)}}, {"_id": {"$gt": _id(own, data.file.rows)}}]
        with self._errors() as client:
            return client[types.DATABASE][own.collection].delete_many({"$or": outside}).deleted_count

    def product(self) -> Product:
        return product_of(self._command("buildInfo"))

    def settings(self) -> dict[str, str]:
        status = flatten(self._command("serverStatus"))
        options = flatten(self._command("getCmdLineOpts").get("parsed", {}))
        return {**options, **{name: status[name] for name in BACKEND if name in status}}

    def statements(self) -> dict[str, int]:
        return statements_of(self._command("serverStatus"))

    def schema_digest(self) -> str:
        with self._errors() as client:
            return digest(
                [
                    (
                        collection.full_name,
                        sorted((n, i["key"]) for n, i in collection.index_information().items()),
                    )
                    for collection in self._collections(client)
                ]
            )

    @staticmethod
    def _collections(client: MongoClient[Document]) -> list[Collection[Document]]:
        """Those that aren't the server's own."""
        own = [client[n] for n in client.list_database_names() if n not in ("admin", "config", "local")]
        return [database[name] for database in own for name in sorted(database.list_collection_names())]

    def plans(self) -> dict[str, str]:
        _, own = self._known()
        hot = {
            name: json_util.loads(msgspec.json.encode(query).decode()) for name, query in own.queries.items()
        }
        return {name: self._path(own.collection, query) for name, query in hot.items()}

    def close(self) -> None:
        if self._client is not None:
            self._client.close()
        self._client = None

    def _command(self, name: str) -> Document:
        with self._errors() as client:
            return client.admin.command(name)

    def _known(self) -> tuple[Data, MongoDbFile]:
        """The system's data, and what is MongoDB's of it."""
        if self._data is None or self._data.file.mongodb is None:
            raise RunError(
                "Telar knows no rows of this system in MongoDB's protocol",
                hint="[data.mongodb] of its system.toml names the collection",
            )
        return self._data, self._data.file.mongodb

    def _path(self, collection: str, query: Document) -> str:
        with self._errors() as client:
            command = {"explain": {"find": collection, **query}, "verbosity": "queryPlanner"}
            return path_of(client[types.DATABASE].command(command))

    @contextlib.contextmanager
    def _errors(self) -> Iterator[MongoClient[Document]]:
        try:
            if self._client is None:
                self._client = self._connect()
            yield self._client
        except PyMongoError as error:
            raise RunError(
                f"the database at {self._host}:{self._port} (MongoDB's protocol): {error}",
                hint="its log says more; another server on that port would explain it too",
            ) from error

    def _connect(self) -> MongoClient[Document]:
        return MongoClient(
            self._host,
            self._port,
            directConnection=True,
            retryWrites=False,
            serverSelectionTimeoutMS=ANSWER_TIMEOUT * 1000,
            connectTimeoutMS=ANSWER_TIMEOUT * 1000,
            socketTimeoutMS=ANSWER_TIMEOUT * 1000,
            retryReads=False,  # a second try would take as long again
        )


def _id(own: MongoDbFile, number: int) -> ObjectId:
    """Of the n-th row."""
    return ObjectId(own.ids.format(number))


def product_of(build_info: Mapping[str, Any]) -> Product:
    """FerretDB gives MongoDB's version as its own, and its true one beside it."""
    described = build_info.get("ferretdb")  # FerretDB 2
    ferretdb = build_info.get("ferretdbVersion") or (described and described.get("version"))
    if ferretdb:
        return Product(name="FerretDB", version=str(ferretdb).removeprefix("v"))
    return Product(name="MongoDB", version=str(build_info["version"]))


def statements_of(server_status: Mapping[str, Any]) -> dict[str, int]:
    """Commands carried out. (`opcounters` would leave out findAndModify, and FerretDB has none.)"""
    commands = server_status.get("metrics", {}).get("commands", {})
    totals = {
        name: int(counts["total"])
        for name, counts in commands.items()
        if isinstance(counts, Mapping) and "total" in counts
    }
    network = server_status.get("network", {})
    found = {"bytesIn": "Bytes_received", "bytesOut": "Bytes_sent"}
    totals |= {ours: int(network[theirs]) for theirs, ours in found.items() if theirs in network}
    return {name: total for name, total in sorted(totals.items()) if total}


def path_of(explained: Mapping[str, Any]) -> str:
    """The stages of the winning plan, outermost first; "scan" when one of them reads the whole collection.

    FerretDB has no stages. 1 says what it hands down to its backend, and reads everything otherwise; 2 hands
    on PostgreSQL's plan.
    """
    if "filterPushdown" in explained:  # the plan beside it is its backend's own
        fine = explained["filterPushdown"] or explained.get("sortPushdown")
        return "handed down" if fine else "scan"
    postgresql = explained.get("queryPlanner", explained).get("Plan")
    if postgresql:
        return _postgresql_path(postgresql)
    stages = list(_stages(explained.get("queryPlanner", {}).get("winningPlan", {})))
    return "scan" if "COLLSCAN" in stages else " ".join(stages) or "not told"


def _postgresql_path(plan: Mapping[str, Any]) -> str:
    """A document by its key, or documents in the index' order; else all are read, and maybe sorted."""
    nodes = list(_nodes(plan))
    kinds = [str(node.get("Node Type")) for node in nodes]
    by_key = any("object_id" in str(node.get("Index Cond", "")) for node in nodes)
    in_order = kinds[-1].startswith("Index") and "Sort" not in kinds
    return f"{kinds[-1]} {nodes[-1].get('Index Name', '')}".strip() if by_key or in_order else "scan"


def _nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Outermost first."""
    yield plan
    for inner in plan.get("Plans", ()):
        yield from _nodes(inner)


def _stages(plan: Mapping[str, Any]) -> Iterator[str]:
    if "stage" in plan:
        yield str(plan["stage"])
    for inner in (plan.get("inputStage"), *plan.get("inputStages", ())):
        if inner:
            yield from _stages(inner)


def flatten(document: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Nested documents as dotted names: {"net": {"port": 1}} is {"net.port": "1"}."""
    flat: dict[str, str] = {}
    for name, value in document.items():
        if isinstance(value, Mapping):
            flat |= flatten(value, f"{prefix}{name}.")
        else:
            flat[prefix + name] = str(value)
    return flat

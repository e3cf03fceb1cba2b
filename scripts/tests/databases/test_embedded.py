"""The embedded servers: their command lines, and, marked `embedded`, the servers themselves."""

from __future__ import annotations

import os
import pwd
import time
from collections.abc import Iterator
from pathlib import Path

import pg8000.native
import psutil
import pymongo
import pymysql
import pytest

from telar.catalog.system import Data
from telar.databases import embedded, template, types
from telar.databases.clients import client
from telar.databases.postgresql import PostgreSqlClient, path_of
from telar.errors import RunError
from telar.tools import components, ports, shell
from telar.tools.components import Component

PORTS = {"mysql": 23310, "mongodb": 27120, "postgresql": 23320}


def component(name: str, path: str = "/opt/thing/bin/server") -> Component:
    return Component(name=name, version="1.0", path=Path(path), origin="cache")


def test_ferretdb_gets_its_pragmas_in_the_uri_of_its_data(databases: Path) -> None:
    server = embedded.FerretDb(types.load(databases / "mongodb"), component("ferretdb"))
    assert server.command(Path("/data/a b"), 27120) == [
        "/opt/thing/bin/server",
        "-listen=127.0.0.1:27120",
        "-sqlite=file:/data/a%20b/?_pragma=journal_mode(wal)&_pragma=synchronous(normal)"
        "&_pragma=busy_timeout(10000)&_pragma=auto_vacuum(none)",
    ]


def test_mariadb_listens_on_loopback_and_ignores_the_machines_options(databases: Path) -> None:
    server = embedded.MariaDb(types.load(databases / "mysql"), component("mariadb"))
    command = server.command(Path("/data"), 23310)
    assert command[:4] == [
        "/opt/thing/bin/server",
        "--no-defaults",
        "--datadir=/data",
        "--basedir=/opt/thing",
    ]
    assert {"--bind-address=127.0.0.1", "--port=23310", "--ssl=OFF"} < set(command)


def test_mongod_is_taken_before_ferretdb_where_it_is_installed(
    monkeypatch: pytest.MonkeyPatch, databases: Path
) -> None:
    here = {"mongod": component("mongod"), "ferretdb": component("ferretdb")}
    monkeypatch.setattr(components, "find", here.get)
    server = embedded.server(types.load(databases / "mongodb"), lambda _: None)
    assert server.component.name == "mongod"
    assert "--bind_ip=127.0.0.1" in server.command(Path("/data"), 27120)


def test_postgresql_listens_on_loopback_alone_and_is_never_root(databases: Path) -> None:
    server = embedded.PostgreSql(types.load(databases / "postgresql"), component("postgresql"))
    command = server.command(Path("/data"), 23320)
    assert {"--listen_addresses=127.0.0.1", "--unix_socket_directories=", "--port=23320"} < set(command)
    nobody = f"--reuid={pwd.getpwnam('nobody').pw_uid}"
    assert (nobody in command) == (os.geteuid() == 0)


def test_what_is_missing_is_set_up(monkeypatch: pytest.MonkeyPatch, databases: Path) -> None:
    monkeypatch.setattr(components, "find", lambda _: None)
    monkeypatch.setattr(components, "ensure", lambda name, say: component(name))
    server = embedded.server(types.load(databases / "mongodb"), lambda _: None)
    assert server.component.name == "ferretdb"


@pytest.mark.embedded
@pytest.mark.parametrize("name", ["mysql", "mongodb", "postgresql"])
def test_a_run_starts_from_a_copy_of_a_seeded_template_and_leaves_nothing_running(
    name: str, databases: Path, movies: Data, tmp_path: Path
) -> None:
    database, port = types.load(databases / name), PORTS[name]
    ports.require_free(port, name)
    server = embedded.server(database, print)
    started: list[shell.Process] = []

    def start(data: Path) -> shell.Process:
        started.append(embedded.start(server, data, port, log=tmp_path / "server.log"))
        return started[-1]

    made = template.make(
        template.Template(
            database=name,
            system="movies",
            content=movies,
            identity={"server": server.component.version},
            initialise=server.initialise,
            start=start,
            client=lambda: client(database.file.protocol, "127.0.0.1", port, movies),
        ),
        tmp_path,
    )
    described = set()
    for _ in range(2):  # the second one doesn't see what the first one wrote
        data = tmp_path / f"run-{time.monotonic_ns()}"
        template.copy(made, data)
        process = start(data)
        asked = client(database.file.protocol, "127.0.0.1", port, movies)
        asked.wait_ready(30)

        assert asked.count() == movies.file.rows
        described.add(asked.schema_digest())
        ADD_ONE[name](port)
        assert asked.count() == movies.file.rows + 1
        assert asked.delete_created() == 1
        assert asked.delete_created() == 0
        assert asked.count() == movies.file.rows

        assert described == {asked.schema_digest()}  # rows don't move it
        if name != "mongodb":
            asked.carry_out("CREATE INDEX another ON movie (title)")
            assert described != {asked.schema_digest()}

        product = asked.product()
        assert product.name in {"MariaDB", "FerretDB", "MongoDB", "PostgreSQL"}
        assert product.version == server.component.version
        assert sum(count for kind, count in asked.statements().items() if "insert" in kind) == 1
        asked.close()
        assert process.stop() == 0, process.tail()
        with pytest.raises(RunError):
            asked.wait_ready(0.1)

    assert ports.is_free(port)
    assert not [p for p in started if psutil.pid_exists(p.pid)]


SCRIPT = """
CREATE TABLE item (id INT PRIMARY KEY, text VARCHAR(80));
-- a comment; with a semicolon
INSERT INTO item VALUES (1, 'one; two'), (2, '100 %');
CREATE TABLE visit (id INT PRIMARY KEY);
INSERT INTO visit VALUES (1);
"""


@pytest.mark.embedded
@pytest.mark.parametrize("name", ["mysql", "postgresql"])
def test_a_guests_script_is_carried_out_to_its_end_or_its_first_error(
    name: str, databases: Path, tmp_path: Path
) -> None:
    database, port, data = types.load(databases / name), PORTS[name], tmp_path / "data"
    server = embedded.server(database, print)
    data.mkdir()
    server.initialise(data)
    with embedded.start(server, data, port, log=tmp_path / "server.log"):
        asked = client(database.file.protocol, "127.0.0.1", port)
        asked.wait_ready(30)
        before = asked.rows()
        asked.carry_out(SCRIPT)
        assert asked.rows() == before + 3
        asked.carry_out("DELETE FROM item WHERE id > 1; DELETE FROM visit;")
        assert asked.rows() == before + 1
        with pytest.raises(RunError, match="nothing_there"):  # not the first statement: it fails all the same
            asked.carry_out("DELETE FROM item; DELETE FROM nothing_there; DELETE FROM visit")
        asked.close()


def connected(port: int) -> pg8000.native.Connection:
    """An app's connection to PostgreSQL."""
    return pg8000.native.Connection(
        "telar", host="127.0.0.1", port=port, database=types.DATABASE, ssl_context=False
    )


@pytest.fixture
def served(databases: Path, movies: Data, tmp_path: Path) -> Iterator[PostgreSqlClient]:
    """A PostgreSQL with the movies."""
    server, port = embedded.server(types.load(databases / "postgresql"), print), PORTS["postgresql"]
    data = tmp_path / "data"
    data.mkdir()
    server.initialise(data)
    with embedded.start(server, data, port, log=tmp_path / "server.log"):
        asked = PostgreSqlClient("127.0.0.1", port, movies)
        asked.wait_ready(30)
        asked.create_schema()
        asked.seed()
        yield asked
        asked.close()


@pytest.mark.embedded
def test_postgresql_is_set_as_database_toml_says(databases: Path, served: PostgreSqlClient) -> None:
    database = types.load(databases / "postgresql")
    reported = served.settings()
    assert {name: reported[name] for name in database.settings("postgresql")} == database.settings(
        "postgresql"
    )
    assert reported["server_encoding"] == "UTF8"


@pytest.mark.embedded
def test_postgresql_counts_an_apps_statements_and_rows_and_none_of_telars(served: PostgreSqlClient) -> None:
    served.count()
    before = served.statements()
    served.count()
    served.delete_created()
    served.plans()
    assert served.statements().keys() == before.keys()
    app = connected(PORTS["postgresql"])
    before = served.statements()
    for number in range(1, 8):
        app.run("SELECT title FROM movie WHERE id = :id", id=number)
    app.run("SELECT title FROM movie WHERE title = 'lost index'")
    app.run("START TRANSACTION")
    app.run("INSERT INTO movie (title) VALUES ('new')")
    app.run("COMMIT")
    after = served.statements()  # all of it, though the app stays connected
    app.close()
    grown = {kind: after[kind] - before.get(kind, 0) for kind in after if after[kind] != before.get(kind)}
    single = [grown.pop(kind) for kind in list(grown) if kind.startswith("Query_")]
    assert sorted(single) == [1, 1, 1, 1, 7]  # each statement by itself, too
    assert grown == {
        "select": 8,
        "start": 1,
        "insert": 1,
        "commit": 1,
        "seq_tup_read": 999,
        "idx_tup_fetch": 7,
    }


@pytest.mark.embedded
def test_postgresql_says_which_hot_query_goes_through_the_whole_table(
    movies: Data, served: PostgreSqlClient
) -> None:
    assert served.plans() == {"one": "Index Scan movie_pkey", "page": "Index Scan movie_pkey"}
    app = connected(PORTS["postgresql"])
    app.run("ALTER TABLE movie DROP CONSTRAINT movie_pkey")
    app.close()
    assert served.plans() == {"one": "scan", "page": "scan"}


@pytest.mark.embedded
def test_postgresql_reads_deep_pages_by_the_index_after_a_warm_up_too(served: PostgreSqlClient) -> None:
    app = connected(PORTS["postgresql"])
    app.run("INSERT INTO movie (title) SELECT title FROM movie, generate_series(1, 6)")
    served.delete_created()
    ((plan,),) = app.run("EXPLAIN (FORMAT JSON) SELECT * FROM movie ORDER BY id LIMIT 20 OFFSET 960")
    app.close()
    assert path_of(plan) == "Index Scan movie_pkey"


@pytest.mark.embedded
def test_postgresql_ends_at_once_while_an_app_is_connected(databases: Path, tmp_path: Path) -> None:
    server, port = embedded.server(types.load(databases / "postgresql"), print), PORTS["postgresql"]
    data = tmp_path / "data"
    data.mkdir()
    server.initialise(data)
    process = embedded.start(server, data, port, log=tmp_path / "server.log")
    asked = client("postgresql", "127.0.0.1", port)
    asked.wait_ready(30)
    children = psutil.Process(process.pid).children(recursive=True)
    assert children
    started = time.monotonic()
    assert process.stop() == 0, process.tail()
    assert time.monotonic() - started < 5
    assert not [child for child in children if child.is_running()]
    asked.close()


@pytest.mark.embedded
def test_mariadb_is_set_as_database_toml_says(databases: Path, tmp_path: Path) -> None:
    database, port = types.load(databases / "mysql"), PORTS["mysql"]
    server = embedded.server(database, print)
    data = tmp_path / "data"
    data.mkdir()
    server.initialise(data)
    with embedded.start(server, data, port, log=tmp_path / "server.log"):
        asked = client("mysql", "127.0.0.1", port)
        asked.wait_ready(30)
        reported = asked.settings()
        asked.close()
    for name, value in database.settings("mariadb").items():
        mebibytes = str(int(value[:-1]) << 20) if value[:-1].isdigit() else value
        known = reported.get(name.replace("-", "_"))
        assert known in {None, value, mebibytes}, name
    assert (reported["log_bin"], reported["have_ssl"]) == ("OFF", "DISABLED")


def _add_to_mysql(port: int) -> None:
    """A movie as an app would add it; the last film of the seed is read back on the way."""
    with (
        pymysql.connect(
            host="127.0.0.1", port=port, user="telar", database=types.DATABASE, ssl_disabled=True
        ) as connection,
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT id, title, gross, votes FROM movie ORDER BY id DESC LIMIT 1")
        assert cursor.fetchone() == (999, "Müller № 999 映画 🎬", 3_000_000_999, None)
        cursor.execute("INSERT INTO movie (title) VALUES ('new')")
        assert cursor.lastrowid == 1000
        connection.commit()


def _add_to_mongodb(port: int) -> None:
    with pymongo.MongoClient[dict[str, object]](
        "127.0.0.1", port, directConnection=True, retryWrites=False
    ) as connection:
        movies = connection[types.DATABASE].movies
        last = movies.find_one(sort=[("_id", -1)])
        assert last is not None
        assert str(last["_id"]) == "6500000000000000000003e7"
        assert list(last)[:3] == ["_id", "title", "releasedYear"]
        assert (last["title"], last["gross"], last["votes"]) == (
            "Müller № 999 映画 🎬",
            3_000_000_999,
            None,
        )
        movies.insert_one({"title": "new"})


def _add_to_postgresql(port: int) -> None:
    connection = connected(port)
    try:
        last = connection.run("SELECT id, title, gross, votes FROM movie ORDER BY id DESC LIMIT 1")
        assert last == [[999, "Müller № 999 映画 🎬", 3_000_000_999, None]]
        assert connection.run("INSERT INTO movie (title) VALUES ('new') RETURNING id") == [[1000]]
    finally:
        connection.close()


ADD_ONE = {"mysql": _add_to_mysql, "mongodb": _add_to_mongodb, "postgresql": _add_to_postgresql}

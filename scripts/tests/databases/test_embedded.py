"""The embedded servers: their command lines, and, marked `embedded`, the servers themselves."""

from __future__ import annotations

import time
from pathlib import Path

import psutil
import pymongo
import pymysql
import pytest

from telar.catalog.system import Data
from telar.databases import embedded, template, types
from telar.databases.clients import client
from telar.errors import RunError
from telar.tools import components, ports, shell
from telar.tools.components import Component

PORTS = {"mysql": 23310, "mongodb": 27120}


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


def test_what_is_missing_is_set_up(monkeypatch: pytest.MonkeyPatch, databases: Path) -> None:
    monkeypatch.setattr(components, "find", lambda _: None)
    monkeypatch.setattr(components, "ensure", lambda name, say: component(name))
    server = embedded.server(types.load(databases / "mongodb"), lambda _: None)
    assert server.component.name == "ferretdb"


@pytest.mark.embedded
@pytest.mark.parametrize("name", ["mysql", "mongodb"])
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
            data=movies,
            identity={"server": server.component.version},
            initialise=server.initialise,
            start=start,
            client=lambda: client(database.file.protocol, "127.0.0.1", port, movies),
        ),
        tmp_path,
    )
    for _ in range(2):  # the second one doesn't see what the first one wrote
        data = tmp_path / f"run-{time.monotonic_ns()}"
        template.copy(made, data)
        process = start(data)
        asked = client(database.file.protocol, "127.0.0.1", port, movies)
        asked.wait_ready(30)

        assert asked.count() == movies.file.rows
        ADD_ONE[name](port)
        assert asked.count() == movies.file.rows + 1
        assert asked.delete_created() == 1
        assert asked.delete_created() == 0
        assert asked.count() == movies.file.rows

        product = asked.product()
        assert product.name in {"MariaDB", "FerretDB", "MongoDB"}
        assert product.version == server.component.version
        assert sum(count for kind, count in asked.statements().items() if "insert" in kind) == 1
        asked.close()
        assert process.stop() == 0, process.tail()
        with pytest.raises(RunError):
            asked.wait_ready(0.1)

    assert ports.is_free(port)
    assert not [p for p in started if psutil.pid_exists(p.pid)]


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


ADD_ONE = {"mysql": _add_to_mysql, "mongodb": _add_to_mongodb}

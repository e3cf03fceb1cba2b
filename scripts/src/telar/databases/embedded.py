"""The databases as plain processes on this machine: how a data directory is made and served."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlencode

from telar.databases.types import Database
from telar.errors import MissingToolError
from telar.tools import components, shell
from telar.tools.components import Component


class Server(Protocol):
    """One way to serve a database: user `telar` without a password, database `telar`."""

    @property
    def component(self) -> Component:
        """What serves it."""

    def initialise(self, data: Path) -> None:
        """Makes a data directory of the empty directory `data`."""

    def command(self, data: Path, port: int) -> list[str]:
        """The command that serves `data` on 127.0.0.1:`port` in the foreground."""


def server(database: Database, say: Callable[[str], None]) -> Server:
    """What serves a database: the first of its components that's there, else the last, set up."""
    names = database.file.embedded
    found = next(filter(None, map(components.find, names)), None)
    component = found or components.ensure(names[-1], say)
    return _SERVERS[component.name](database, component)


def start(what: Server, data: Path, port: int, *, log: Path, cpuset: str | None = None) -> shell.Process:
    """Serves `data`; ready when a client's `wait_ready` says so."""
    return shell.spawn(what.command(data, port), log=log, cpuset=cpuset)


@dataclass(frozen=True)
class MariaDb:
    database: Database
    component: Component

    def initialise(self, data: Path) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            first = Path(scratch) / "first.sql"
            # Rights can be given only once their tables, which this very call makes, are read.
            given = (self.database.folder / "first.sql").read_text(encoding="utf-8")
            first.write_text(f"FLUSH PRIVILEGES;\n{given}", encoding="utf-8")
            accounts = ["--auth-root-authentication-method=normal", "--skip-test-db"]
            options = [*self._options(data), *accounts, f"--extra-file={first}"]
            shell.run(["sh", self._installer(), *options], timeout=300)

    def command(self, data: Path, port: int) -> list[str]:
        return [
            str(self.component.path),
            *self._options(data),
            f"--port={port}",
            "--bind-address=127.0.0.1",
            # Relative to the data directory: the path of a socket must be short.
            "--socket=mariadb.sock",
            "--pid-file=mariadb.pid",
        ]

    def _options(self, data: Path) -> list[str]:
        unpacked = self.component.origin == "cache"
        return [
            "--no-defaults",  # nothing of the machine's /etc/mysql
            f"--datadir={data}",
            *([f"--basedir={self._home()}"] if unpacked else []),
            *(["--user=root"] if os.geteuid() == 0 else []),  # it refuses to be root unasked
            *self.database.options("mariadb"),
        ]

    def _installer(self) -> Path:
        if self.component.origin == "cache":
            return self._home() / "scripts" / "mariadb-install-db"
        installer = shell.which("mariadb-install-db")
        if installer is None:
            raise MissingToolError(
                f"{self.component.path} has no mariadb-install-db beside it on PATH",
                hint="install the whole of mariadb-server",
            )
        return installer

    def _home(self) -> Path:
        return self.component.path.parents[1]


@dataclass(frozen=True)
class FerretDb:
    database: Database
    component: Component

    def initialise(self, data: Path) -> None:
        """Nothing to do: each database is a file of its own, made with its first collection."""

    def command(self, data: Path, port: int) -> list[str]:
        pragmas = self.database.settings("ferretdb").items()
        query = urlencode([("_pragma", f"{name}({value})") for name, value in pragmas], safe="()")
        uri = f"file:{quote(str(data))}/?{query}"
        return [str(self.component.path), f"-listen=127.0.0.1:{port}", f"-sqlite={uri}"]


@dataclass(frozen=True)
class Mongod:
    database: Database
    component: Component

    def initialise(self, data: Path) -> None:
        """Nothing to do: mongod fills an empty directory at its first start."""

    def command(self, data: Path, port: int) -> list[str]:
        return [
            str(self.component.path),
            f"--dbpath={data}",
            f"--port={port}",
            "--bind_ip=127.0.0.1",
            "--nounixsocket",
            "--quiet",
            *self.database.options("mongod"),
        ]


_SERVERS: dict[str, Callable[[Database, Component], Server]] = {
    "mariadb": MariaDb,
    "ferretdb": FerretDb,
    "mongod": Mongod,
}

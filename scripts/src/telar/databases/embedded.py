"""The databases as plain processes on this machine: how a data directory is made and served."""

from __future__ import annotations

import os
import pwd
import signal
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.parse import quote, urlencode

from telar.databases import types
from telar.databases.types import Database
from telar.errors import MissingToolError
from telar.tools import components, shell
from telar.tools.components import Component

NOBODY = "nobody"  # a user that every system has


class Server(Protocol):
    """One way to serve a database: user `telar` without a password, database `telar`."""

    @property
    def component(self) -> Component:
        """What serves it."""

    def initialise(self, data: Path) -> None:
        """Makes a data directory of the empty directory `data`."""

    def command(self, data: Path, port: int) -> list[str]:
        """The command that serves `data` on 127.0.0.1:`port` in the foreground."""

    @property
    def stop_signal(self) -> signal.Signals:
        """At which it ends at once, and cleanly."""


def server(database: Database, say: Callable[[str], None]) -> Server:
    """What serves a database: the first of its components that's there, else the last, set up."""
    names = database.file.embedded
    found = next(filter(None, map(components.find, names)), None)
    component = found or components.ensure(names[-1], say)
    return _SERVERS[component.name](database, component)


def start(what: Server, data: Path, port: int, *, log: Path, cpuset: str | None = None) -> shell.Process:
    """Serves `data`; ready when a client's `wait_ready` says so."""
    return shell.spawn(what.command(data, port), log=log, cpuset=cpuset, stop_signal=what.stop_signal)


@dataclass(frozen=True)
class MariaDb:
    database: Database
    component: Component
    stop_signal: signal.Signals = signal.SIGTERM

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
    stop_signal: signal.Signals = signal.SIGTERM

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
    stop_signal: signal.Signals = signal.SIGTERM

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


@dataclass(frozen=True)
class PostgreSql:
    database: Database
    component: Component
    stop_signal: signal.Signals = signal.SIGINT  # SIGTERM would wait for its clients to leave

    def initialise(self, data: Path) -> None:
        self._give(data)
        accounts = [f"--username={types.DATABASE}", "--auth=trust"]
        whose = [*_as_nobody(), str(self.component.path.parent / "initdb"), f"--pgdata={data}"]
        shell.run([*whose, *accounts, "--encoding=UTF8", "--locale=C", "--no-instructions"], timeout=300)
        with tempfile.TemporaryDirectory() as scratch:
            made = Path(scratch) / "database.sql"
            made.write_text(f"CREATE DATABASE {types.DATABASE}\n")
            self._carry_out(data, "postgres", made)
        self._carry_out(data, types.DATABASE, self.database.folder / "first.sql")

    def command(self, data: Path, port: int) -> list[str]:
        return [
            *_as_nobody(),
            str(self.component.path),
            "-D",
            str(data),
            f"--port={port}",
            "--listen_addresses=127.0.0.1",
            "--unix_socket_directories=",
            *self.database.options("postgresql"),
        ]

    def _carry_out(self, data: Path, database: str, statements: Path) -> None:
        """A statement a line, by a server that can't be reached: there may be no psql."""
        alone = [*_as_nobody(), str(self.component.path), "--single", "-D", str(data), database]
        shell.run(["sh", "-c", '"$@" <"$0"', str(statements), *alone], timeout=60)

    def _give(self, data: Path) -> None:
        if os.geteuid() == 0:
            who = pwd.getpwnam(NOBODY)
            os.chown(data, who.pw_uid, who.pw_gid)


def _as_nobody() -> list[str]:
    """PostgreSQL refuses to be root. As nobody it reaches what is root's all the same, as the others do: the
    server itself may lie in root's cache, and the data in a folder of root's.
    """
    if os.geteuid() != 0:
        return []
    nobody = pwd.getpwnam(NOBODY)
    who = [f"--reuid={nobody.pw_uid}", f"--regid={nobody.pw_gid}", "--clear-groups"]
    may = ["--inh-caps=+dac_override", "--ambient-caps=+dac_override"]
    return ["setpriv", *who, *may, "--pdeathsig=KILL"]  # a change of the user ends an earlier wish


_SERVERS: dict[str, Callable[[Database, Component], Server]] = {
    "mariadb": MariaDb,
    "ferretdb": FerretDb,
    "mongod": Mongod,
    "postgresql": PostgreSql,
}

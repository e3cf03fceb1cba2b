"""Who listens on a port of this machine."""

from __future__ import annotations

import socket
from dataclasses import dataclass

import psutil

from telar.errors import EnvironmentProblem


@dataclass(frozen=True, kw_only=True)
class Owner:
    pid: int
    command: str


def is_free(port: int) -> bool:
    """Whether a server could listen on 127.0.0.1:`port` now."""
    with socket.socket() as probe:
        # Servers set it too: the last run's connections that linger in TIME_WAIT aren't in the way.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def answers(host: str, port: int, seconds: float = 1.0) -> bool:
    """Whether somebody takes a connection there."""
    try:
        with socket.create_connection((host, port), timeout=seconds):
            return True
    except OSError:
        return False


def owner(port: int) -> Owner | None:
    """The process that listens on `port`; None where there's none or it can't be seen."""
    for connection in psutil.net_connections("tcp"):
        local_port = connection.laddr.port if connection.laddr else None
        listens = connection.status == psutil.CONN_LISTEN and local_port == port
        if listens and connection.pid is not None:
            return Owner(pid=connection.pid, command=_command(connection.pid))
    return None


def require_free(port: int, what: str) -> None:
    """Raises EnvironmentProblem, naming who is there, unless `port` is free for `what`."""
    if is_free(port):
        return
    who = owner(port)
    by = f"by process {who.pid} ({who.command})" if who else "by a process of another user"
    raise EnvironmentProblem(
        f"port {port}, which {what} needs, is taken {by}",
        hint="stop that process, or change the port where the catalogue sets it (telar.toml, database.toml)",
    )


def _command(pid: int) -> str:
    try:
        return " ".join(psutil.Process(pid).cmdline()) or psutil.Process(pid).name()
    except psutil.Error:
        return "ended meanwhile"

"""What Telar asks of any database, whatever its protocol."""

from __future__ import annotations

import hashlib
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from telar.errors import RunError

PAUSE = 0.02  # seconds between two tries
# For one answer: a server that was stopped, or hangs, answers never.
ANSWER_TIMEOUT = 15


@dataclass(frozen=True, kw_only=True)
class Product:
    """What serves a database, as the server itself says: never guessed from what was started."""

    name: str
    version: str


class DatabaseClient(Protocol):
    """A connection to the database `telar`, for Telar's own needs: never in the measured path.

    Whatever fails raises RunError with host, port and what to do. What concerns rows is only asked where
    Telar knows the system's data.
    """

    def wait_ready(self, timeout: float = 60) -> None:
        """Returns once the server answers; raises when it hasn't after `timeout` seconds."""

    def create_schema(self) -> None:
        """The tables of the system's schema, in an empty database."""

    def carry_out(self, script: str) -> None:
        """Statements of SQL, in order, with `;` between them."""

    def rows(self) -> int:
        """How many there are in all tables of the database, whatever they are."""

    def seed(self) -> None:
        """The system's rows into the empty schema."""

    def count(self) -> int:
        """How many rows there are."""

    def delete_created(self) -> int:
        """Deletes what isn't of the seed, and gives its number."""

    def product(self) -> Product:
        """What the server says it is."""

    def settings(self) -> dict[str, str]:
        """The server's settings that matter to a measurement, as it reports them."""

    def statements(self) -> dict[str, int]:
        """How many statements of each kind the server has carried out; {} if it doesn't count.

        Rows that it read, bytes and single statements are among them, by names that say so
        (analyse/counted.py).
        """

    def schema_digest(self) -> str:
        """Of all tables that aren't the server's own, their columns and indexes."""

    def plans(self) -> dict[str, str]:
        """For each hot query how the server says that it finds its rows; "scan" when through them all."""

    def close(self) -> None:
        """Ends the connection."""


def digest(described: object) -> str:
    """Of what a server says of its tables."""
    return hashlib.sha256(repr(described).encode()).hexdigest()[:16]


def wait_for_answer(host: str, port: int, timeout: float, ask: Callable[[], object]) -> None:
    """Returns once `ask` no longer raises RunError: a server listens before it lets anyone in."""
    end = time.monotonic() + timeout
    _wait_for_listener(host, port, timeout)
    while True:
        try:
            ask()
            return
        except RunError:
            if time.monotonic() > end:
                raise
            time.sleep(PAUSE)


def _wait_for_listener(host: str, port: int, timeout: float) -> None:
    """Returns once something accepts connections there: sooner than by a driver's retries."""
    end = time.monotonic() + timeout
    while True:
        try:
            socket.create_connection((host, port), timeout=1).close()
            return
        except OSError as error:
            if time.monotonic() > end:
                raise RunError(
                    f"the database at {host}:{port} doesn't answer after {timeout:g} s: {error}",
                    hint="its log says why it didn't start",
                ) from error
            time.sleep(PAUSE)

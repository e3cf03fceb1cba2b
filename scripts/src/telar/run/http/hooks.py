"""What may be put into a run from outside, each at the moment that is named so.

Faults on purpose (sabotage/) and the measuring scripts use these. `Hooks` itself is an ordinary run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from telar.databases.client import DatabaseClient
from telar.databases.template import carry_out
from telar.run.engine import AppLaunch, Service
from telar.store.record import Record, Warmup

if TYPE_CHECKING:
    from telar.run.http.stack import Stack


class Hooks:
    """Changes nothing. Who wants something else overrides one of them; an object belongs to one run."""

    def database_up(self, stack: Stack) -> None:
        """The database answers, with the rows of the seed; the app isn't started yet."""

    def launch(self, stack: Stack, launch: AppLaunch) -> AppLaunch:  # noqa: ARG002 - for those that override
        """How the app is started."""
        return launch

    def app_starting(self, stack: Stack) -> None:
        """Next, the app is started."""

    def app_up(self, stack: Stack) -> None:
        """The app has given its first answer."""

    def target(self, stack: Stack, base: str) -> str:  # noqa: ARG002
        """Where the load is sent."""
        return base

    def warm_up(self, stack: Stack, warming: Callable[[], Warmup]) -> Warmup:  # noqa: ARG002
        """`warming` warms the service up."""
        return warming()

    def reset(self, stack: Stack, client: DatabaseClient) -> int | None:
        """The window begins with the rows of the seed, whatever warmed up; how many there are."""
        if stack.data:
            client.delete_created()
        elif stack.tables and stack.tables.clean:
            carry_out(client, stack.tables.clean)
        return stack.count_rows()

    def load_starting(self, stack: Stack, name: str) -> None:
        """Next, the generators of a load are started: `warm-up`, `rehearsal` or `window`."""

    def load_started(self, stack: Stack, name: str, generator: Service) -> None:
        """They are, and run by themselves."""

    def measuring(self, stack: Stack) -> contextlib.AbstractContextManager[object]:  # noqa: ARG002
        """Lasts from before the window's load is started until it has ended."""
        return contextlib.nullcontext()

    def judged(self, record: Record) -> Record:
        """The record by which is decided whether its window is measured again."""
        return record

    def closing(self) -> None:
        """Next, everything is ended; may come more than once."""

"""A fresh, seeded database for each run: made once as a template, then only copied.

Whatever starts the server, a process or a container, gives `start` and the rest is the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from telar.catalog.system import Data, Tables
from telar.databases.client import DatabaseClient
from telar.errors import RunError
from telar.tools import shell
from telar.tools.folders import make_once

DIGEST_LENGTH = 12


class Handle(Protocol):
    """A started server."""

    def stop(self) -> object:
        """Shuts it down cleanly; returns once it's gone."""


@dataclass(frozen=True, kw_only=True)
class Template:
    """How a seeded data directory of a database comes to be."""

    database: str
    system: str
    content: Data | Tables | None  # None: left empty
    identity: Mapping[str, str]  # server product, version or image digest, options, …
    initialise: Callable[[Path], None]  # makes a data directory of an empty one
    start: Callable[[Path], Handle]  # serves a data directory
    client: Callable[[], DatabaseClient]  # a client of what `start` serves

    def digest(self) -> str:
        """Of all that its content depends on: when one of these changes, the rows are loaded again."""
        whole = hashlib.sha256(json.dumps(dict(self.identity), sort_keys=True).encode())
        for file in self.content.files() if self.content else ():
            whole.update(file.name.encode() + b"\0" + file.read_bytes())
        return whole.hexdigest()[:DIGEST_LENGTH]


def make(template: Template, work: Path) -> Path:
    """The template's data directory below `work`, made unless it's there already."""
    name = f"{template.database}-{template.system if template.content else 'empty'}"
    folder = work / "templates" / f"{name}-{template.digest()}"
    return make_once(folder, lambda data: _fill(template, data))


def copy(template: Path, destination: Path) -> None:
    """A data directory of its own; the file system shares the blocks where it can."""
    destination.mkdir(parents=True)
    shell.run(["cp", "--archive", "--reflink=auto", f"{template}/.", destination])


def _fill(template: Template, data: Path) -> None:
    try:
        template.initialise(data)
    except shell.CommandError as error:
        raise RunError(
            f"no data directory of {template.database} could be made:\n{error.message}",
            hint="its settings are in compose/databases/*/database.toml",
        ) from error
    handle = template.start(data)
    client = template.client()
    try:
        client.wait_ready()
        _write(template, client)
    finally:
        client.close()
        handle.stop()


def _write(template: Template, client: DatabaseClient) -> None:
    """Makes the content through a client of the empty database."""
    if isinstance(template.content, Tables):
        for script in template.content.scripts:
            carry_out(client, script)
    elif template.content:
        client.create_schema()
        client.seed()
        seeded, wanted = client.count(), template.content.file.rows
        if seeded != wanted:
            raise RunError(f"{template.database}: {seeded} rows after seeding, not {wanted}")


def carry_out(client: DatabaseClient, script: Path) -> None:
    """A script of a guest's. Raises RunError that names it."""
    try:
        client.carry_out(script.read_text(encoding="utf-8"))
    except (RunError, UnicodeDecodeError) as error:
        raise RunError(f"{script}: {error}", hint="[data] of variant.toml names it") from error

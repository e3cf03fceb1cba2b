"""What `compose/databases/<name>/database.toml` may hold."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from telar.catalog.files import read_toml
from telar.catalog.shapes import File, Name, Port, shape

Protocol = Literal["mysql", "mongodb", "postgresql"]
DATABASE = "telar"  # the name of every system's database, and of the user, who has no password
Variable = Annotated[str, shape(r"[A-Z][A-Z0-9_]*", "a variable's name, in capitals")]
Value = Annotated[str, shape(r"[^\x00-\x1f\x7f]*", "a line of text")]  # may be empty: an option that is unset


class ComposeFile(File, frozen=True):
    service: Name  # in the compose.yaml beside it
    image: Variable  # of compose/.env, that names its image


class DatabaseFile(File, frozen=True):
    protocol: Protocol
    port: Port
    # Components that can serve it, the last being one Telar can set up.
    embedded: Annotated[tuple[Name, ...], msgspec.Meta(min_length=1)]
    compose: ComposeFile
    settings: dict[Name, dict[Name, Value]]  # product, or "all" -> option -> value


class Database(msgspec.Struct, frozen=True, kw_only=True):
    """A folder of `compose/databases/`."""

    name: str
    folder: Path
    file: DatabaseFile

    def settings(self, product: str) -> Mapping[str, str]:
        """What a product (mysql, mariadb, mongod, ferretdb, postgresql) is set to: its own win over all's."""
        return {**self.file.settings.get("all", {}), **self.file.settings.get(product, {})}

    def options(self, product: str) -> list[str]:
        """The same as arguments of its command line."""
        return [f"--{name}={value}" for name, value in self.settings(product).items()]


def load(folder: Path) -> Database:
    """The database that lies in `folder`."""
    file = read_toml(folder / "database.toml", DatabaseFile)
    return Database(name=folder.name, folder=folder, file=file)

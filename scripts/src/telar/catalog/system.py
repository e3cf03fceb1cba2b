"""What a system says of itself in `apps/<system>/system.toml`: what all of its apps do alike."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from telar.catalog.budget import BudgetFile
from telar.catalog.files import nearest, read_toml
from telar.catalog.rules import OwnRulesFile
from telar.catalog.shapes import Below, File, Name, PositiveInt, Text, UrlPath, shape
from telar.catalog.suite import SuiteFile
from telar.errors import ConfigError

# What a run of its apps is: requests to a service, a fork of a benchmark, a program that ends by itself.
Kind: TypeAlias = Literal["http", "jmh", "task"]

# A table's or a column's name: it goes into statements as it is.
Identifier = Annotated[str, shape(r"[A-Za-z_][A-Za-z0-9_]*", "a name of letters, digits and _")]
Status = Annotated[int, msgspec.Meta(ge=100, le=599)]
# The n-th row's ObjectId: its number as the last 16 of 24 hexadecimal digits.
ObjectIds = Annotated[str, shape(r"[0-9a-f]{8}\{:016x\}", "eight hexadecimal digits and {:016x}")]


class MySqlFile(File, frozen=True):
    schema: Below  # statements that make the tables, beside system.toml
    table: Identifier  # of the rows, with their number in `id`
    queries: dict[Name, Text]  # the hot ones


class PostgreSqlFile(File, frozen=True):
    schema: Below  # statements that make the tables, beside system.toml
    table: Identifier  # of the rows, with their number in `id`
    queries: dict[Name, Text]  # the hot ones


class TablesFile(File, frozen=True):
    """Of a service that Telar knows no table of: what its database holds when it starts."""

    sql: tuple[Below, ...]  # scripts beside variant.toml, carried out in order in the empty database
    clean: Below | None = None  # carried out before each window: gives back the rows of the start


class FindFile(File, frozen=True, omit_defaults=True):
    """What MongoDB's `find` takes, in extended JSON."""

    filter: dict[str, Any] = msgspec.field(default_factory=dict)
    sort: dict[str, Any] = msgspec.field(default_factory=dict)
    skip: dict[str, Any] | int = 0
    limit: dict[str, Any] | int = 0


class MongoDbFile(File, frozen=True):
    collection: Identifier
    ids: ObjectIds  # the n-th row's `_id`
    queries: dict[Name, FindFile]  # the hot ones


class DataFile(File, frozen=True):
    seed: Below  # JSON lines, beside system.toml
    rows: PositiveInt
    adds: tuple[Name, ...] = ()  # endpoints of the load, each request of which adds a row
    removes: tuple[Name, ...] = ()
    mysql: MySqlFile | None = None
    mongodb: MongoDbFile | None = None
    postgresql: PostgreSqlFile | None = None


class CheckFile(File, frozen=True):
    """A request of the first look, and what must come of it.

    A reference `PATH#POINTER` is a place (RFC 6901) in the answer that an earlier check's path gave.
    """

    path: UrlPath  # `{reference}` in it is replaced by the text at that place
    status: Status = 200
    type: Text = "application/json"
    items: Annotated[int, msgspec.Meta(ge=0, le=100_000)] | None = None  # of the array that is answered
    fields: tuple[Text, ...] = ()  # of the object that is answered, in order
    equals: Text | None = None  # a reference to what is answered, too


class SystemHttpFile(File, frozen=True):
    first: UrlPath  # whose first 200 ends the start
    check: tuple[CheckFile, ...] = ()


class BesideFile(File, frozen=True):
    """A service that the system's apps call: an app without a database, of another system."""

    variant: Text


class SabotageFile(File, frozen=True):
    """What telar sabotage breaks in runs of these apps (sabotage/faults.py)."""

    variant: Text  # of the runs in which one thing is broken
    documents: Text  # the variant whose database sorts for each page
    workload: Name
    pages: dict[Name, PositiveInt]  # a mix of hardly anything else
    unknown: Text  # a script beside the workload's own, which asks for what isn't there
    lose_index: tuple[Text, ...]  # statements after which the hot queries read the whole table
    shorten: tuple[Text, ...]  # after which answers are shorter


class SystemFile(OwnRulesFile, frozen=True, kw_only=True):
    description: Text
    kind: Kind = "http"
    http: SystemHttpFile | None = None  # of that kind, and of no other
    data: DataFile | None = None  # None: its apps keep no data that Telar serves
    suite: dict[Name, SuiteFile] = msgspec.field(default_factory=dict)
    # Of the load, as people call them: create = "POST /movies".
    endpoints: dict[Name, Text] = msgspec.field(default_factory=dict)
    budget: tuple[BudgetFile, ...] = ()  # of each of its variants
    sabotage: SabotageFile | None = None
    beside: dict[Name, BesideFile] = msgspec.field(default_factory=dict)  # its port is NAME_PORT


class Data(msgspec.Struct, frozen=True, kw_only=True):
    """A system's data, with its files."""

    folder: Path
    file: DataFile

    @property
    def seed(self) -> Path:
        return self.folder / self.file.seed

    def files(self) -> list[Path]:
        """All that the content of a seeded database follows from."""
        known = [own for own in (self.file.mysql, self.file.postgresql) if own]
        schemas = [self.folder / own.schema for own in known]
        return [self.folder / "system.toml", self.seed, *schemas]


class Tables(msgspec.Struct, frozen=True, kw_only=True):
    """The scripts that make a database's content."""

    folder: Path
    file: TablesFile

    @property
    def scripts(self) -> list[Path]:
        return [self.folder / name for name in self.file.sql]

    @property
    def clean(self) -> Path | None:
        return self.folder / self.file.clean if self.file.clean else None

    def files(self) -> list[Path]:
        """All that the content of a fresh database follows from."""
        return self.scripts


class System(msgspec.Struct, frozen=True, kw_only=True):
    """Apps that do the same work: a folder of `apps/`, or somebody else's service (catalog/guest.py)."""

    name: str
    path: Path  # the file that says all this
    file: SystemFile
    tables: Tables | None = None  # in the place of `data`

    @property
    def folder(self) -> Path:
        return self.path.parent

    @property
    def data(self) -> Data | None:
        return Data(folder=self.folder, file=self.file.data) if self.file.data else None


def read_systems(apps: Path) -> dict[str, System]:
    """All systems below a folder, by name. Raises ConfigError naming file and key."""
    found = (_system(path) for path in sorted(apps.glob("*/system.toml")))
    return {system.name: system for system in found}


def _system(path: Path) -> System:
    system = System(name=path.parent.name, path=path, file=read_toml(path, SystemFile))
    if (system.file.kind == "http") != (system.file.http is not None):
        wrong = "missing in a system" if system.file.kind == "http" else "only for systems"
        raise ConfigError(f"{path}: http: {wrong} of the kind http", hint=f"kind is {system.file.kind!r}")
    for file in system.data.files() if system.data else ():
        if not file.is_file():
            raise ConfigError(f"{path}: data: there is no file {file.relative_to(path.parent)} beside it")
    data, broken = system.file.data, system.file.sabotage
    named = {"data.adds": data.adds, "data.removes": data.removes} if data else {}
    for key, names in {**named, "sabotage.pages": tuple(broken.pages) if broken else ()}.items():
        for name in names:
            if name not in system.file.endpoints:
                raise ConfigError(
                    f"{path}: {key}: there is no endpoint {name!r}", hint=nearest(name, system.file.endpoints)
                )
    return system

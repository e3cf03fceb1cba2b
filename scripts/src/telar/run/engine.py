"""What an engine is: how services are started and reached. Nothing else differs between the two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol, TypeAlias

import msgspec

from telar.catalog.types import Catalog
from telar.collect.host import Component
from telar.databases.types import Database
from telar.plan.cells import Cell
from telar.store.record import Artifact

Say = Callable[[str], None]


class Service(Protocol):
    """A started component of a run."""

    pid: int
    image: str  # its image's id; empty for a plain process

    def ended(self) -> int | None:
        """Its exit code, or None while it runs."""

    def how_ended(self) -> str:
        """What its end was, in words that follow its name: "ended with exit code 1"."""

    def stop(self) -> object:
        """Ends it and all that it started; returns once it is gone. May be repeated."""

    def log(self) -> str:
        """All that it printed."""

    def usage_of(self) -> Component:
        """Where its use of the machine is read."""


Served: TypeAlias = tuple[str, str]  # a database and the system whose apps use it


def served_for(catalog: Catalog, cells: Iterable[Cell]) -> list[Served]:
    """The databases that Telar serves for these cells, each once for each system."""
    apps = (catalog.variants[cell.label].app for cell in cells)
    return list(dict.fromkeys((app.database, app.file.system) for app in apps if app.database))


class AppLaunch(msgspec.Struct, frozen=True, kw_only=True):
    """All that an engine must know to start an app."""

    cell: Cell
    folder: Path  # the run's own folder, the same path in a container
    environment: Mapping[str, str]
    arguments: Callable[[str], list[str]]  # the start jar's path -> java's arguments
    start_jar: str
    program: Sequence[str] = ()  # the program's own arguments
    cpus: str
    memory: str


class LoadLaunch(msgspec.Struct, frozen=True, kw_only=True):
    """All that an engine must know to start k6."""

    folder: Path
    name: str  # "warm-up" or "window"
    script: Path  # in the k6/ folder
    environment: Mapping[str, str]
    arguments: tuple[str, ...]
    cpus: str


class Engine(Protocol):
    """`embedded` or `compose`."""

    name: str
    limits_memory: bool  # whether a layout's `app_memory` is enforced
    label: str  # that its containers have; empty where there are none

    def require(self) -> None:
        """Raises MissingToolError where this machine hasn't what Telar can't set up for it."""

    def prepare(self, cells: list[Cell], say: Say) -> None:
        """Gets everything that these cells need: components or images, artefacts, templates."""

    def fresh_database(self, database: Database, system: str, folder: Path) -> None:
        """A data directory of the run's own, with the rows of the system where Telar knows them."""

    def start_database(self, database: Database, folder: Path, cpus: str) -> Service:
        """Serves that data directory on the database's port."""

    def start_app(self, launch: AppLaunch) -> Service:
        """Starts the app; whether it is ready is for the caller to ask."""

    def start_load(self, launch: LoadLaunch) -> Service:
        """Starts k6, which ends by itself."""

    def artifact(self, cell: Cell) -> Artifact:
        """The bytes that the cell runs."""

    def class_path(self, cell: Cell) -> tuple[str, ...]:
        """The jars that the artefact has."""

    def generator_version(self) -> str:
        """k6's, as it is used."""

    def engine_version(self) -> str:
        """Of the container engine; empty where there is none."""

    def telemetry(self, cell: Cell, run_id: str, base: str) -> tuple[str, ...]:
        """Tells the metrics servers, where there are any, about the run, whose app has its metrics on `port`;
        k6's extra arguments."""

    def observers(self) -> Sequence[Component]:
        """What runs beside a run to watch it."""

    def mend(self, say: Say) -> None:
        """Starts again what outlives a run and has ended meanwhile, and says what was lost by that."""

    def close(self) -> None:
        """Ends what outlives a run."""

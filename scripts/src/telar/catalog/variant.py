"""Apps and the ways of starting them: `variant.toml`, beside each app (docs/glossary.md).

Types named `…File` are what a TOML file may hold: an unknown key in one is an error. The others are what the
rest of the program works with, with every reference resolved.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from telar.catalog.shapes import (
    Below,
    File,
    Flag,
    Name,
    Place,
    Text,
    UrlPath,
)


class HttpFile(File, frozen=True):
    ready: UrlPath  # path on the metrics port that answers 200 once the app and its database are usable
    # Path on the metrics port with Prometheus text; without one, what only the app knows isn't known.
    metrics: UrlPath | None = None


class BuildFile(File, frozen=True):
    output: Below  # directory, relative to the app, that `mvn package` leaves: copied whole
    start: Below  # the jar in it that `java -jar` starts
    sources: tuple[Place, ...] = ()  # folders of other apps, relative to the app, that it compiles, too


class LaunchFile(File, frozen=True):
    jvm: tuple[Flag, ...] = ()  # flags at start: the same artefact launched in another way
    maven: tuple[Flag, ...] = ()  # flags at build: the same source built in another way
    benchmark: Text = ""  # of the kind jmh, and of no other: its whole name
    arguments: tuple[Text, ...] = ()  # of the kind task, and of guests: the program's first ones
    jar: Place | None = None  # of guests: is there already, in the place of a build


class VariantFile(File, frozen=True, kw_only=True):
    system: Name
    framework: Name
    database: Name
    model: Literal["blocking", "nonblocking"] | None = None  # of services; None elsewhere
    drivers: tuple[Name, ...]
    description: Text
    http: HttpFile | None = None  # of services, and of no other kind
    build: BuildFile
    launch: dict[Name, LaunchFile]


NO_DATABASE = "none"  # an app that has none, or keeps its data itself


class Guest(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an application that lies in another repository (catalog/guest.py)."""

    file: Path  # its variant.toml
    project: Path  # the folder that is built
    script: Path  # of its load
    home: Path  # the repository, whose commits are measured
    environment: dict[str, str]  # with {port}, {metrics_port}, {database_port}
    maven: tuple[str, ...]  # flags of every build
    command: tuple[str, ...]  # that builds it; empty: Maven does
    compiler: str  # the JDK that it is built on; empty: Telar's own
    first: str  # path whose first 200 ends the start
    memory: str  # of its container; empty: the layout's
    secrets: tuple[str, ...]  # variables of this machine's environment that it gets
    tls: bool  # its port speaks HTTPS, with whatever certificate

    @property
    def has_metrics_port(self) -> bool:
        """Whether `ready` and `metrics` are on a port of their own."""
        return any("{metrics_port}" in value for value in self.environment.values())

    @property
    def data(self) -> Path:
        """Where its floors and what it accepted are kept."""
        return self.file.parent


class App(msgspec.Struct, frozen=True, kw_only=True):
    """A source module in `apps/<system>/`, or a guest's."""

    name: str
    folder: Path
    file: VariantFile
    system: str = ""  # empty: the default one (telar.toml), or a guest's
    guest: Guest | None = None

    def compiles(self, shared: str) -> bool:
        """Whether the system's folder `shared/<shared>/` is compiled into it: it has all of its words.

        `shared/spring-mysql` is compiled into each app of Spring on MySQL.
        """
        return set(self.name.split("-")).issuperset(shared.split("-"))

    @property
    def http(self) -> HttpFile:
        """Of a service, which has it (catalog/load.py)."""
        assert self.file.http is not None
        return self.file.http

    @property
    def database(self) -> str | None:
        """That Telar starts for it."""
        return None if self.file.database == NO_DATABASE else self.file.database


def label(system: str, variant: str) -> str:
    """How a variant is called where there are several systems: `system/variant`, and those of the default
    system (empty) by their name alone."""
    return f"{system}/{variant}" if system else variant


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """An app and one way of starting it."""

    app: App
    launch: str

    @property
    def name(self) -> str:
        return f"{self.app.name}-{self.launch}"

    @property
    def label(self) -> str:
        """Its name among those of all systems."""
        return label(self.app.system, self.name)

    @property
    def full(self) -> str:
        return f"{self.app.file.system}/{self.name}"

    @property
    def launch_file(self) -> LaunchFile:
        return self.app.file.launch[self.launch]

    @property
    def build_name(self) -> str:
        """What is built for it: one artefact an app, or one a launch where flags at build differ, or the jar
        is another."""
        return self.name if self.launch_file.maven or self.launch_file.jar else self.app.name

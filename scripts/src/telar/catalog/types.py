"""The words of the catalogue as frozen types (docs/glossary.md explains them).

Those named `…File` are what a TOML file may hold: an unknown key in one is an error. The others are
what the rest of the program works with, with every reference resolved.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec

Better = Literal["smaller", "bigger"]
EngineName = Literal["embedded", "compose"]
PositiveInt = Annotated[int, msgspec.Meta(ge=1)]
NonNegative = Annotated[float, msgspec.Meta(ge=0)]
Share = Annotated[float, msgspec.Meta(gt=0, le=1)]


class File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table of a TOML file."""


# ---- variant.toml, beside each app


class HttpFile(File, frozen=True):
    ready: str  # path on the metrics port that answers 200 once the app and its database are usable
    metrics: str  # path on the metrics port with Prometheus text


class BuildFile(File, frozen=True):
    output: str  # directory, relative to the app, that `mvn package` leaves: copied whole
    start: str  # the jar in it that `java -jar` starts


class LaunchFile(File, frozen=True):
    jvm: tuple[str, ...] = ()  # flags at start: the same artefact launched in another way
    maven: tuple[str, ...] = ()  # flags at build: the same source built in another way


class VariantFile(File, frozen=True):
    system: str
    framework: str
    database: str
    model: Literal["blocking", "nonblocking"]
    drivers: tuple[str, ...]
    description: str
    http: HttpFile
    build: BuildFile
    launch: dict[str, LaunchFile]


class App(msgspec.Struct, frozen=True, kw_only=True):
    """A source module in `apps/<system>/`."""

    name: str
    folder: Path
    file: VariantFile


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """An app and one way of starting it."""

    app: App
    launch: str

    @property
    def name(self) -> str:
        return f"{self.app.name}-{self.launch}"

    @property
    def launch_file(self) -> LaunchFile:
        return self.app.file.launch[self.launch]

    @property
    def build_name(self) -> str:
        """What is built for it: one artefact an app, or one a launch where flags at build differ."""
        return self.name if self.launch_file.maven else self.app.name


# ---- workload.toml


class StageFile(File, frozen=True):
    name: str
    duration: PositiveInt  # seconds
    # Arrivals per second at the stage's start and end; the rate is linear between them.
    from_: Annotated[int, msgspec.Meta(ge=0)] = msgspec.field(name="from")
    to: Annotated[int, msgspec.Meta(ge=0)]


class VusFile(File, frozen=True):
    pre_allocated: PositiveInt


class WorkloadFile(File, frozen=True):
    system: str
    description: str
    script: str
    timeout: str
    vus: VusFile
    mix: dict[str, PositiveInt]
    stage: tuple[StageFile, ...]


class Workload(msgspec.Struct, frozen=True, kw_only=True):
    """A k6 scenario with its schedule."""

    name: str
    folder: Path
    file: WorkloadFile

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


# ---- telar.toml


class JdkFile(File, frozen=True):
    title: str


class DriverFile(File, frozen=True):
    title: str
    property: str  # the Maven property (apps/pom.xml) that carries its version
    jar: str  # how its jar on the class path is called, before the version
    default: str
    versions: tuple[str, ...]  # those known to resolve: no other is taken


class MetricFile(File, frozen=True):
    label: str  # heads its column in tables
    title: str
    unit: str
    better: Better
    digits: Annotated[int, msgspec.Meta(ge=0, le=6)] = 1


class LayoutFile(File, frozen=True):
    """Which processors and how much memory each component gets; part of a series' identity."""

    app_cpus: str
    database_cpus: str
    generator_cpus: str
    app_memory: str


class RunnerFile(File, frozen=True):
    description: str
    layout: str
    processors: PositiveInt


class WarmupFile(File, frozen=True):
    workload: str  # its mix, at one rate
    rate: PositiveInt
    seconds: PositiveInt | None = None  # None: in cycles, until the service is steady


class SteadyFile(File, frozen=True):
    """The protocol of a warm-up until steady, and the test that ends it (analyse/steady.py)."""

    load: PositiveInt  # seconds of load in a cycle
    pause: PositiveInt  # and of none: the compilers catch up
    vus: PositiveInt  # at most so many requests at once: a cold service isn't drowned
    window: Annotated[int, msgspec.Meta(ge=2)]  # cycles that the test looks at
    floor: PositiveInt  # requests, before which it isn't asked
    ceiling: PositiveInt  # cycles, after which the label is "not steady"
    compiling: Share
    cpu: Share
    p50: Share


class SuiteFile(File, frozen=True):
    description: str
    variants: tuple[str, ...]  # names or patterns with *
    workload: str
    warmup: WarmupFile
    repeat: PositiveInt = 1
    engine: EngineName | None = None  # None: compose where Docker runs, embedded elsewhere


class PortsFile(File, frozen=True):
    app: PositiveInt
    metrics: PositiveInt


class DefaultsFile(File, frozen=True):
    suite: str
    jdk: str
    runner: str


class SloFile(File, frozen=True):
    p99_ms: NonNegative  # capacity is the highest rate at which p99 stays under this


class ArrivalsGate(File, frozen=True):
    tolerance: NonNegative


class ClientGate(File, frozen=True):
    busy: Share
    late_ms: NonNegative


class LittleGate(File, frozen=True):
    tolerance: Share
    overhead_ms: NonNegative


class PlanGate(File, frozen=True):
    scanned_rows: NonNegative


class TargetGate(File, frozen=True):
    tolerance: Share


class TelemetryGate(File, frozen=True):
    share: Share


class WarmGate(File, frozen=True):
    compiling: Share


class SaturationGate(File, frozen=True):
    database: Share
    machine: Share


class FlagsGate(File, frozen=True):
    pool: PositiveInt


class PayloadGate(File, frozen=True):
    tolerance: Share


class RepeatsGate(File, frozen=True):
    least: PositiveInt


class SpeedGate(File, frozen=True):
    moved: Share


class ForeignGate(File, frozen=True):
    seconds_per_30: NonNegative


class GatesFile(File, frozen=True):
    """Thresholds; those of a gate that isn't here are in its rule."""

    arrivals: ArrivalsGate
    client: ClientGate
    little: LittleGate
    plan: PlanGate
    target: TargetGate
    telemetry: TelemetryGate
    warm: WarmGate
    saturation: SaturationGate
    foreign: ForeignGate
    flags: FlagsGate
    payload: PayloadGate
    repeats: RepeatsGate
    speed: SpeedGate


class JvmFile(File, frozen=True):
    flags: tuple[str, ...]  # the same for every cell


class TelarFile(File, frozen=True):
    defaults: DefaultsFile
    ports: PortsFile
    slo: SloFile
    jvm: JvmFile
    steady: SteadyFile
    gate: GatesFile
    jdk: dict[str, JdkFile]
    driver: dict[str, DriverFile]
    metric: dict[str, MetricFile]
    layout: dict[str, LayoutFile]
    runner: dict[str, RunnerFile]
    suite: dict[str, SuiteFile]


class Catalog(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that can be run, every reference in it known to hold."""

    root: Path
    file: TelarFile
    variants: dict[str, Variant]
    workloads: dict[str, Workload]
    databases: dict[str, Path]  # name -> its folder under compose/databases/

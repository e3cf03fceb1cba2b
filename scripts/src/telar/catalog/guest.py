"""Somebody else's application, brought along by one file: `telar --guest bench/variant.toml …`.

The file makes a catalogue of its own: the guest's variants, its workloads and suites stand where Telar's
stood; gates, metrics, JDKs, databases and thresholds stay. docs/bring-your-own.md is the way in.
"""

from __future__ import annotations

from math import ceil
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from telar.catalog import budget as budgets
from telar.catalog.budget import BudgetFile
from telar.catalog.files import nearest, read_toml
from telar.catalog.rules import OwnRulesFile
from telar.catalog.settings import TelarFile
from telar.catalog.shapes import (
    Below,
    Duration,
    File,
    Flag,
    JdkNumber,
    Memory,
    Name,
    Place,
    PositiveInt,
    Text,
    Timeout,
    UrlPath,
    Users,
    shape,
)
from telar.catalog.suite import SuiteFile, WarmupFile
from telar.catalog.system import System, SystemFile, SystemHttpFile, Tables, TablesFile
from telar.catalog.types import Catalog
from telar.catalog.variant import (
    NO_DATABASE,
    App,
    BuildFile,
    Guest,
    HttpFile,
    LaunchFile,
    Variant,
    VariantFile,
)
from telar.catalog.workload import StageFile, VusFile, Workload, WorkloadFile
from telar.errors import ConfigError
from telar.tools import git

SUITE, WINDOWS = "guest", "pull-request"  # runs from nothing to nothing; what `telar ab` takes by default
WARM = 1000  # arrivals a second: a service that answers fewer takes as many as it can
WINDOW = 8  # seconds of a window of a comparison
SPARE = 1.2  # users beyond those that the rate needs when every request takes until its timeout
PREBUILT = BuildFile(output="app.jar", start="app.jar")  # of launches that have a jar: under this name
SCRIPTED = ("mysql", "postgresql")  # databases that take [data].sql

# A name of an image's build: docker-bake takes no dot.
GuestName = Annotated[str, shape(r"[a-z0-9][a-z0-9-]*", "a name of small letters, digits and -")]
Inside = Annotated[str, shape(r"(?!.*\.\.)[A-Za-z0-9._*-][A-Za-z0-9._*/-]*", "a relative path without ..")]
Variable = Annotated[str, shape(r"[A-Za-z_][A-Za-z0-9_]*", "a variable's name")]
Value = Annotated[str, shape(r"[^\x00-\x1f\x7f]*", "a line of text")]
AtLeastOne = Annotated[int, msgspec.Meta(ge=1, le=100_000)]


class GuestBuildFile(File, frozen=True):
    output: (
        Inside  # that the build leaves in the folder: a jar, or a folder that is taken whole; may have a *
    )
    maven: Place | None = None  # the folder of the project's pom.xml
    flags: tuple[Flag, ...] = ()  # of Maven
    project: Place | None = None  # or a folder that something else builds,
    command: tuple[Text, ...] = ()  # which is this
    jdk: JdkNumber | None = None  # to build on; default: the newest LTS that the machine has
    start: Name = "app.jar"  # the jar in that folder; a single jar gets this name


class GuestHttpFile(File, frozen=True):
    ready: UrlPath  # answers 200 once the application is usable
    first: UrlPath | None = None  # whose first 200 ends the start; default: ready
    metrics: UrlPath | None = None  # Prometheus text of Micrometer; without it, several gates can't judge
    tls: bool = False  # HTTPS on {port}, with whatever certificate; {metrics_port} speaks plain HTTP


class GuestLoadFile(File, frozen=True):
    script: Below  # beside this file: exports a default function, one arrival each
    rate: AtLeastOne  # arrivals a second
    seconds: Duration = 20
    stage: tuple[StageFile, ...] = ()  # of a run, in the place of `rate` for `seconds`
    timeout: Timeout = "2s"  # that the script itself gives its requests; here it sizes the users
    users: Users | None = None  # default: enough for each arrival to wait until its timeout
    requests: AtLeastOne = 1  # that an arrival makes, about
    # Default: rate; of a comparison's sides WARM at least, of which at most 32 users ask at once.
    warmup_rate: AtLeastOne | None = None
    warmup_requests: PositiveInt = 60_000  # of a comparison's sides; a run warms up until it is steady


class GuestFile(OwnRulesFile, frozen=True, kw_only=True):
    name: GuestName
    framework: Name
    description: Text
    http: GuestHttpFile
    load: GuestLoadFile
    build: GuestBuildFile | None = None  # None: each launch has a jar
    model: Literal["blocking", "nonblocking"] = "blocking"
    database: Name = NO_DATABASE  # of compose/databases/: a fresh one for each run, with what `data` says
    data: TablesFile | None = None
    pool: Annotated[int, msgspec.Meta(ge=1, le=10_000)] | None = None  # that the gate flags expects
    memory: Memory | None = None  # of its container; default: the layout's
    environment: dict[Variable, Value] = msgspec.field(
        default_factory=dict
    )  # with {port}, {metrics_port}, {database_port}
    secrets: tuple[Variable, ...] = ()  # more of it, as this machine's environment has it
    endpoints: dict[Name, Text] = msgspec.field(default_factory=dict)  # as people call them
    budget: tuple[BudgetFile, ...] = ()
    launch: dict[Name, LaunchFile] = msgspec.field(default_factory=lambda: {"default": LaunchFile()})


def with_guest(catalog: Catalog, path: Path) -> Catalog:
    """The catalogue with a guest in the place of Telar's own systems. Raises ConfigError naming file and
    key.
    """
    path = path.resolve()
    file = read_toml(path, GuestFile)
    folder, build = path.parent, file.build
    project = (folder / (build.maven or build.project or ".")).resolve() if build else folder
    home = git.top_of(folder)
    _require(catalog, path, file)
    _require_build(path, file, project, home)
    guest = Guest(
        file=path,
        project=project,
        script=folder / file.load.script,
        home=home,
        environment=file.environment,
        maven=build.flags if build else (),
        command=build.command if build else (),
        compiler=(build.jdk if build else None) or "",
        first=file.http.first or file.http.ready,
        memory=file.memory or "",
        secrets=file.secrets,
        tls=file.http.tls,
    )
    app = App(name=file.name, folder=project, file=_variant_file(file), guest=guest)
    workloads = {
        SUITE: _workload(SUITE, folder, file, file.load.stage or (_hold(file, file.load.seconds),)),
        f"{SUITE}-window": _workload(
            f"{SUITE}-window", folder, file, (_hold(file, min(WINDOW, file.load.seconds)),)
        ),
    }
    variants = [Variant(app=app, launch=launch) for launch in file.launch]
    found = msgspec.structs.replace(
        catalog,
        apps=project,
        file=_telar_file(catalog, file),
        variants={v.label: v for v in variants},
        workloads=workloads,
        systems={file.name: _system(path, file)},
        guest=guest,
    )
    found.of(file.name)  # says what is wrong with its own rules
    return found


def _require(catalog: Catalog, path: Path, file: GuestFile) -> None:
    if file.database != NO_DATABASE and file.database not in catalog.databases:
        raise ConfigError(
            f"{path}: database = {file.database!r}: Telar serves no such database",
            hint=nearest(file.database, catalog.databases),
        )
    _require_data(path, file)
    if not (path.parent / file.load.script).is_file():
        raise ConfigError(f"{path}: load.script = {file.load.script!r}: no such file beside it")
    names = [stage.name for stage in file.load.stage]
    if len(set(names)) < len(names):
        raise ConfigError(f"{path}: load.stage: two stages have the same name")
    if file.load.stage and not any(stage.from_ or stage.to for stage in file.load.stage):
        raise ConfigError(f"{path}: load.stage: no stage has an arrival")
    if not any("{port}" in value for value in file.environment.values()):
        raise ConfigError(
            f"{path}: nothing tells the application its port",
            hint='e.g. [environment] SERVER_PORT = "{port}": in a comparison two of it are up at once',
        )
    budgets.check(path, file.budget, catalog.file.metric)
    if not file.launch:
        raise ConfigError(f"{path}: [launch.*]: an application needs at least one launch")


def _require_data(path: Path, file: GuestFile) -> None:
    if file.data is None:
        return
    if file.database not in SCRIPTED:
        raise ConfigError(
            f"{path}: data: the database {file.database!r} takes no scripts",
            hint=f"of those that Telar serves {' and '.join(SCRIPTED)} do",
        )
    for name in (*file.data.sql, *([file.data.clean] if file.data.clean else ())):
        if not (path.parent / name).is_file():
            raise ConfigError(f"{path}: data: {name!r}: no such file beside it")


def _require_build(path: Path, file: GuestFile, project: Path, home: Path) -> None:
    """Each launch has a jar, or something that builds it."""
    build = file.build
    without = next((name for name, launch in file.launch.items() if not launch.jar), None)
    if build is None:
        if without:
            raise ConfigError(
                f"{path}: launch.{without}: there is neither a [build] nor a jar",
                hint=f'say [build], or [launch.{without}] jar = "../build/libs/shop.jar"',
            )
        return
    if bool(build.maven) == bool(build.project):
        raise ConfigError(
            f"{path}: build: say one of maven and project",
            hint='maven = ".." is the folder of pom.xml; project = ".." of what `command` builds',
        )
    if bool(build.project) != bool(build.command):
        raise ConfigError(
            f"{path}: build: project and command go together",
            hint='e.g. project = "..", command = ["./gradlew", "--no-daemon", "bootJar"]',
        )
    key = "maven" if build.maven else "project"
    if not project.is_dir():
        raise ConfigError(f"{path}: build.{key} = {getattr(build, key)!r}: there is no folder {project}")
    if build.command and build.flags:
        raise ConfigError(f"{path}: build.flags: are Maven's", hint="they are part of build.command")
    if build.maven and not (project / "pom.xml").is_file():
        raise ConfigError(f"{path}: build.maven = {build.maven!r}: there is no pom.xml in {project}")
    if not project.is_relative_to(home):
        raise ConfigError(f"{path}: build.{key} = {getattr(build, key)!r}: {project} is not in {home}")


def _system(path: Path, file: GuestFile) -> System:
    return System(
        name=file.name,
        path=path,
        file=SystemFile(
            description=file.description,
            http=SystemHttpFile(first=file.http.first or file.http.ready),
            slo=file.slo,
            steady=file.steady,
            gate=file.gate,
            endpoints=file.endpoints,
            budget=file.budget,
        ),
        tables=Tables(folder=path.parent, file=file.data) if file.data else None,
    )


def _variant_file(file: GuestFile) -> VariantFile:
    return VariantFile(
        system=file.name,
        framework=file.framework,
        database=file.database,
        model=file.model,
        drivers=(),
        description=file.description,
        http=HttpFile(ready=file.http.ready, metrics=file.http.metrics),
        build=BuildFile(output=file.build.output, start=file.build.start) if file.build else PREBUILT,
        launch=file.launch,
    )


def _hold(file: GuestFile, seconds: int) -> StageFile:
    rate = file.load.rate
    return StageFile(name=f"hold-{rate}", from_=rate, to=rate, duration=seconds)


def _workload(name: str, folder: Path, file: GuestFile, stages: tuple[StageFile, ...]) -> Workload:
    load = file.load
    peak = max(max(stage.from_, stage.to) for stage in stages)
    users = load.users or max(10, ceil(peak * _seconds(load.timeout) * SPARE))
    rates = f"{load.rate} arrivals a second" if stages == (_hold(file, stages[0].duration),) else "its stages"
    return Workload(
        name=name,
        folder=(folder / load.script).parent,
        file=WorkloadFile(
            system=file.name,
            description=f"{rates} for {sum(stage.duration for stage in stages)} s",
            script=Path(load.script).name,
            timeout=load.timeout,
            vus=VusFile(pre_allocated=users),
            mix={"arrival": 100},
            stage=stages,
        ),
    )


def _telar_file(catalog: Catalog, file: GuestFile) -> TelarFile:
    load = file.load
    rate = load.warmup_rate or load.rate
    suites = {
        SUITE: SuiteFile(
            description=f"{file.name}, each run from nothing to nothing",
            variants=("*",),
            workload=SUITE,
            warmup=WarmupFile(workload=SUITE, rate=rate, each=load.requests),
        ),
        WINDOWS: SuiteFile(
            description=f"{file.name} in short windows, for telar ab",
            variants=("*",),
            workload=f"{SUITE}-window",
            warmup=WarmupFile(
                workload=SUITE,
                rate=load.warmup_rate or max(load.rate, WARM),
                requests=load.warmup_requests,
                each=load.requests,
            ),
        ),
    }
    telar = catalog.file
    replace = msgspec.structs.replace
    return replace(
        telar,
        defaults=replace(telar.defaults, system=file.name, suite=SUITE),
        pipeline=replace(telar.pipeline, push=SUITE, night=SUITE, weekly=None),
        gate=replace(telar.gate, flags=replace(telar.gate.flags, pool=file.pool)),
        driver={},
        suite=suites,
    )


def _seconds(timeout: str) -> float:
    for unit, size in (("ms", 0.001), ("s", 1.0), ("m", 60.0)):
        if timeout.endswith(unit):
            return float(timeout.removesuffix(unit)) * size
    raise AssertionError(timeout)

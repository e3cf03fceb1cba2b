"""A session's cells in the groups in which they are compared: one app, launched in different ways."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from telar.analyse.summary import Summary
from telar.catalog.types import Catalog
from telar.catalog.variant import label
from telar.gates.arms import comparable
from telar.plan.cells import Cell
from telar.publish.columns import validity
from telar.store.record import Gate, Product, Record

BASE, OTHER = "platform", "virtual"  # a ratio is OTHER ÷ BASE
OBSERVATION = ("repeats", "speed")  # gates on a comparison without which it is no more than that


@dataclass(frozen=True, kw_only=True)
class Arm:
    """A cell: the launch that tells it from the others of its group, and its runs."""

    launch: str
    summary: Summary
    records: tuple[Record, ...]

    @property
    def cell(self) -> Cell:
        return self.summary.cell

    @property
    def completed(self) -> int:
        return self.summary.runs - self.summary.failed_runs

    @property
    def sound(self) -> bool:
        """Whether its numbers are of runs that may be compared."""
        return bool(self.completed) and self.summary.validity != "invalid"

    @property
    def failed(self) -> tuple[Record, ...]:
        return tuple(r for r in self.records if r.outcome == "failed")


@dataclass(frozen=True, kw_only=True)
class Group:
    """Arms that differ in their launch only."""

    app: str
    where: str  # database, and what else tells it from the other groups
    arms: tuple[Arm, ...]
    verdicts: tuple[Gate, ...] = ()  # of the gates on comparing platform with virtual

    @property
    def pair(self) -> tuple[Arm, Arm] | None:
        """Platform and virtual, when both have a run that may be compared, and nothing forbids it."""
        return None if forbidding(self.verdicts) else _pair(self.arms)


def refusal(group: Group) -> str:
    """Why the arms of a group that could be compared aren't; empty when they are, or nothing could be."""
    launches = {arm.launch for arm in group.arms if arm.completed}
    if group.pair or not {BASE, OTHER} <= launches:
        return ""
    reasons = [f"{arm.launch} is {validity(arm.summary)}" for arm in group.arms if not arm.sound]
    reasons += [f"{gate.name} ({gate.observed})" for gate in forbidding(group.verdicts)]
    return "not compared: " + ", ".join(reasons)


def forbidding(verdicts: Iterable[Gate]) -> list[Gate]:
    """Those that make a ratio say something else. Too few repeats, or a machine whose speed moved, make it an
    observation: that stands beside it."""
    return [gate for gate in verdicts if gate.verdict == "fail" and gate.name not in OBSERVATION]


def weaknesses(verdicts: Iterable[Gate]) -> list[Gate]:
    return [gate for gate in verdicts if gate.verdict == "fail" and gate.name in OBSERVATION]


def groups(catalog: Catalog, records: list[Record], found: list[Summary]) -> list[Group]:
    """In the summaries' order; within a group platform comes first."""
    by_key: dict[tuple[str, ...], list[Arm]] = {}
    for summary in found:
        app, launch = split(catalog, summary.cell.label)
        own = tuple(r for r in records if r.cell == summary.cell)
        arm = Arm(launch=launch, summary=summary, records=own)
        cell = summary.cell
        by_key.setdefault((app, cell.jdk, _drivers(cell), cell.workload, " ".join(cell.flags)), []).append(
            arm
        )
    several_jdks = len({s.cell.jdk for s in found}) > 1
    apps = [key[0] for key in by_key]
    return [
        Group(
            app=key[0],
            where=_where(arms, with_jdk=several_jdks, with_drivers=apps.count(key[0]) > 1),
            arms=tuple(sorted(arms, key=lambda arm: (arm.launch != BASE, arm.launch))),
            verdicts=_verdicts(catalog, arms),
        )
        for key, arms in by_key.items()
    ]


def _pair(arms: Iterable[Arm]) -> tuple[Arm, Arm] | None:
    by_launch = {arm.launch: arm for arm in arms if arm.sound}
    return (by_launch[BASE], by_launch[OTHER]) if {BASE, OTHER} <= by_launch.keys() else None


def _verdicts(catalog: Catalog, arms: Iterable[Arm]) -> tuple[Gate, ...]:
    pair = _pair(arms)
    if pair is None:
        return ()
    base, other = ([r for r in arm.records if r.validity != "invalid"] for arm in pair)
    return comparable(base, other, catalog)


def split(catalog: Catalog, variant: str) -> tuple[str, str]:
    """App and launch, also of a variant that the catalogue no longer has."""
    if variant in catalog.variants:
        known = catalog.variants[variant]
        return label(known.app.system, known.app.name), known.launch
    app, _, launch = variant.rpartition("-")
    return (app, launch) if app else (variant, "")


def ratio(pair: tuple[Arm, Arm], metric: str) -> float | None:
    base, other = (arm.summary.metrics.get(metric) for arm in pair)
    return other / base if base and other is not None else None


def distinct(values: Iterable[str]) -> str:
    """What they all are, or each of them once."""
    return " / ".join(dict.fromkeys(v for v in values if v))


def product(database: Product | None) -> str:
    """As the server reported itself: MariaDB is never called MySQL."""
    return f"{database.name} {database.version}" if database else ""


def _where(arms: list[Arm], *, with_jdk: bool, with_drivers: bool) -> str:
    parts = [distinct(product(arm.summary.product) for arm in arms)]
    if with_jdk:
        parts.append("JDK " + distinct(arm.summary.java or arm.cell.jdk for arm in arms))
    if with_drivers:
        parts.append(_drivers(arms[0].cell))
    parts.append(" ".join(arms[0].cell.flags))
    return ", ".join(part for part in parts if part)


def _drivers(cell: Cell) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(cell.drivers.items()))

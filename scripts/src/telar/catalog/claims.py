"""A published claim as an assertion: `benchmarks-data/claims/<name>.toml` (docs/claims.md)."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Literal

import msgspec

from telar.catalog import select
from telar.catalog.files import nearest, read_toml
from telar.catalog.shapes import Bound, File, Name, Text
from telar.catalog.suite import EngineName
from telar.catalog.types import Catalog
from telar.errors import ConfigError


class SideFile(File, frozen=True):
    """Which runs an assertion is about; what it doesn't say is alike on all sides."""

    variant: Name  # of the claim's system
    workload: Name | None = None  # None: the claim's


class AssertionFile(File, frozen=True, kw_only=True):
    """A level of one side, or the ratio of two: it lies in these bounds."""

    metric: Name
    of: Name  # a side
    against: Name | None = None  # that `of` is divided by; None: a level, in the metric's unit
    least: Bound | None = None
    most: Bound | None = None
    # A level that is about whether it happens at all: in one run is enough, whatever the mean.
    happens: bool = False
    original: Text  # what the source says, with its units
    figure: Bound | None = None  # the same as this assertion counts it; None where the source gives none


class UnsoundFile(File, frozen=True):
    gate: Name  # that the source's own runs would have failed
    why: Text


class ClaimFile(File, frozen=True, kw_only=True):
    system: Name
    source: Text
    claim: Text  # in our own words
    workload: Name
    suite: Name | None = None  # that runs its cells; None where nothing does yet
    engine: EngineName | None = None  # where only one has what is claimed about
    products: tuple[Text, ...] = ()  # databases, as they name themselves; empty: any
    limited_by: tuple[Literal["app", "machine"], ...] = ()  # it is about what a service does beyond its limit
    means: Text  # what it says if this isn't reproduced
    differs: Text = ""  # what the original measured and this doesn't
    awaits: Text = ""  # what is to come before there are such cells
    untestable: Text = ""  # why it can't be tested here
    side: dict[Name, SideFile]
    assertion: tuple[AssertionFile, ...] = msgspec.field(name="assert")
    unsound: tuple[UnsoundFile, ...] = ()


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    path: Path
    file: ClaimFile
    missing: tuple[str, ...]  # what the catalogue hasn't (yet), of what its sides name

    def workload_of(self, side: str) -> str:
        return self.file.side[side].workload or self.file.workload


def read_claims(folder: Path, catalog: Catalog) -> list[Claim]:
    """All claims of a folder, by name. Raises ConfigError naming file and key."""
    return [_claim(path, catalog) for path in sorted(folder.glob("*.toml"))]


def _claim(path: Path, catalog: Catalog) -> Claim:
    file = read_toml(path, ClaimFile)
    claim = Claim(name=path.stem, path=path, file=file, missing=())
    if not file.assertion:
        raise ConfigError(f"{path}: needs at least one [[assert]]")
    for number, own in enumerate(file.assertion):
        _check(claim, f"assert.{number}", own)
    if file.suite is not None:
        _known(path, "suite", file.suite, catalog.file.suite)
    missing = tuple(dict.fromkeys(_missing(claim, catalog)))
    if not missing and not file.untestable and file.suite is None:
        raise ConfigError(f"{path}: the key 'suite' is missing: its cells can be run")
    return msgspec.structs.replace(claim, missing=missing)


def _check(claim: Claim, key: str, own: AssertionFile) -> None:
    path, sides = claim.path, claim.file.side
    _known(path, f"{key}.of", own.of, sides)
    if own.against is not None:
        _known(path, f"{key}.against", own.against, sides)
        other_load = claim.workload_of(own.of) != claim.workload_of(own.against)
        if other_load and sides[own.of].variant != sides[own.against].variant:
            raise ConfigError(f"{path}: {key}: its sides differ in variant and workload: in one, not both")
    if own.happens and (own.against is not None or own.least is None):
        raise ConfigError(f"{path}: {key}.happens: only of a level, which is at least 'least' in a run")
    if own.least is None and own.most is None:
        raise ConfigError(f"{path}: {key}: needs 'least', 'most' or both")
    if own.least is not None and own.most is not None and own.least >= own.most:
        raise ConfigError(f"{path}: {key}.least: {own.least:g} isn't below most")
    if own.figure is not None and not holds(own.figure, own):
        raise ConfigError(
            f"{path}: {key}.figure: the original {own.figure:g} isn't in the bounds that reproduce it"
        )

    if own.against is not None and own.figure not in (None, 1) and holds(1, own):
        raise ConfigError(f"{path}: {key}: no difference at all, ×1, would reproduce ×{own.figure:g}")


def holds(value: float, own: AssertionFile) -> bool:
    return not ((own.least is not None and value < own.least) or (own.most is not None and value > own.most))


def _missing(claim: Claim, catalog: Catalog) -> list[str]:
    """What of its cells the catalogue hasn't. Raises ConfigError where nothing says that it is to come."""
    file = claim.file
    found: list[tuple[str, str, str, Collection[str]]] = []
    for number, own in enumerate(file.assertion):
        if own.metric not in catalog.file.metric:
            found.append((f"assert.{number}.metric", "metric", own.metric, catalog.file.metric))
    if file.system not in catalog.systems:
        found.append(("system", "system", file.system, catalog.systems))
    else:
        variants = [v.name for v in select.variants_of(catalog, file.system)]
        loads = [n for n, w in catalog.work.items() if w.file.system == file.system]
        for name, side in file.side.items():
            if side.variant not in variants:
                found.append((f"side.{name}.variant", "variant", side.variant, variants))
            if claim.workload_of(name) not in loads:
                key = f"side.{name}.workload" if side.workload else "workload"
                found.append((key, "workload", claim.workload_of(name), loads))
    if found and not file.awaits and not file.untestable:
        key, what, name, known = found[0]
        said = f"{claim.path}: {key} = {name!r}: there is no such {what}"
        raise ConfigError(said, hint=nearest(name, known))
    return [f"{what} {name}" for _, what, name, _ in found]


def _known(path: Path, key: str, value: str, known: Collection[str]) -> None:
    if value not in known:
        raise ConfigError(f"{path}: {key} = {value!r}: not known", hint=nearest(value, known))

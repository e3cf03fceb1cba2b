"""The apps of another revision: sides of a comparison may be commits.

Only the systems under test come from there. What drives and measures them (k6, databases, gates, this
program) is the checkout's for both sides, or the comparison would be of two benchmarks.
"""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import msgspec

from telar.catalog.files import nearest
from telar.catalog.load import read_variants
from telar.catalog.types import Catalog
from telar.catalog.variant import Variant
from telar.errors import ConfigError
from telar.plan.cells import Cell
from telar.tools import git
from telar.tools.folders import make_once

Version = Annotated[str, msgspec.Meta(pattern=r"^[0-9][0-9A-Za-z.]{0,30}$(?!\n)")]


def catalog_for(catalog: Catalog, cell: Cell) -> Catalog:
    """The catalogue with the apps as the cell's revision has them. Raises ConfigError when it hasn't the
    variant.
    """
    if not cell.revision:
        return catalog
    kept = catalog.root / ".telar" / "sources"
    if catalog.guest:
        if catalog.variants[cell.label].launch_file.jar:
            raise ConfigError(
                f"{cell.label} runs a jar that is there already: no commit has another",
                hint="compare two launches, each with its jar: --base variant=… --head variant=…",
            )
        return _guest_at(catalog, cell.revision, kept)
    folder = kept / cell.revision
    if not folder.exists():
        make_once(folder, lambda fresh: git.unpack(catalog.root, cell.revision, "apps", fresh))
    variants = _variants(folder / "apps", catalog)
    if cell.label not in variants:
        raise ConfigError(
            f"{cell.revision[:12]} has no variant {cell.label!r}", hint=nearest(cell.label, variants)
        )
    return msgspec.structs.replace(catalog, apps=folder / "apps", variants=variants)


def _guest_at(catalog: Catalog, revision: str, kept: Path) -> Catalog:
    """The guest's project as a commit has it; how it is built, started and driven stays the checkout's."""
    below = catalog.apps.relative_to(catalog.home)
    # A repository may hold several projects.
    folder = kept / f"{revision}-{hashlib.sha256(below.as_posix().encode()).hexdigest()[:8]}"
    if not folder.exists():
        make_once(folder, lambda fresh: git.unpack(catalog.home, revision, below.as_posix(), fresh))
    there, replace = folder / below, msgspec.structs.replace
    variants = {
        name: replace(variant, app=replace(variant.app, folder=there))
        for name, variant in catalog.variants.items()
    }
    return replace(catalog, apps=there, variants=variants)


class _Driver(msgspec.Struct, frozen=True):
    """What of a `[driver.*]` is read from another revision: data, of a stranger perhaps."""

    default: Version
    versions: tuple[Version, ...] = ()


def with_versions(catalog: Catalog, revision: str) -> Catalog:
    """The catalogue with the driver versions that a commit's telar.toml lists, too: a change that brings a
    version in names one that this checkout doesn't know.
    """
    if catalog.guest:
        return catalog  # which has no drivers of Telar's
    theirs = _drivers(catalog.root, revision)
    drivers = {
        name: msgspec.structs.replace(
            own, versions=tuple(dict.fromkeys((*own.versions, *theirs[name].versions, theirs[name].default)))
        )
        if name in theirs
        else own
        for name, own in catalog.file.driver.items()
    }
    return msgspec.structs.replace(catalog, file=msgspec.structs.replace(catalog.file, driver=drivers))


def moved_drivers(catalog: Catalog, base: str, head: str) -> dict[str, str]:
    """The drivers whose default version differs between two commits: name -> the head's."""
    if catalog.guest:
        return {}  # as above
    before, after = _drivers(catalog.root, base), _drivers(catalog.root, head)
    return {
        name: after[name].default
        for name in catalog.file.driver
        if name in before and name in after and before[name].default != after[name].default
    }


def absent(catalog: Catalog, commit: str, variants: Iterable[str]) -> list[str]:
    """Those of the variants that a commit hasn't. One whose variant.toml can't be read isn't among them: its
    build says so."""
    return [
        name for name in variants if not catalog.guest and not _has(catalog, commit, catalog.variants[name])
    ]


def _has(catalog: Catalog, commit: str, variant: Variant) -> bool:
    path = variant.app.folder.relative_to(catalog.root) / "variant.toml"
    try:
        return variant.launch in tomllib.loads(git.show(catalog.root, commit, path.as_posix())).get(
            "launch", ()
        )
    except ConfigError:
        return False
    except (ValueError, RecursionError):
        return True


def _drivers(root: Path, revision: str) -> dict[str, _Driver]:
    try:
        tables = tomllib.loads(git.show(root, revision, "telar.toml")).get("driver", {})
        return msgspec.convert(tables, dict[str, _Driver])
    except (ValueError, RecursionError, msgspec.ValidationError) as error:
        raise ConfigError(f"{revision[:12]}: telar.toml: driver: {error}") from error


_known: dict[Path, dict[str, Variant]] = {}  # read once: what a commit holds doesn't change


def _variants(apps: Path, catalog: Catalog) -> dict[str, Variant]:
    if apps not in _known:
        _known[apps] = read_variants(apps, catalog.databases, catalog.file)
    return _known[apps]

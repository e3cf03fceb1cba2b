"""The apps of another revision: sides of a comparison may be commits.

Only the systems under test come from there. What drives and measures them (k6, databases, gates, this
program) is the checkout's for both sides, or the comparison would be of two benchmarks.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from telar.catalog.files import nearest
from telar.catalog.load import read_variants
from telar.catalog.types import Catalog, Variant
from telar.errors import ConfigError
from telar.plan.cells import Cell
from telar.tools import git
from telar.tools.folders import make_once


def catalog_for(catalog: Catalog, cell: Cell) -> Catalog:
    """The catalogue with the apps as the cell's revision has them. Raises ConfigError when it hasn't the
    variant.
    """
    if not cell.revision:
        return catalog
    folder = catalog.root / ".telar" / "sources" / cell.revision
    if not folder.exists():
        make_once(folder, lambda fresh: git.unpack(catalog.root, cell.revision, "apps", fresh))
    variants = _variants(folder / "apps", catalog)
    if cell.variant not in variants:
        raise ConfigError(
            f"{cell.revision[:12]} has no variant {cell.variant!r}", hint=nearest(cell.variant, variants)
        )
    return msgspec.structs.replace(catalog, apps=folder / "apps", variants=variants)


_known: dict[Path, dict[str, Variant]] = {}  # read once: what a commit holds doesn't change


def _variants(apps: Path, catalog: Catalog) -> dict[str, Variant]:
    if apps not in _known:
        _known[apps] = read_variants(apps, catalog.databases, catalog.file)
    return _known[apps]

"""What two sides of a comparison differ in, each alone: what an attribution measures beside all together."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from telar.build import bumps, maven
from telar.catalog.types import Catalog
from telar.errors import ConfigError
from telar.plan.cells import Cell
from telar.plan.sides import Side, factors

LEAST = 2  # factors: one needs no attribution
MOST = 6  # each takes as long as a comparison


def of(catalog: Catalog, base: Side, head: Side) -> dict[str, Side]:
    """Each thing in which the sides differ, as the base with that alone changed. Of commits between which
    build files bump several versions, each of these is one; whatever else they change is in none of them.
    """
    found = factors(base, head)
    between = base.revision and head.revision
    own = bumps.between(catalog.home, base.revision, head.revision) if between else []
    if len(own) < LEAST:  # one is the commit
        return found
    found.pop("revision", None)
    each = {
        bump.words: msgspec.structs.replace(base, revision=bumps.alone(catalog.home, base.revision, bump))
        for bump in own
    }
    return {**each, **found}


def asked(catalog: Catalog, base: Side, head: Side) -> dict[str, Side]:
    """Those of an attribution. Raises ConfigError where there are fewer than two, or too many."""
    found = of(catalog, base, head)
    if len(found) < LEAST:
        raise ConfigError(
            f"the sides differ in {', '.join(found) or 'nothing'} alone", hint="telar ab compares them"
        )
    if len(found) > MOST:
        raise ConfigError(
            f"the sides differ in {len(found)} things: {', '.join(found)}",
            hint=f"{MOST} are the most in one session: say a --base or --head between them",
        )
    return found


def cells(
    catalog: Catalog, moved: dict[str, Side], base: Side, head: Side, found: Sequence[Cell]
) -> list[Cell]:
    """The cells whose builds only an attribution has, each once. What either side is built as comes from
    where that side comes from, and from nowhere else.
    """
    own = {_folder(catalog, side.of(cell)) for side in (base, head) for cell in found}
    every = {made.name: made for side in moved.values() for cell in found if (made := side.of(cell))}
    return [cell for cell in every.values() if _folder(catalog, cell) not in own]


def runs_otherwise(catalog: Catalog, cell: Cell, base: Cell) -> bool:
    """Whether a cell differs from the base's in what runs: another commit may build the same."""
    if msgspec.structs.replace(cell, revision=base.revision) != base:
        return True
    return cell.revision != base.revision and _folder(catalog, cell) != _folder(catalog, base)


def _folder(catalog: Catalog, cell: Cell) -> Path:
    return maven.artifact_folder(catalog, maven.build_of(catalog, cell))

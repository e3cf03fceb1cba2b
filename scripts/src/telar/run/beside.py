"""Services that a system's apps call: another system's variants, started first, on ports of their own.

They are part of what drives the app, like its database: of the checkout on both sides of a comparison, and on
the database's processors.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from telar.catalog.settings import PortsFile
from telar.catalog.types import Catalog
from telar.catalog.variant import Variant
from telar.plan.cells import Cell


class Beside(msgspec.Struct, frozen=True, kw_only=True):
    name: str  # as the system's file calls it
    variant: Variant
    cell: Cell
    app: int  # its ports
    metrics: int

    @property
    def environment(self) -> dict[str, str]:
        """What tells the app where it is: REMOTE_PORT of one that is called `remote`."""
        return {f"{self.name.upper().replace('-', '_')}_PORT": str(self.app)}


def of_cell(catalog: Catalog, cell: Cell, ports: PortsFile, shift: int = 0) -> list[Beside]:
    """In the order in which they start; none for most systems, and for a guest."""
    system = catalog.systems.get(catalog.variants[cell.label].app.file.system)
    found = []
    for n, (name, file) in enumerate(system.file.beside.items() if system else ()):
        variant = catalog.variants[file.variant]
        own = msgspec.structs.replace(
            cell, system=variant.app.system, variant=variant.name, drivers={}, revision="", flags=(), image=""
        )
        first = ports.beside + 2 * n + shift
        found.append(Beside(name=name, variant=variant, cell=own, app=first, metrics=first + 1))
    return found


def with_beside(catalog: Catalog, cells: Iterable[Cell]) -> list[Cell]:
    """These cells, and those of what runs beside them: all that an engine has to prepare."""
    cells = list(cells)
    return cells + [own.cell for cell in cells for own in of_cell(catalog, cell, catalog.file.ports)]

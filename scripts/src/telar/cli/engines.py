"""The engine of a name."""

from __future__ import annotations

from telar.catalog.suite import EngineName
from telar.catalog.types import Catalog
from telar.run.engine import Engine


def engine_for(c: Catalog, name: EngineName) -> Engine:
    # Each engine's module brings what only it needs.
    if name == "compose":
        from telar.run.compose import ComposeEngine  # noqa: PLC0415

        return ComposeEngine(c)
    from telar.run.embedded import EmbeddedEngine  # noqa: PLC0415

    return EmbeddedEngine(c)

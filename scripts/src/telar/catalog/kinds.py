"""Of which kind a variant's runs are, and which engines run them."""

from __future__ import annotations

from telar.catalog.suite import EngineName
from telar.catalog.system import Kind
from telar.catalog.types import Catalog

ENGINES: dict[Kind, tuple[EngineName, ...]] = {
    "http": ("embedded", "compose"),
    "jmh": ("embedded",),
    "task": ("embedded",),
}


def kind_of(catalog: Catalog, variant: str) -> Kind:
    """As its system says; a guest is a service under load."""
    system = catalog.systems.get(catalog.variants[variant].app.file.system)
    return system.file.kind if system else "http"

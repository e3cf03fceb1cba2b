"""Of which kind a variant's runs are."""

from __future__ import annotations

from telar.catalog.system import Kind
from telar.catalog.types import Catalog


def kind_of(catalog: Catalog, variant: str) -> Kind:
    """As its system says; a guest is a service under load."""
    system = catalog.systems.get(catalog.variants[variant].app.file.system)
    return system.file.kind if system else "http"

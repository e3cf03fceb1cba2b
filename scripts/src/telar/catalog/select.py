"""Variants by names and patterns, as a suite and a user say them."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from telar.catalog.files import nearest
from telar.catalog.types import Catalog
from telar.catalog.variant import Variant

# Where a framework has no such cell, the reason stands here and nowhere else.
IMPOSSIBLE = {
    ("quarkus", "nonblocking", "virtual"): (
        "Quarkus runs non-blocking endpoints on its event loop: there is no such thing on virtual threads"
    ),
}


def variants_of(catalog: Catalog, system: str) -> list[Variant]:
    """A system's, in catalogue order."""
    return [v for v in catalog.variants.values() if v.app.file.system == system]


def matching(variants: Iterable[Variant], patterns: Iterable[str]) -> list[Variant]:
    """Those that any of the patterns matches: names, or shell patterns of them, with or without `system/`."""
    wanted = tuple(patterns)
    return [v for v in variants if any(matches(v, pattern) for pattern in wanted)]


def matches(variant: Variant, pattern: str) -> bool:
    return fnmatchcase(variant.full if "/" in pattern else variant.name, pattern)


def workloads(catalog: Catalog, pattern: str) -> list[str]:
    """The names of those of all kinds that a name or a pattern is for."""
    return [name for name in catalog.work if fnmatchcase(name, pattern)]


def hint(catalog: Catalog, pattern: str) -> str:
    """For a pattern that matches nothing."""
    for (framework, model, launch), reason in IMPOSSIBLE.items():
        name = pattern.rpartition("/")[2]
        if name.startswith(framework) and name.endswith(f"-{model}-{launch}"):
            return f"{reason}; {nearest(pattern, catalog.variants)}"
    return nearest(pattern, catalog.variants)

"""What a suite runs, system by system: which variants, under which workload.

A suite is of one system, its workload's. It may have others run with it (`also`). Variants of another system
are run when they are asked for, as that system's own suite of the kind says: `<system>-<suite>`.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

import msgspec

from telar.catalog import select
from telar.catalog.files import nearest
from telar.catalog.load import known
from telar.catalog.suite import SuiteFile
from telar.catalog.types import Catalog
from telar.catalog.variant import Variant
from telar.errors import ConfigError


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """A suite's cells of one system."""

    suite: SuiteFile
    workload: str
    variants: list[Variant]


def parts_of(catalog: Catalog, suite: str, only: Sequence[str], workload: str | None) -> list[Part]:
    """`only`: names or patterns, in place of the suites' variants; `workload`: in place of theirs.

    Raises ConfigError when a word names nothing, or something that the suite has no place for.
    """
    known("suite", suite, catalog.file.suite)
    if workload:
        _require_workload(catalog, workload)
    names = [suite, *catalog.file.suite[suite].also]
    if workload:
        names = _of_the_workload(catalog, suite, names, workload)
    systems = dict.fromkeys(_system(catalog, catalog.file.suite[name].workload) for name in names)
    forms = dict.fromkeys(_form(catalog, suite, list(systems), pattern, workload) for pattern in only)
    whole = (*names, *(f for f in forms if f))
    theirs = {name: _own(catalog, name, workload) for name in whole} if only else {}
    found = []
    for name in whole:
        # Two suites of one system: what one of them has by itself isn't run in the other's place, too.
        elsewhere = {v.full for other, own in theirs.items() if other != name for v in own}
        elsewhere -= {v.full for v in theirs.get(name, ())}
        found += _parts(catalog, name, only, workload, elsewhere)
    kept = [part for part in found if part.variants]
    if not kept:
        raise ConfigError(f"{catalog.root / 'telar.toml'}: suite.{suite}.variants names none")
    return kept


def _of_the_workload(catalog: Catalog, suite: str, names: Sequence[str], workload: str) -> list[str]:
    """Those of the suites that the workload is for."""
    theirs = {name: _system(catalog, catalog.file.suite[name].workload) for name in names}
    system = _system(catalog, workload)
    if system not in theirs.values():
        raise ConfigError(
            f"workload {workload!r} is for the system {system!r}, but the suite {suite} is for "
            f"{theirs[suite]!r}"
        )
    return [name for name in names if theirs[name] == system]


def suites_of(catalog: Catalog, system: str) -> list[str]:
    """Those whose workload is of this system, in catalogue order."""
    return [name for name, s in catalog.file.suite.items() if _system(catalog, s.workload) == system]


def form(catalog: Catalog, suite: str, system: str) -> str | None:
    """The suite of this kind that a system's variants are run in; None where there is none."""
    if _system(catalog, catalog.file.suite[suite].workload) == system:
        return suite
    own = f"{system}-{suite}"
    return own if own in catalog.file.suite else None


def _parts(
    catalog: Catalog, name: str, only: Sequence[str], workload: str | None, elsewhere: Container[str]
) -> list[Part]:
    """One for each of the suite's workloads. `elsewhere`: variants that it leaves to another suite."""
    suite = catalog.file.suite[name]
    chosen = workload or suite.workload
    wished = select.matching(select.variants_of(catalog, _system(catalog, chosen)), only or suite.variants)
    own = [v for v in wished if v.full not in elsewhere]
    found = select.workloads(catalog, chosen)
    # A wish for some of the suite's own narrows them; any other stands in their place.
    kept = [w for w in found if w in select.workloads(catalog, suite.workload)] or found
    return [Part(suite=suite, workload=w, variants=own) for w in kept]


def _own(catalog: Catalog, name: str, workload: str | None) -> list[Variant]:
    """The variants that a suite says itself."""
    suite = catalog.file.suite[name]
    system = _system(catalog, workload or suite.workload)
    return select.matching(select.variants_of(catalog, system), suite.variants)


def _require_workload(catalog: Catalog, pattern: str) -> None:
    found = select.workloads(catalog, pattern)
    if not found:
        raise ConfigError(f"there is no workload {pattern!r}", hint=nearest(pattern, catalog.work))
    systems = dict.fromkeys(catalog.work[name].file.system for name in found)
    if len(systems) > 1:
        raise ConfigError(f"workload {pattern!r} is for several systems: {', '.join(systems)}")


def _form(
    catalog: Catalog, suite: str, systems: Sequence[str], pattern: str, workload: str | None
) -> str | None:
    """Of a pattern that matches nothing of the suite's own systems: the suite for what it does match."""
    matched = select.matching(catalog.variants.values(), [pattern])
    if not matched:
        raise ConfigError(f"no variant matches {pattern!r}", hint=select.hint(catalog, pattern))
    if any(v.app.file.system in systems for v in matched):
        return None
    other = matched[0]
    found = None if workload else form(catalog, suite, other.app.file.system)
    if found is None:
        what = f"workload {workload!r}" if workload else f"the suite {suite}"
        of = other.app.file.system
        own = suites_of(catalog, of)
        raise ConfigError(
            f"{what} is for the system {systems[0]!r}, but {other.full!r} belongs to {of!r}",
            hint=f"suites of {of}: {', '.join(own) or 'none'}",
        )
    return found


def _system(catalog: Catalog, workload: str) -> str:
    """Of a workload, or of all that a pattern is for."""
    return catalog.work[select.workloads(catalog, workload)[0]].file.system

"""What a suite runs, system by system: which variants, under which workload.

A suite is of one system, its workload's. It may have others run with it (`also`). Variants of another system
are run when they are asked for, as that system's own suite of the kind says: `<system>-<suite>`.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from telar.catalog import select
from telar.catalog.load import known
from telar.catalog.suite import SuiteFile
from telar.catalog.types import Catalog, Variant
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
        known("workload", workload, catalog.workloads)
    names = [suite, *catalog.file.suite[suite].also]
    if workload:
        names = _of_the_workload(catalog, suite, names, workload)
    systems = dict.fromkeys(_system(catalog, catalog.file.suite[name].workload) for name in names)
    forms = dict.fromkeys(_form(catalog, suite, list(systems), pattern, workload) for pattern in only)
    found = [_part(catalog, name, only, workload) for name in (*names, *(f for f in forms if f))]
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


def form(catalog: Catalog, suite: str, system: str) -> str | None:
    """The suite of this kind that a system's variants are run in; None where there is none."""
    if _system(catalog, catalog.file.suite[suite].workload) == system:
        return suite
    own = f"{system}-{suite}"
    return own if own in catalog.file.suite else None


def _part(catalog: Catalog, name: str, only: Sequence[str], workload: str | None) -> Part:
    suite = catalog.file.suite[name]
    chosen = workload or suite.workload
    own = select.variants_of(catalog, _system(catalog, chosen))
    return Part(suite=suite, workload=chosen, variants=select.matching(own, only or suite.variants))


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
        own = [n for n, s in catalog.file.suite.items() if _system(catalog, s.workload) == of]
        raise ConfigError(
            f"{what} is for the system {systems[0]!r}, but {other.full!r} belongs to {of!r}",
            hint=f"suites of {of}: {', '.join(own) or 'none'}",
        )
    return found


def _system(catalog: Catalog, workload: str) -> str:
    return catalog.workloads[workload].file.system

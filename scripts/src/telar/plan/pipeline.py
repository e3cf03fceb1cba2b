"""What a workflow runs, decided here and not in YAML: by the event that started it, and by what changed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import PurePath
from typing import Any

import msgspec

from telar.catalog.module import counts, is_left, parents
from telar.catalog.types import Catalog
from telar.catalog.variant import Variant
from telar.errors import ConfigError
from telar.plan import parts
from telar.plan.cells import Plan, Wishes, make_plan
from telar.plan.lanes import is_weekly, plan_of, tonight

INPUTS = ("suite", "variants", "jdks", "drivers", "workload", "repeats")
DAY = 86_400
REPEATS = 1000
_SHARED = re.compile(r"(?P<system>apps/[^/]+/)shared/(?P<part>[^/]+)/")


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    plan: Plan
    why: str


def asked(catalog: Catalog, event: str, inputs: dict[str, Any], only: str, now: float) -> Asked:
    """What the event asks for. `only`: variants that pushes and nights run in place of the suite's, "" for
    the suite's; `now`: seconds since 1970, which night it is.

    Raises ConfigError for an event that asks for nothing, and for inputs that name nothing that there is.
    """
    pipeline = catalog.file.pipeline
    narrowed = words(only)
    where = f", of {', '.join(narrowed)}" if narrowed else ""
    if event == "push":
        wishes = Wishes(suite=pipeline.push, engine="compose", only=narrowed)
        return Asked(plan=make_plan(catalog, wishes), why=f"a push: the suite {pipeline.push}{where}")
    day = int(now // DAY)
    if event == "schedule" and pipeline.weekly and is_weekly(catalog, day):
        wishes = Wishes(suite=pipeline.weekly, engine="compose", only=narrowed)
        why = f"one night in seven: the suite {pipeline.weekly}{where}"
        return Asked(plan=make_plan(catalog, wishes), why=why)
    if event == "schedule":
        chosen = tonight(catalog, day)
        wishes = Wishes(suite=pipeline.night, engine="compose", only=narrowed)
        names = "; ".join(lane.name for lane in chosen)
        return Asked(
            plan=plan_of(catalog, wishes, chosen),
            why=f"this night's lanes ({names}): the suite {pipeline.night}{where}",
        )
    if event == "workflow_dispatch":
        return Asked(plan=make_plan(catalog, _wishes(catalog, inputs)), why="asked for by hand")
    raise ConfigError(f"the event {event!r} asks for no run", hint="push, schedule or workflow_dispatch")


def _wishes(catalog: Catalog, inputs: dict[str, Any]) -> Wishes:
    unknown = set(inputs) - set(INPUTS)
    if unknown:
        raise ConfigError(f"the workflow has no input {min(unknown)!r}", hint=f"it has: {', '.join(INPUTS)}")
    said = {name: str(inputs.get(name) or "").strip() for name in INPUTS}
    repeats = said["repeats"]
    if repeats and not (repeats.isdecimal() and 1 <= int(repeats) <= REPEATS):
        raise ConfigError(f"the input repeats is {repeats!r}: say a number from 1 to {REPEATS}")
    return Wishes(
        suite=said["suite"] or catalog.file.pipeline.push,
        engine="compose",
        only=words(said["variants"]),
        jdks=words(said["jdks"]),
        drivers=words(said["drivers"]),
        workload=said["workload"] or None,
        repeat=int(repeats) if repeats else None,
    )


def touched(
    catalog: Catalog, suite: str, paths: Sequence[str], drivers: Collection[str] = ()
) -> tuple[str, ...]:
    """The variants whose artefacts differ for a change of these files, and of these drivers' versions.

    What one app is made of touches that app, sources that several compile touch each of them; what several
    inherit touches those of them that the suite has. Of an app that the suite hasn't, one launch stands for
    all: the last, which is the one on virtual threads. `paths`: relative to the repository.
    """
    own = [v for part in parts.parts_of(catalog, suite, (), None) for v in part.variants]
    theirs = [v for name in catalog.systems for v in _of_the_kind(catalog, suite, name)]
    groups = [
        variants
        for variants in _apps(catalog).values()
        if set(variants[0].app.file.drivers).intersection(drivers)
    ]
    groups += [group for path in paths for group in _made_of(catalog, PurePath(path))]
    measured = [_measurable(catalog, suite, group) for group in groups]
    return tuple(dict.fromkeys(name for group in measured for name in _chosen(group, own, theirs)))


def unseen(catalog: Catalog, suite: str, paths: Sequence[str]) -> tuple[str, ...]:
    """Of these files, those in apps/ that are in no artefact: images, contract, an app that this checkout
    doesn't know. Both sides of a comparison have this checkout's, so it can't say anything about them. And
    those of a system that has no suite of this kind.
    """
    inside = (name for name in paths if PurePath(name).parts[0] == "apps" and not name.endswith(".md"))
    return tuple(name for name in inside if _is_unseen(catalog, suite, PurePath(name)))


def _is_unseen(catalog: Catalog, suite: str, path: PurePath) -> bool:
    made = _made_of(catalog, path)
    if made:
        return not any(_measurable(catalog, suite, group) for group in made)
    return not any(path.is_relative_to(folder) for folder in _apps(catalog))


def _of_the_kind(catalog: Catalog, suite: str, system: str) -> list[Variant]:
    """The variants of a system's own suite of this kind."""
    form = parts.form(catalog, suite, system)
    return [v for part in parts.parts_of(catalog, form, (), None) for v in part.variants] if form else []


def _measurable(catalog: Catalog, suite: str, group: Sequence[Variant]) -> list[Variant]:
    """Those whose system has a suite of this kind."""
    return [v for v in group if parts.form(catalog, suite, v.app.file.system)]


def _made_of(catalog: Catalog, path: PurePath) -> list[list[Variant]]:
    """The variants whose artefacts a file is part of, in groups of which a comparison needs one at least."""
    apps = _apps(catalog)
    for folder, variants in apps.items():
        if path.is_relative_to(folder):
            inside = path.relative_to(folder)
            return [variants] if counts(inside) and not is_left(inside) else []
    if shared := _SHARED.match(str(path)):
        system, part = shared["system"], shared["part"]
        return [own for at, own in apps.items() if at.is_relative_to(system) and own[0].app.compiles(part)]
    heirs = [v for v in catalog.variants.values() if path.suffix != ".md" and _is_parent(path, v)]
    return [heirs] if heirs else []


def _apps(catalog: Catalog) -> dict[PurePath, list[Variant]]:
    """Folder, relative to the repository -> the variants of the app in it."""
    apps: dict[PurePath, list[Variant]] = {}
    for variant in catalog.variants.values():
        apps.setdefault(variant.app.folder.relative_to(catalog.home), []).append(variant)
    return apps


def _is_parent(path: PurePath, variant: Variant) -> bool:
    """Whether the file is of a pom.xml that the variant's app inherits from."""
    return any(path.is_relative_to(f"apps/{name}") for name in parents(variant.app.file.framework))


def _chosen(variants: Sequence[Variant], own: Sequence[Variant], theirs: Sequence[Variant]) -> list[str]:
    """Of those: the suite's, or one in their place; of other systems, the same where there is none of the
    suite's own. `theirs`: of other systems' suites of the kind.
    """
    systems = {v.app.file.system for v in own}
    related = [v for v in variants if v.app.file.system in systems] or variants
    labels = {v.label for v in (*own, *theirs)}
    return [v.label for v in related if v.label in labels] or [v.label for v in related[-1:]]


def words(text: str) -> tuple[str, ...]:
    """Names that are separated by commas or spaces."""
    return tuple(text.replace(",", " ").split())

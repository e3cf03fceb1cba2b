"""What a line of commits changes of what is built, and so what a comparison of its ends has to measure."""

from __future__ import annotations

import msgspec

from telar.build import sources
from telar.catalog.types import Catalog
from telar.plan import pipeline
from telar.tools import git


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    base: str  # the commit where the two parted: what came to main in the meantime is none of the change
    head: str
    variants: tuple[str, ...]  # to be compared
    drivers: dict[str, str]  # of these variants, whose default version it moves: name -> the head's
    absent: dict[str, str]  # variants that would be, and the commit that hasn't them
    builds: bool  # whether it changes what is built, whatever drivers there are
    unseen: tuple[str, ...]  # files that no comparison sees: both sides have the checkout's


def changed(catalog: Catalog, suite: str, base: str, head: str) -> Changed:
    """Between two names of commits. Raises ConfigError where one is none, or they have nothing in common."""
    tip = git.commit_of(catalog.home, head)
    parted = git.merge_base(catalog.home, git.commit_of(catalog.home, base), tip)
    moved = sources.moved_drivers(catalog, parted, tip)
    paths = git.paths_changed(catalog.home, parted, tip)
    touched = pipeline.touched(catalog, suite, paths, moved)
    absent = {name: commit for commit in (parted, tip) for name in sources.absent(catalog, commit, touched)}
    variants = tuple(name for name in touched if name not in absent)
    taken = {driver for name in variants for driver in catalog.variants[name].app.file.drivers}
    return Changed(
        base=parted,
        head=tip,
        variants=variants,
        drivers={name: version for name, version in moved.items() if name in taken},
        absent=absent,
        builds=bool(pipeline.touched(catalog, suite, paths, {})),
        unseen=pipeline.unseen(catalog, suite, paths),
    )

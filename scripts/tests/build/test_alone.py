"""What an attribution measures: each thing in which two sides differ, by itself."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from telar.build import alone
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.errors import ConfigError
from telar.plan.sides import Side
from telar.tools import git

from . import test_bumps
from .test_bumps import commit, edit, run

ROOT = Path(__file__).resolve().parents[3]
repository = test_bumps.repository


@pytest.fixture
def catalog(repository: Path) -> Catalog:
    """Whose commits are those of the repository."""
    return msgspec.structs.replace(load(ROOT), root=repository)


def bumped(repository: Path) -> tuple[str, str]:
    """Two versions, and a line of code."""
    base = run(repository, "rev-parse", "HEAD")
    edit(repository, "pom.xml", ("4.0.1", "4.0.2"), ("7.0.1", "7.0.2"))
    edit(repository, "src/A.java", ("class A {}", "class A { int b; }"))
    return base, commit(repository, "head")


def test_each_bumped_version_is_a_commit_of_its_own_and_the_rest_is_in_none(
    catalog: Catalog, repository: Path
) -> None:
    base, head = bumped(repository)
    found = alone.of(catalog, Side(revision=base), Side(revision=head, drivers={"mysql": "9.7.0"}))
    boot, pool, driver = found
    assert (boot, pool, driver) == (
        "spring-boot-starter-parent 4.0.1 → 4.0.2", "hikaricp 7.0.1 → 7.0.2", "driver mysql",
    )  # fmt: skip
    assert git.paths_changed(repository, base, found[boot].revision) == ["pom.xml"]
    assert "4.0.2" in git.show(repository, found[boot].revision, "pom.xml")
    assert "7.0.2" not in git.show(repository, found[boot].revision, "pom.xml")
    assert (found[driver].revision, found[driver].drivers) == (base, {"mysql": "9.7.0"})


def test_a_single_bump_is_the_commit(catalog: Catalog, repository: Path) -> None:
    base = run(repository, "rev-parse", "HEAD")
    edit(repository, "pom.xml", ("7.0.1", "7.0.2"))
    head = commit(repository, "head")
    sides = Side(revision=base), Side(revision=head)
    assert list(alone.of(catalog, *sides)) == ["revision"]
    with pytest.raises(ConfigError, match="differ in revision alone"):
        alone.asked(catalog, *sides)


def test_more_than_can_be_told_apart_is_refused_by_name(catalog: Catalog) -> None:
    drivers = dict.fromkeys("abcdefg", "9.7.0")
    with pytest.raises(ConfigError, match=r"differ in 7 things: .*driver g"):
        alone.asked(catalog, Side(), Side(drivers=drivers))

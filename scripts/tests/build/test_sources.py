"""The apps of another commit: unpacked once, built from there, driven from here."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from telar.build import maven, sources
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.errors import ConfigError
from telar.plan.sides import parse
from telar.tools import git

from ..store.records import CELL

ROOT = Path(__file__).parents[3]
PROPERTIES = "movies/spring-mysql-blocking/src/main/resources/application.properties"


def run(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", folder, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository whose second commit has another setting in one app."""
    root = tmp_path_factory.mktemp("repository") / "checkout"
    built = shutil.ignore_patterns("target", "node_modules")
    for name in ("apps", "compose", "k6"):
        shutil.copytree(ROOT / name, root / name, ignore=built)
    shutil.copy(ROOT / "telar.toml", root)
    run(root, "init", "--quiet")
    me = ("-c", "user.name=t", "-c", "user.email=t@localhost")
    run(root, "add", "telar.toml", "compose", *(f"apps/{p.name}" for p in (root / "apps").iterdir()))
    run(root, *me, "commit", "--quiet", "-m", "one")
    run(root, "tag", "one")
    with (root / "apps" / PROPERTIES).open("a") as file:
        file.write("spring.main.lazy-initialization=true\n")
    run(root, *me, "commit", "--quiet", "-am", "two")
    return root


@pytest.fixture
def catalog(repository: Path, tmp_path: Path) -> Catalog:
    """The test's own copy of the repository."""
    return load(shutil.copytree(repository, tmp_path / "checkout"))


@pytest.mark.thorough
def test_a_cell_without_a_revision_has_the_checkouts_apps(catalog: Catalog) -> None:
    assert sources.catalog_for(catalog, CELL) is catalog
    assert catalog.apps == catalog.root / "apps"


@pytest.mark.thorough
def test_a_revisions_apps_are_built_from_that_revision(catalog: Catalog) -> None:
    cells = {
        name: msgspec.structs.replace(CELL, revision=git.commit_of(catalog.root, name))
        for name in ("one", "HEAD")
    }
    builds = {name: maven.build_of(catalog, cell) for name, cell in cells.items()}
    text = {name: (build.apps / PROPERTIES).read_text() for name, build in builds.items()}
    assert "lazy-initialization" in text["HEAD"]
    assert "lazy-initialization" not in text["one"]
    folders = {name: maven.artifact_folder(catalog, build) for name, build in builds.items()}
    assert folders["one"] != folders["HEAD"]
    assert folders["HEAD"] == maven.artifact_folder(
        catalog, maven.build_of(catalog, CELL)
    )  # the same sources
    assert not (builds["one"].apps.parent / "k6").exists()


def test_a_revision_that_has_not_the_variant_says_so(catalog: Catalog) -> None:
    cell = msgspec.structs.replace(
        CELL, variant="spring-mysql-blocking-other", revision=git.commit_of(catalog.root, "one")
    )
    with pytest.raises(ConfigError, match=r"has no variant 'spring-mysql-blocking-other'") as told:
        sources.catalog_for(catalog, cell)
    assert "did you mean" in told.value.hint


@pytest.mark.thorough
def test_a_name_that_is_no_commit_is_an_error_and_no_option(catalog: Catalog) -> None:
    for name in ("nowhere", "--help", "one two"):
        with pytest.raises(ConfigError, match="names no commit"):
            git.commit_of(catalog.root, name)


def test_commits_between_two_are_in_their_order(catalog: Catalog) -> None:
    one, two = (git.commit_of(catalog.root, name) for name in ("one", "HEAD"))
    assert git.between(catalog.root, one, two) == [two]
    assert git.between(catalog.root, two, one) == []


def bump(catalog: Catalog, text: str) -> str:
    """A commit whose telar.toml has this in it instead of MySQL's default; the checkout stays as it was."""
    path = catalog.root / "telar.toml"
    before = path.read_text()
    path.write_text(before.replace('default = "9.7.0"', text, 1))
    run(catalog.root, "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "--quiet", "-am", "bump")
    head = run(catalog.root, "rev-parse", "HEAD")
    path.write_text(before)
    return head


def test_a_change_that_brings_a_driver_version_in_may_name_it(catalog: Catalog) -> None:
    base = git.commit_of(catalog.root, "HEAD")
    head = bump(catalog, 'default = "99.1.0"')
    assert sources.moved_drivers(catalog, base, head) == {"mysql": "99.1.0"}
    assert sources.moved_drivers(catalog, base, base) == {}
    versions = sources.with_versions(catalog, head).file.driver["mysql"].versions
    assert "99.1.0" in versions
    assert set(catalog.file.driver["mysql"].versions) < set(versions)
    said = parse(sources.with_versions(catalog, head), "--head", ["driver=mysql=99.1.0"], str)
    assert said.drivers == {"mysql": "99.1.0"}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "text",
    ['default = "9.7.0; rm -rf /"', 'default = "-Dx=y"', "default = 9", 'default = "1\\n2"', "default = ["],
)
def test_a_version_that_is_none_is_refused(catalog: Catalog, text: str) -> None:
    with pytest.raises(ConfigError, match="driver: "):
        sources.with_versions(catalog, bump(catalog, text))


def test_a_commit_without_a_telar_toml_says_so(catalog: Catalog) -> None:
    empty = run(catalog.root, "-c", "user.name=t", "-c", "user.email=t@localhost", "commit-tree", "-m", "x",
                run(catalog.root, "mktree", "--missing"))  # fmt: skip
    with pytest.raises(ConfigError, match="has no telar"):
        sources.with_versions(catalog, empty)

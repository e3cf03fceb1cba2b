"""The name of an artefact says what it was built from: what is built counts, and nothing else does."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from telar.build import maven
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.tools import git

from ..store.records import CELL

ROOT = Path(__file__).parents[3]
APP = "movies/spring-mysql-blocking"
MAIN = f"{APP}/src/main/java/dev/telar/movies"


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    """A checkout of its own, with no more than builds read."""
    root = tmp_path / "checkout"
    listed = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "apps", "telar.toml"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    for name in filter(None, listed.split("\0")):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    for name in ("compose", "k6"):
        (root / name).symlink_to(ROOT / name)
    return load(root)


def key(catalog: Catalog, revision: str = "") -> str:
    cell = msgspec.structs.replace(CELL, revision=revision)
    return maven.artifact_folder(catalog, maven.build_of(catalog, cell)).name


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as end:
        end.write(text)


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        (f"{MAIN}/MovieService.java", True),
        (f"{MAIN}/test/Fixture.java", True),  # a package may be called so
        (f"{MAIN}/target/Goal.java", True),
        (f"{MAIN}/node_modules/Module.java", True),
        (f"{APP}/src/main/resources/help.md", True),
        (f"{APP}/src/main/resources/test/sample.json", True),
        (f"{APP}/pom.xml", True),
        (f"{APP}/variant.toml", True),
        (f"{APP}/README.txt", True),
        ("pom.xml", True),
        ("spring-parent/pom.xml", True),
        ("movies/shared/spring-mysql/java/dev/telar/movies/target/Goal.java", True),
        ("movies/shared/spring/resources/help.md", True),  # is built into each app that shares it
        ("movies/shared/quarkus/java/dev/telar/movies/A.java", False),
        ("movies/shared/spring-mongodb/java/dev/telar/movies/A.java", False),
        (f"{APP}/README.md", False),
        (f"{APP}/docs/why.md", False),
        (f"{APP}/src/test/java/dev/telar/movies/MovieApiIT.java", False),
        (f"{APP}/target/app.jar", False),
        (f"{APP}/node_modules/left/index.js", False),
        ("quarkus-parent/pom.xml", False),
        ("movies/quarkus-mysql-blocking/pom.xml", False),
        ("movies/contract/openapi.yaml", False),
        ("Dockerfile", False),
        ("README.md", False),
    ],
)
def test_what_is_built_counts_and_nothing_else(catalog: Catalog, path: str, counts: bool) -> None:
    before = key(catalog)
    write(catalog.apps / path, "\n")
    assert (key(catalog) != before) == counts


@pytest.mark.thorough
def test_two_commits_that_differ_in_a_package_called_test_are_two_artefacts(catalog: Catalog) -> None:
    def commit() -> str:
        me = ("-c", "user.name=t", "-c", "user.email=t@localhost")
        for words in (
            ("init", "--quiet"),
            ("add", "apps", "telar.toml"),
            (*me, "commit", "--quiet", "-m", "x"),
        ):
            subprocess.run(["git", "-C", catalog.root, *words], check=True)
        return git.commit_of(catalog.root, "HEAD")

    write(catalog.apps / MAIN / "test" / "A.java", "// one")
    one = commit()
    write(catalog.apps / MAIN / "test" / "A.java", "// two")
    two = commit()
    assert key(catalog, one) != key(catalog, two) == key(catalog)


def test_a_build_gets_all_that_counts_and_nothing_that_tools_left(catalog: Catalog, tmp_path: Path) -> None:
    for inside in ("target/Goal.java", "test/A.java", "node_modules/Module.java"):
        write(catalog.apps / MAIN / inside, "// code")
    write(catalog.apps / APP / "target" / "classes" / "A.class", "left")
    write(catalog.apps / APP / "mvnw", "#!/bin/sh\n")
    (catalog.apps / APP / "mvnw").chmod(0o755)
    here = maven._copied(maven.build_of(catalog, CELL), tmp_path / "copy")
    copied = {
        p.relative_to(tmp_path / "copy").as_posix() for p in (tmp_path / "copy").rglob("*") if p.is_file()
    }
    assert here == tmp_path / "copy" / APP
    assert {f"{MAIN}/target/Goal.java", f"{MAIN}/test/A.java", f"{MAIN}/node_modules/Module.java"} <= copied
    assert {"pom.xml", "spring-parent/pom.xml", f"{APP}/pom.xml"} <= copied
    assert not [name for name in copied if name.startswith((f"{APP}/target/", "quarkus-parent", "movies/q"))]
    assert os.access(here / "mvnw", os.X_OK)

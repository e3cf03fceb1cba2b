"""Versions that a change bumps: found in any tool's build files, and each a commit of its own."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from telar.build import bumps
from telar.tools import git

POM = """\
<project>
  <parent>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-starter-parent</artifactId>
    <version>4.0.1</version>
  </parent>
  <properties>
    <hikaricp.version>7.0.1</hikaricp.version>
    <java.version>21</java.version>
  </properties>
</project>
"""
GRADLE = """\
plugins { id("org.springframework.boot") version "4.0.1" }
dependencies {
    implementation("com.mysql:mysql-connector-j:9.6.0")
    implementation("com.zaxxer:HikariCP:7.0.1")
}
"""
CATALOG = '[versions]\nquarkus = "3.33.1"\nmysql = "9.6.0"\n'


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    run(tmp_path, "init", "--quiet", "--initial-branch", "main")
    files = {"pom.xml": POM, "apps/shop/pom.xml": POM, "app/build.gradle.kts": GRADLE,
             "gradle/libs.versions.toml": CATALOG, "src/A.java": "class A {}\n"}  # fmt: skip
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    commit(tmp_path, "base")
    return tmp_path


def run(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost"]
    done = subprocess.run(["git", "-C", folder, *who, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def commit(folder: Path, message: str) -> str:
    run(folder, "add", "--all")
    run(folder, "commit", "--quiet", "-m", message)
    return run(folder, "rev-parse", "HEAD")


def edit(folder: Path, name: str, *pairs: tuple[str, str]) -> None:
    text = (folder / name).read_text()
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    (folder / name).write_text(text)


def test_a_module_in_a_folder_counts_as_well(repository: Path) -> None:
    edit(repository, "apps/shop/pom.xml", ("7.0.1", "7.0.2"))
    (found,) = bumps.between(repository, run(repository, "rev-parse", "HEAD"), commit(repository, "head"))
    assert (found.words, found.lines[0][0]) == ("hikaricp 7.0.1 → 7.0.2", "apps/shop/pom.xml")


def test_each_tools_versions_are_found_by_the_names_that_its_files_have(repository: Path) -> None:
    edit(repository, "pom.xml", ("4.0.1", "4.0.2"), ("7.0.1", "7.0.2"))
    edit(repository, "app/build.gradle.kts", ("4.0.1", "4.1.0-RC1"), ("9.6.0", "9.7.0"))
    edit(repository, "gradle/libs.versions.toml", ("3.33.1", "3.33.2"))
    edit(repository, "src/A.java", ("class A {}", 'class A { String version = "1.2.3"; }'))
    found = bumps.between(repository, run(repository, "rev-parse", "HEAD"), commit(repository, "head"))
    assert {b.words for b in found} == {
        "spring-boot-starter-parent 4.0.1 → 4.0.2",
        "hikaricp 7.0.1 → 7.0.2",
        "org.springframework.boot 4.0.1 → 4.1.0-RC1",
        "mysql-connector-j 9.6.0 → 9.7.0",
        "quarkus 3.33.1 → 3.33.2",
    }


def test_what_is_more_than_a_version_is_no_bump(repository: Path) -> None:
    edit(repository, "pom.xml", ("<java.version>21<", "<java.version>25<"))  # no version of a library's form
    edit(repository, "app/build.gradle.kts", ("com.zaxxer:HikariCP:7.0.1", "org.acme:Pool:7.0.2"))
    edit(repository, "gradle/libs.versions.toml", ('mysql = "9.6.0"', 'mysql = "9.6.0"\nredis = "5.1.0"'))
    base = run(repository, "rev-parse", "HEAD")
    assert bumps.between(repository, base, commit(repository, "head")) == []


def test_one_bump_alone_is_a_commit_that_stays_the_same(repository: Path) -> None:
    base = run(repository, "rev-parse", "HEAD")
    edit(repository, "pom.xml", ("4.0.1", "4.0.2"), ("7.0.1", "7.0.2"))
    head = commit(repository, "head")
    before = run(repository, "status", "--porcelain")
    parent, pool = bumps.between(repository, base, head)
    made = bumps.alone(repository, base, pool)
    assert made == bumps.alone(repository, base, pool) != bumps.alone(repository, base, parent)
    assert git.commit_of(repository, made) == made
    text = git.show(repository, made, "pom.xml")
    assert text == POM.replace("7.0.1", "7.0.2")
    assert run(repository, "diff", "--name-only", base, made) == "pom.xml"
    assert run(repository, "rev-parse", "HEAD") == head
    assert run(repository, "status", "--porcelain") == before == ""


def test_the_same_version_in_two_places_is_one_bump(repository: Path) -> None:
    edit(
        repository,
        "pom.xml",
        ("</properties>", "</properties>\n  <hikaricp.version>7.0.1</hikaricp.version>"),
    )
    base = commit(repository, "twice")
    edit(repository, "pom.xml", ("7.0.1", "7.0.2"))
    (bump,) = bumps.between(repository, base, commit(repository, "head"))
    assert len(bump.lines) == 2
    assert "7.0.1" not in git.show(repository, bumps.alone(repository, base, bump), "pom.xml")


def test_a_verdict_names_what_was_bumped_where_the_clone_has_both_commits(repository: Path) -> None:
    base = run(repository, "rev-parse", "HEAD")
    edit(repository, "pom.xml", ("7.0.1", "7.0.2"))
    edit(repository, "gradle/libs.versions.toml", ("9.6.0", "9.7.0"))
    head = commit(repository, "two versions")
    assert set(bumps.words(repository, base, head)) == {"hikaricp 7.0.1 → 7.0.2", "mysql 9.6.0 → 9.7.0"}
    assert bumps.words(repository, base, base) == ()
    assert bumps.words(repository, base, "0" * 40) == ()
    assert bumps.words(repository, "", head) == ()

"""What git says of commits, and where a repository is in the web."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from telar.tools import git


def run(folder: Path, *arguments: str) -> str:
    who = ["-c", "user.name=Ada Lovelace", "-c", "user.email=ada@localhost"]
    done = subprocess.run(
        ["git", "-C", str(folder), *who, *arguments], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    run(tmp_path, "init", "--quiet", "--initial-branch", "main")
    return tmp_path


def commit(folder: Path, message: str) -> str:
    run(folder, "commit", "--quiet", "--allow-empty", "-m", message)
    return run(folder, "rev-parse", "HEAD")


def test_a_commit_has_its_subject_author_parent_and_branch(repository: Path) -> None:
    first = commit(repository, "The first\n\nand more")
    second = commit(repository, "Form\x0bfeed | <b>")
    run(repository, "switch", "--quiet", "-c", "topic/x")
    third = commit(repository, "On a branch")
    found = git.commits(repository, [first, second, third, "0" * 40, "no hash"])
    assert set(found) == {first, second, third}
    assert found[first] == git.Commit(subject="The first", author="Ada Lovelace", parent="", branch="main")
    assert (found[second].subject, found[second].parent) == ("Form\x0bfeed | <b>", first)
    assert (found[third].branch, found[third].parent) == ("topic/x", second)


def test_outside_of_a_repository_nothing_is_known(tmp_path: Path) -> None:
    assert git.commits(tmp_path, ["1" * 40]) == {}
    assert git.web_address(tmp_path) == ""


@pytest.mark.parametrize(
    ("remote", "address"),
    [
        ("https://github.com/o/n.git", "https://github.com/o/n"),
        ("https://user:secret@github.com/o/n", "https://github.com/o/n"),
        ("git@github.com:o/n.git", "https://github.com/o/n"),
        ("ssh://git@example.org:2222/a/b/", "https://example.org/a/b"),
        ("/srv/git/n.git", ""),
        ("javascript:alert(1)", ""),
    ],
)
def test_a_remote_has_an_address_without_secrets_or_none(repository: Path, remote: str, address: str) -> None:
    run(repository, "remote", "add", "origin", remote)
    assert git.web_address(repository) == address


def test_the_lines_that_differ_are_known_on_both_sides(repository: Path) -> None:
    file, gone = repository / "src" / "Über.java", repository / "Old.java"
    file.parent.mkdir()
    file.write_text("one\n-- two\nthree\nfour\n")
    gone.write_text("a\nb\n")
    (repository / "notes.md").write_text("x\n")
    run(repository, "add", ".")
    first = commit(repository, "first")
    file.write_text("one\n++ 2\nthree\nfour\nfive\nsix\n")  # whose lines look like a diff's own
    gone.unlink()
    (repository / "notes.md").write_text("y\n")
    run(repository, "add", "--all")
    second = commit(repository, "second")
    found = git.lines_changed(repository, first, second, ["*.java"])
    assert found == {
        "src/Über.java": (frozenset({2}), frozenset({2, 5, 6})),
        "Old.java": (frozenset({1, 2}), frozenset()),
    }
    file.write_text("1\n++ 2\nthree\nfour\nfive\nsix\n")
    assert git.lines_changed(repository, second, "", ["*.java"]) == {
        "src/Über.java": (frozenset({1}), frozenset({1}))
    }

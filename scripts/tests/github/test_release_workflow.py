"""release.yml: a tag that isn't the program's version, or has no entry in the changelog, releases nothing."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path

import pytest

from . import steps

CHECK, ARCHIVE = "The tag is the version", "The archive"


def git(folder: Path, *words: str) -> None:
    own = ("-c", "user.name=t", "-c", "user.email=t@localhost")
    subprocess.run(["git", "-C", folder, *own, *words], check=True, capture_output=True)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A checkout of main that says it is 1.2.3."""
    (tmp_path / "scripts/src/telar").mkdir(parents=True)
    (tmp_path / "scripts/src/telar/__init__.py").write_text('__version__ = "1.2.3"\n')
    (tmp_path / "CHANGELOG.md").write_text("## [1.2.3] - 2026-11-25\n")
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "all")
    git(tmp_path, "update-ref", "refs/remotes/origin/main", "HEAD")
    return tmp_path


def code(folder: Path, tag: str) -> int:
    return steps.run("release.yml", "test", CHECK, folder, {}, GITHUB_REF_NAME=tag).returncode


def test_a_tag_of_the_programs_version_on_main_is_released(folder: Path) -> None:
    assert code(folder, "v1.2.3") == 0


def test_another_tag_is_not(folder: Path) -> None:
    assert code(folder, "v1.2.4") != 0


def test_what_the_changelog_does_not_have_is_not(folder: Path) -> None:
    (folder / "CHANGELOG.md").write_text("## [Unreleased]\n")
    assert code(folder, "v1.2.3") != 0


def test_what_is_not_on_main_is_not(folder: Path) -> None:
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "elsewhere")
    assert code(folder, "v1.2.3") != 0


def test_the_archive_holds_the_commit_and_its_checksum_fits(folder: Path) -> None:
    done = steps.run("release.yml", "release", ARCHIVE, folder, {}, GITHUB_REF_NAME="v1.2.3")
    assert done.returncode == 0, done.stderr
    with tarfile.open(folder / "dist/telar-1.2.3.tar.gz") as archive:
        assert "telar-1.2.3/scripts/src/telar/__init__.py" in archive.getnames()
    subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=folder / "dist", check=True)

"""The check of the apps' Testcontainers tests: which apps it builds, and what it doesn't let pass."""

from __future__ import annotations

from pathlib import Path

import pytest

from telar.cli import test as checks

SUMMARY = "<failsafe-summary><completed>{}</completed><skipped>{}</skipped></failsafe-summary>"


@pytest.fixture
def apps(tmp_path: Path) -> Path:
    """Two apps with such a test, and one without."""
    for app, test in (("a/java", "java/AppIT.java"), ("b/kotlin", "kotlin/x/AppIT.kt"), ("c/java", "")):
        (tmp_path / app / "src/test").mkdir(parents=True)
        if test:
            path = tmp_path / app / "src/test" / test
            path.parent.mkdir(parents=True)
            path.touch()
    return tmp_path


def summary(apps: Path, app: str, completed: int, skipped: int) -> None:
    folder = apps / app / "target" / "failsafe-reports"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "failsafe-summary.xml").write_text(SUMMARY.format(completed, skipped))


def test_the_apps_that_have_such_tests_are_found_in_whatever_language(apps: Path) -> None:
    assert checks._apps_with_containers(apps) == ["a/java", "b/kotlin"]


def test_without_any_such_test_the_check_fails(tmp_path: Path) -> None:
    with pytest.raises(checks.TestsFailed, match="no app has a Testcontainers test"):
        checks._apps_with_containers(tmp_path)


def test_an_app_whose_tests_were_skipped_or_did_not_run_fails(apps: Path) -> None:
    tested = ["a/java", "b/kotlin"]
    summary(apps, "a/java", 52, 0)
    with pytest.raises(checks.TestsFailed, match="b/kotlin: 0 of 0"):
        checks._require_all_ran(apps, tested)
    summary(apps, "b/kotlin", 52, 52)
    with pytest.raises(checks.TestsFailed, match="b/kotlin: 52 of 52"):
        checks._require_all_ran(apps, tested)
    summary(apps, "b/kotlin", 52, 0)
    checks._require_all_ran(apps, tested)

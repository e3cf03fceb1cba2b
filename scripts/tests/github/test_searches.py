"""At night: the commits between the two points of an open issue, and what was found said on it."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from ..cli.conftest import Telar
from . import steps
from .hub import Hub
from .test_regressions import BAD, History, commit, github, history, level, opened, sync

__all__ = ["github", "history"]
EVERY = 3  # so many commits between two points
FIRST = 39  # the first point of the worse level
SEARCH = {
    "good": commit(36), "bad": commit(FIRST), "variant": "spring-mysql-blocking-platform", "jdk": "25",
    "drivers": "mysql=9.7.0", "workload": "movies-short",
}  # fmt: skip


@pytest.fixture
def issue(github: Hub, history: History, telar: Telar) -> int:
    """Open, of three commits."""
    for day in range(0, 72, EVERY):
        history.add(day, 1.2 if day >= FIRST else 1.0)
    sync(telar, history)
    (found,) = opened(github)
    return int(found["number"])


def asked(telar: Telar, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    output = folder / "output"
    output.unlink(missing_ok=True)
    monkeypatch.setenv("GITHUB_OUTPUT", str(output))
    assert telar("workflow", "searches").code == 0
    found = json.loads(output.read_text().removeprefix("searches="))
    assert isinstance(found, list)
    return found


@pytest.mark.thorough
def test_several_commits_are_searched_once(
    github: Hub, issue: int, telar: Telar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "within [3 commits](https://github.com/acme/shop/compare/" in opened(github)[0]["body"]
    assert asked(telar, tmp_path, monkeypatch) == [{"issue": issue, "search": SEARCH}]
    folder = tmp_path / "searches"
    folder.mkdir()
    found = {
        "first_bad": commit(38),
        "metric": "p50",
        "sure": 0.993,
        "asked": [],
        "runs": 24,
        "minutes": 71.5,
    }
    (folder / f"{issue}.json").write_text(json.dumps(found))
    (folder / "99.json").write_text(json.dumps(found))  # of an issue that was closed meanwhile
    said = telar("workflow", "found", folder)
    assert f"issue {issue}" in said.out
    (comment,) = github.comments[issue]
    assert f"**{commit(38)}** is the first bad commit (99.3% sure)" in comment["body"]
    assert "By @dev-38." in comment["body"]
    assert asked(telar, tmp_path, monkeypatch) == []


@pytest.mark.thorough
def test_a_search_that_finds_nothing_is_said_with_its_reason(
    github: Hub, issue: int, telar: Telar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / f"{issue}.json").write_text("")
    (tmp_path / f"{issue}.txt").write_text("telar: too little to search for\nit ended with exit code 5\n")
    assert telar("workflow", "found", tmp_path).code == 0
    assert "too little to search for" in github.comments[issue][0]["body"]
    assert asked(telar, tmp_path, monkeypatch) == []


@pytest.mark.thorough
def test_a_single_commit_needs_no_search(
    github: Hub, history: History, telar: Telar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for day in range(BAD + 10):
        history.add(day, level(day))
    sync(telar, history)
    assert len(opened(github)) == 1
    assert asked(telar, tmp_path, monkeypatch) == []


@pytest.mark.parametrize("code", [0, 5])
def test_the_machine_searches_what_the_issue_says_and_fails_for_no_answer(tmp_path: Path, code: int) -> None:
    notes = steps.pretender(tmp_path, f"echo found; echo why >&2; exit {code}")
    values = {f"matrix.wanted.search.{key}": text for key, text in SEARCH.items()} | {
        "matrix.wanted.issue": "7"
    }
    done = steps.run("search.yml", "bisect", "Look between", tmp_path, values)
    assert done.returncode == 0, done.stderr
    assert notes.read_text().strip() == (
        f"bisect {commit(36)} {commit(39)} --only spring-mysql-blocking-platform --jdk 25 "
        "--driver mysql=9.7.0 --workload movies-short --engine compose --json"
    )
    assert (tmp_path / "searches" / "7.json").read_text() == "found\n"
    ended = "" if code == 0 else "it ended with exit code 5\n"
    assert (tmp_path / "searches" / "7.txt").read_text() == f"why\n{ended}"


@pytest.mark.thorough
def test_the_command_that_an_issue_names_accepts_the_published_level(
    github: Hub, issue: int, history: History, telar: Telar, checkout: Path, tmp_path: Path
) -> None:
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "--quiet", "--bare", remote], check=True)
    subprocess.run(["git", "-C", remote, "config", "uploadpack.allowFilter", "true"], check=True)
    work = tmp_path / "work"
    shutil.copytree(history.folder, work)
    own = ("-c", "user.name=t", "-c", "user.email=t@localhost")
    for words in (["init", "--quiet", "-b", "gh-pages"], ["add", "-A"], ["commit", "--quiet", "-m", "one"],
                  ["push", "--quiet", str(remote), "gh-pages"]):  # fmt: skip
        subprocess.run(["git", "-C", work, *own, *words], check=True)
    lines = [each for each in opened(github)[0]["body"].splitlines() if each.startswith("./telar accept")]
    assert len(lines) == len(set(lines)) == 4
    line = lines[0]
    words = [f"file://{remote}" if w == "origin" else w for w in shlex.split(line)[1:]]
    said = telar(*words)
    assert said.code == 0, said.err
    kept = (checkout / "benchmarks-data" / "accepted.toml").read_text()
    assert commit(FIRST) in kept
    assert "WHY" in kept
    steps.launcher(checkout)
    values = {"github.token": "secret", "secrets.TELAR_WEBHOOK": f"{github.url}/hook",
              "github.server_url": f"file://{tmp_path}", "github.repository": "remote"}  # fmt: skip
    done = steps.run("bench.yml", "regressions", "telar regressions", checkout, values)
    assert "issues: 0 opened, 0 updated, 0 closed" in done.stdout + done.stderr  # until it is published
    said = telar("detect", "--remote", f"file://{remote}")
    assert "1 accepted regression" in said.out

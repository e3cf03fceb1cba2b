"""`telar workflow`: decisions, said to the steps that follow."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from .conftest import Telar


@pytest.fixture
def output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "output"
    monkeypatch.setenv("GITHUB_OUTPUT", str(path))
    return path


def test_a_plan_becomes_jobs(telar: Telar, tmp_path: Path, output: Path) -> None:
    said = telar("workflow", "plan", "--name", "push", "--budget", "60m", "--to", tmp_path / "plans")
    assert said.code == 0
    jobs = json.loads(output.read_text().removeprefix("jobs="))
    assert jobs == list(range(1, len(jobs) + 1))
    assert sorted(p.name for p in (tmp_path / "plans").iterdir()) == sorted(f"job-{n}.json" for n in jobs)
    assert "a push" in said.out


def test_inputs_come_from_the_event(telar: Telar, tmp_path: Path, output: Path) -> None:
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"inputs": {"suite": "pull-request", "repeats": "3", "jdks": ""}}))
    plans = tmp_path / "plans"
    said = telar("workflow", "plan", "--name", "workflow_dispatch", "--event", event, "--to", plans)
    assert said.code == 0
    runs = [run for path in plans.iterdir() for run in json.loads(path.read_text())["runs"]]
    assert len(runs) == 2 * 3


def test_a_change_is_named_by_the_variants_it_touches(
    telar: Telar, checkout: Path, output: Path, tmp_path: Path
) -> None:
    def git(*words: str) -> str:
        own = ("-c", "user.name=t", "-c", "user.email=t@localhost")
        done = subprocess.run(
            ["git", "-C", checkout, *own, *words], check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    app = Path("apps/movies/spring-mysql-blocking/A.java")
    git("init", "--quiet", "--initial-branch=main")
    git("add", "telar.toml")
    git("commit", "--quiet", "-m", "base")
    base = git("rev-parse", "HEAD")
    git("checkout", "--quiet", "-b", "change")
    blob = subprocess.run(["git", "-C", checkout, "hash-object", "-w", "--stdin"], input=b"x", check=True,
                          capture_output=True).stdout.decode().strip()  # fmt: skip
    git("update-index", "--add", "--cacheinfo", f"100644,{blob},{app}")
    git("commit", "--quiet", "-m", "slower")
    head = git("rev-parse", "HEAD")
    git("checkout", "--quiet", "-f", "main")
    git("commit", "--quiet", "--allow-empty", "-m", "main went on")
    said = telar("workflow", "changed", "--base", "main", "--head", "change")
    assert said.code == 0
    assert output.read_text().splitlines() == [
        f"base={base}",
        f"head={head}",
        "variants=spring-mysql-blocking-virtual",
        "drivers=",
    ]

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


class History:
    """A main and a change of it, beside the checkout's files."""

    def __init__(self, checkout: Path) -> None:
        self.checkout = checkout
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("add", "telar.toml")

    def git(self, *words: str, given: bytes = b"") -> str:
        own = ("-c", "user.name=t", "-c", "user.email=t@localhost")
        done = subprocess.run(
            ["git", "-C", self.checkout, *own, *words], check=True, capture_output=True, input=given
        )
        return done.stdout.decode().strip()

    def on(self, branch: str) -> None:
        """What is committed from here on is the branch's; no file of the checkout is touched."""
        self.git("update-ref", f"refs/heads/{branch}", "main")
        self.git("symbolic-ref", "HEAD", f"refs/heads/{branch}")
        self.git("read-tree", branch)

    def commit(self, files: dict[str, bytes]) -> str:
        for name, content in files.items():
            blob = self.git("hash-object", "-w", "--stdin", given=content)
            self.git("update-index", "--add", "--cacheinfo", f"100644,{blob},{name}")
        self.git("commit", "--quiet", "--allow-empty", "-m", "one more")
        return self.git("rev-parse", "HEAD")


APP = "apps/movies/spring-mysql-blocking"


def test_a_change_is_named_by_the_variants_it_touches(telar: Telar, checkout: Path, output: Path) -> None:
    history = History(checkout)
    toml = f"{APP}/variant.toml"
    base = history.commit({toml: (checkout / toml).read_bytes()})
    history.on("change")
    head = history.commit({f"{APP}/A.java": b"x", "apps/Dockerfile": b"x"})
    history.on("main")
    history.commit({})  # main went on
    said = telar("workflow", "changed", "--base", "main", "--head", "change")
    assert said.code == 0
    assert output.read_text().splitlines() == [
        f"base={base}",
        f"head={head}",
        "variants=spring-mysql-blocking-virtual",
        "drivers=",
        "factors=",
    ]
    assert "not measured: apps/Dockerfile" in said.out


@pytest.mark.parametrize("there", [b"", b"[launch.platform]\n"])
def test_a_variant_that_one_side_has_not_is_named_and_not_compared(
    telar: Telar, checkout: Path, output: Path, there: bytes
) -> None:
    history = History(checkout)
    toml = f"{APP}/variant.toml"
    base = history.commit({toml: there} if there else {})
    history.on("change")
    history.commit({toml: (checkout / toml).read_bytes()})
    history.on("main")
    said = telar("workflow", "changed", "--base", "main", "--head", "change")
    assert said.code == 0
    assert "variants=\n" in output.read_text()
    assert f"not compared: {base[:12]} has no spring-mysql-blocking-virtual" in said.out

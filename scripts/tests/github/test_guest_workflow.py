"""guest.yml and guest-compare.yml: their steps as they are written, in the places that they check out."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from telar.cli.comment import workflows

from . import steps
from .test_compare_workflow import EACH, git

GUEST = "--guest service/bench/variant.toml"
VALUES = {
    "inputs.variant": "bench/variant.toml", "inputs.build": "bench.yml", "inputs.budget": "5m",
    "github.workflow_ref": "acme/shop/.github/workflows/bench-compare.yml@refs/heads/main",
    "needs.subject.outputs.suite": "pull-request", "needs.subject.outputs.base": "b" * 40,
    "needs.subject.outputs.number": "5", "github.token": "secret",
    "needs.base.outputs.digest": f"{hashlib.sha256(b'base').hexdigest()}  -",
    "github.event.pull_request.head.sha": "c" * 40,
    "github.event_name == 'pull_request' && 'pull-request' || 'guest'": "pull-request",
    "steps.alone.outcome": "skipped", EACH: "",
}  # fmt: skip


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """What a job has checked out: the service and Telar beside each other."""
    (tmp_path / "telar").mkdir()
    service = tmp_path / "service"
    git(tmp_path, "init", "--quiet", "--initial-branch=main", str(service))
    git(service, "commit", "--quiet", "--allow-empty", "-m", "base")
    git(service, "commit", "--quiet", "--allow-empty", "-m", "head")
    for side in ("base", "head"):
        (tmp_path / side).mkdir()
        (tmp_path / side / f"{side}.tar").write_text(side)
    return tmp_path


def test_a_guests_sides_are_taken_each_from_its_own_place(job: Path) -> None:
    notes = steps.pretender(job / "telar", "true")
    values = {**VALUES, "needs.subject.outputs.head": "c" * 40}
    done = steps.run("guest-compare.yml", "compare", "Take both sides", job, values)
    assert done.returncode == 0, done.stderr
    assert notes.read_text().splitlines() == [
        f"{GUEST} build pull-request --revision {'b' * 40} --load base/base.tar",
        f"{GUEST} build pull-request --revision {'c' * 40} --load head/head.tar",
    ]
    notes.unlink()
    (job / "base" / "base.tar").write_text("slower")
    assert steps.run("guest-compare.yml", "compare", "Take both sides", job, values).returncode == 1
    assert not notes.exists()


def test_what_each_version_of_a_guests_is_alone_is_built_taken_and_asked(job: Path) -> None:
    notes = steps.pretender(job / "telar", "echo said > verdict.md")
    values = {
        **VALUES, "needs.subject.outputs.head": "c" * 40, "steps.alone.outcome": "success", EACH: "5m",
        "github.event.pull_request.base.sha": "b" * 40, "steps.changed.outputs.base": "b" * 40,
    }  # fmt: skip
    for file, name, words in (("guest.yml", "build", "workflow changed"), ("guest.yml", "build", "by itself"),
                              ("guest-compare.yml", "compare", "Take both sides"),
                              ("guest-compare.yml", "compare", " ab --base")):  # fmt: skip
        done = steps.run(file, name, words, job, values, GITHUB_STEP_SUMMARY=str(job / "summary"))
        assert done.returncode == 0, done.stderr
    sides = f"--base {'b' * 40} --head {'c' * 40}"
    said = notes.read_text()
    assert f"{GUEST} workflow changed {sides} --suite pull-request\n" in said
    assert f"{GUEST} build pull-request {sides} --save alone.tar\n" in said
    assert f"{GUEST} build pull-request {sides} --load alone/alone.tar\n" in said
    assert f"{GUEST} ab {sides} --engine compose --attribute 5m --budget 5m" in said


def test_a_guests_file_is_the_heads(job: Path) -> None:
    notes = steps.pretender(job / "telar", "true")
    head = git(job / "service", "rev-parse", "HEAD")
    git(job / "service", "checkout", "--quiet", "HEAD~1")
    values = {**VALUES, "needs.subject.outputs.head": head}
    done = steps.run("guest-compare.yml", "compare", "workflow fetch", job, values)
    assert done.returncode == 0, done.stderr
    assert notes.read_text().splitlines() == [f"{GUEST} workflow fetch 5"]
    assert git(job / "service", "rev-parse", "HEAD") == head


@pytest.mark.parametrize(("code", "fails"), [(8, False), (5, True)])
def test_a_guests_comparison_fails_for_no_verdict(job: Path, code: int, fails: bool) -> None:
    notes = steps.pretender(job / "telar", f"echo said > verdict.md; exit {code}")
    values = {**VALUES, "needs.subject.outputs.head": "c" * 40}
    summary = job / "summary"
    done = steps.run("guest-compare.yml", "compare", " ab --base", job, values,
                     GITHUB_STEP_SUMMARY=str(summary))  # fmt: skip
    assert (done.returncode != 0) == fails
    assert "--budget 5m --data results --verdict verdict.json" in notes.read_text()
    assert summary.exists() != fails


def test_a_guests_head_is_built_as_a_commit_or_as_it_is(job: Path) -> None:
    notes = steps.pretender(job / "telar", "true")
    assert steps.run("guest.yml", "build", "Build it", job, VALUES).returncode == 0
    push = {**VALUES, "github.event.pull_request.head.sha": "",
            "github.event_name == 'pull_request' && 'pull-request' || 'guest'": "guest"}  # fmt: skip
    assert steps.run("guest.yml", "build", "Build it", job, push).returncode == 0
    assert notes.read_text().splitlines() == [
        f"{GUEST} build pull-request --revision {'c' * 40} --save head.tar",
        f"{GUEST} build guest --save head.tar",
    ]


def test_a_guests_verdict_comes_from_the_callers_own_file(monkeypatch: pytest.MonkeyPatch) -> None:
    own = steps.workflow("guest-compare.yml")["env"]
    assert own["TELAR_COMPARE_WORKFLOW"] == "${{ github.workflow_ref }}"
    monkeypatch.setenv("TELAR_COMPARE_WORKFLOW", VALUES["github.workflow_ref"])
    monkeypatch.setenv("TELAR_BUILD_WORKFLOW", VALUES["inputs.build"])
    monkeypatch.setenv("TELAR_RUNS_ON", '"telar"')
    found = workflows()
    assert found.compare == ".github/workflows/bench-compare.yml"
    assert found.build == ".github/workflows/bench.yml"
    assert found.machine.labels == ("telar",)

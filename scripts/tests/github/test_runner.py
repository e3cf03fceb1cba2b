"""The machine that measures: what it takes, and how it is registered."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from . import steps
from .steps import ROOT, workflow

FOLDER = ROOT / "scripts" / "runner"
MAIN = "acme/shop/.github/workflows/{}@refs/heads/main"
NOBODY = 65_534
NOTE = 'echo "$0 $*" >> calls.txt; env | grep -E "^(TELAR|ACTIONS)_" | sort >> calls.txt'


@pytest.fixture
def machine() -> Iterator[Path]:
    """A folder that a user who isn't root may use, with a runner that only notes how it was called."""
    folder = Path(tempfile.mkdtemp(prefix="telar-runner-", dir="/tmp"))
    for name in ("register.sh", "job-started.sh"):
        shutil.copy(FOLDER / name, folder / name)
    (folder / "runner").mkdir()
    (folder / "bin").mkdir()
    for name, script in (("runner/config.sh", NOTE), ("runner/run.sh", NOTE), ("bin/docker", "exit 0")):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755)
        if os.getuid() == 0:
            os.chown(path, NOBODY, NOBODY)
    yield folder
    shutil.rmtree(folder)


def register(machine: Path, *words: str, given: str = "hidden") -> subprocess.CompletedProcess[str]:
    user = [] if os.getuid() else ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
    command = [*user, "bash", str(machine / "register.sh"), "--folder", str(machine / "runner"), *words]
    env = {"PATH": f"{machine / 'bin'}:{os.environ['PATH']}", "HOME": str(machine)}
    return subprocess.run(command, input=f"{given}\n", env=env, capture_output=True, text=True, check=False)


def calls(machine: Path) -> str:
    return (machine / "runner" / "calls.txt").read_text()


def started(**env: str) -> subprocess.CompletedProcess[str]:
    """The hook, as the runner calls it."""
    allowed = " ".join(MAIN.format(name) for name in ("bench.yml", "bench-compare.yml"))
    given = {"PATH": os.environ["PATH"], "TELAR_WORKFLOWS": allowed, **env}
    hook = ["bash", "-e", str(FOLDER / "job-started.sh")]
    return subprocess.run(hook, env=given, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("event", "ref"),
    [("push", MAIN.format("bench.yml")), ("schedule", MAIN.format("bench.yml")),
     ("workflow_run", MAIN.format("bench-compare.yml"))],
)  # fmt: skip
def test_a_job_of_mains_workflow_is_taken(event: str, ref: str) -> None:
    assert started(GITHUB_EVENT_NAME=event, GITHUB_WORKFLOW_REF=ref).returncode == 0


@pytest.mark.parametrize(
    ("event", "ref"),
    [
        ("pull_request", "acme/shop/.github/workflows/bench-compare.yml@refs/pull/5/merge"),
        ("push", "acme/shop/.github/workflows/bench.yml@refs/heads/feature"),
        ("workflow_dispatch", "acme/shop/.github/workflows/bench.yml@refs/heads/main-2"),
        ("push", MAIN.format("evil.yml")),
        ("push", "stranger/shop/.github/workflows/bench.yml@refs/heads/main"),
        ("pull_request", MAIN.format("bench.yml")),
        ("pull_request_target", MAIN.format("bench.yml")),
        ("", MAIN.format("bench.yml")),
        ("push", ""),
    ],
)
def test_any_other_job_is_refused_before_its_first_step(event: str, ref: str) -> None:
    done = started(GITHUB_EVENT_NAME=event, GITHUB_WORKFLOW_REF=ref)
    assert done.returncode == 1
    assert "this machine doesn't take the job" in done.stdout


def test_a_machine_that_nothing_is_said_of_takes_nothing() -> None:
    done = started(TELAR_WORKFLOWS="", GITHUB_EVENT_NAME="push", GITHUB_WORKFLOW_REF=MAIN.format("bench.yml"))
    assert done.returncode == 1


def test_a_registered_machine_has_the_hook_and_the_token_on_no_command_line(machine: Path) -> None:
    done = register(machine, "--url", "https://github.com/acme/shop")
    assert done.returncode == 0, done.stderr
    configured, _, ran = calls(machine).partition("/runner/run.sh ")
    line = configured.splitlines()[0]
    assert "--ephemeral" in line
    assert "hidden" not in line
    assert "ACTIONS_RUNNER_INPUT_TOKEN=hidden" in configured
    assert "hidden" not in ran
    assert f"ACTIONS_RUNNER_HOOK_JOB_STARTED={machine}/job-started.sh" in ran
    for name in workflows_of_the_machine():
        assert MAIN.format(name) in ran


def workflows_of_the_machine() -> list[str]:
    """Those of this repository that have a job on the machine, but for the reusable ones: their callers
    count.
    """
    names = [p.name for p in (ROOT / ".github" / "workflows").iterdir()]
    return [
        name for name in sorted(names)
        if any("TELAR_RUNS_ON" in str(job.get("runs-on")) for job in workflow(name)["jobs"].values())
        and "workflow_call" not in str(dict[Any, Any](workflow(name))[True])
    ]  # fmt: skip


def test_a_new_machine_is_calibrated_by_a_workflow(tmp_path: Path) -> None:
    notes = steps.pretender(tmp_path, "true")
    values = {"inputs.suite": "smoke", "inputs.variants": "spring-*", "inputs.rounds": "5"}
    done = steps.run("calibrate.yml", "calibrate", "telar calibrate", tmp_path, values)
    assert done.returncode == 0, done.stderr
    assert notes.read_text().splitlines() == [
        "build smoke --only spring-* --images",
        "calibrate smoke --only spring-* --repeat 5 --engine compose --data sessions --write",
    ]


def test_a_just_in_time_configuration_needs_no_token(machine: Path) -> None:
    done = register(machine, "--url", "https://github.com/acme", "--repository", "acme/shop", "--jit")
    assert done.returncode == 0, done.stderr
    assert calls(machine).splitlines()[0].endswith("/runner/run.sh ")
    assert "ACTIONS_RUNNER_INPUT_JITCONFIG=hidden" in calls(machine)


@pytest.mark.parametrize(
    ("words", "secret", "why"),
    [
        (("--url", "https://github.com/acme"), "hidden", "say --repository"),
        (("--url", "https://github.com/acme/shop"), "", "no token"),
        ((), "hidden", "usage"),
    ],
)
def test_what_is_missing_is_said(machine: Path, words: tuple[str, ...], secret: str, why: str) -> None:
    done = register(machine, *words, given=secret)
    assert done.returncode == 2
    assert why in done.stderr

"""The action at the root: its step, run as it stands, with another `./telar` in its place."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import yaml

from .steps import ROOT, pretender

WRITES = 'case "$*" in *" ab "*) echo verdict > "{data}/verdict.md"; exit {code};; esac\n' \
    'mkdir -p "{data}/s"; echo report > "{data}/s/report.md"'  # fmt: skip


def step(tmp_path: Path, code: int = 0, **inputs: str) -> tuple[int, list[str], str]:
    """Its exit code, the calls of telar, and the job's summary."""
    (made,) = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    data, summary, checkout = tmp_path / "results", tmp_path / "summary.md", tmp_path / "checkout"
    checkout.mkdir()
    notes = pretender(checkout, WRITES.format(data=data, code=code))
    environment = {
        **os.environ,
        "GITHUB_ACTION_PATH": str(checkout), "GITHUB_STEP_SUMMARY": str(summary),
        "VARIANT": "bench/variant.toml", "BASE": "", "BUDGET": "15m", "RUNNER": "", "FAIL": "false",
        "DATA": str(data), **inputs,
    }  # fmt: skip
    assert set(made["env"]) <= set(environment)
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", made["run"]]  # as `shell: bash` is
    done = subprocess.run(shell, env=environment, check=False, capture_output=True)
    return done.returncode, notes.read_text().splitlines(), summary.read_text() if summary.exists() else ""


def test_a_push_is_measured_on_a_machine_that_was_looked_at(tmp_path: Path) -> None:
    code, calls, summary = step(tmp_path)
    assert code == 0
    assert [c.split("variant.toml ")[1].split()[0] for c in calls] == ["doctor", "run"]
    assert summary == "report\n"


def test_a_hosted_machine_is_taken_as_it_is(tmp_path: Path) -> None:
    code, calls, summary = step(tmp_path, BASE="0" * 40, RUNNER="hosted")
    assert code == 0
    (call,) = calls
    assert " ab --base " in call
    assert "--runner hosted" in call
    assert summary == "verdict\n"


@pytest.mark.parametrize(("fail", "code"), [("false", 0), ("true", 8)])
def test_worse_is_a_verdict_and_fails_the_job_where_that_is_asked_for(
    tmp_path: Path, fail: str, code: int
) -> None:
    done, _, summary = step(tmp_path, 8, BASE="main", FAIL=fail)
    assert done == code
    assert summary == "verdict\n"


def test_what_goes_wrong_is_never_taken_for_a_verdict(tmp_path: Path) -> None:
    done, _, summary = step(tmp_path, 5, BASE="main")
    assert done == 5
    assert summary == ""

"""A workflow's steps, run as they are written: the shell that a runner starts, with the values that it puts
in.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[3]
_EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")


def workflow(name: str) -> dict[str, Any]:
    found = yaml.safe_load((ROOT / ".github" / "workflows" / name).read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def step(name: str, job: str, words: str) -> dict[str, Any]:
    """The only step of a job that has these words in its name or its script."""
    found = [
        each for each in workflow(name)["jobs"][job]["steps"]
        if words in each.get("name", "") or words in each.get("run", "")
    ]  # fmt: skip
    assert len(found) == 1, (name, job, words, len(found))
    return dict(found[0])


def run(
    name: str, job: str, words: str, folder: Path, values: dict[str, str], **env: str
) -> subprocess.CompletedProcess[str]:
    """Runs it in a folder. `values`: what its expressions are; one that is missing is a mistake of the
    test. An unset variable of the repository is the empty text, as on GitHub.
    """
    own = step(name, job, words)
    around = (workflow(name), workflow(name)["jobs"][job], own)
    whole = {key: text for each in around for key, text in each.get("env", {}).items()}
    given = {key: _filled(str(text), values) for key, text in whole.items()}
    assert not _EXPRESSION.search(own["run"]), "an expression in a script is an injection"
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", own["run"]],
        cwd=folder, env={**os.environ, **given, **env}, capture_output=True, text=True, check=False,
    )  # fmt: skip


def _filled(text: str, values: dict[str, str]) -> str:
    def value(match: re.Match[str]) -> str:
        words = match[1]
        if words not in values and words.startswith("vars."):
            return ""
        return values[words]

    return _EXPRESSION.sub(value, text)


def launcher(folder: Path) -> None:
    """`./telar` of a checkout, without an environment of its own."""
    path = folder / "telar"
    path.unlink(missing_ok=True)
    path.write_text(
        f'#!/bin/sh\nexport PYTHONPATH="{ROOT}/scripts/src" TELAR_ROOT="{folder}"\n'
        f'exec "{sys.executable}" -m telar "$@"\n'
    )
    path.chmod(0o755)


def pretender(folder: Path, script: str) -> Path:
    """Another `./telar`: it notes how it was called, and does what the script says. Where the notes are."""
    path, notes = folder / "telar", folder / "called.txt"
    path.write_text(f'#!/bin/sh\necho "$@" >> {notes}\n{script}\n')
    path.chmod(0o755)
    return notes

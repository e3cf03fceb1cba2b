"""The launcher: where its Python environment lies."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from telar import __version__

from .conftest import ROOT


@pytest.mark.thorough
def test_an_environment_outside_the_checkout_outlives_it(tmp_path: Path) -> None:
    """A runner begins each job with a clean checkout: what lies in it would be set up again each time."""
    checkout = tmp_path / "checkout"
    checkout.mkdir()
    shutil.copy(ROOT / "telar", checkout)
    (checkout / "scripts").symlink_to(ROOT / "scripts")
    venv = tmp_path / "venvs" / "venv-requirements"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin" / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    (venv / "bin" / "python").chmod(0o755)
    shutil.copy(ROOT / "scripts" / "requirements.txt", venv / "lock.txt")
    env = {**os.environ, "TELAR_VENVS": str(tmp_path / "venvs"), "PYTHONDONTWRITEBYTECODE": "1"}
    said = subprocess.run(
        [checkout / "telar", "--version"], env=env, capture_output=True, text=True, check=True
    )
    assert __version__ in said.stdout
    assert not (checkout / ".telar").exists()
    compiled = [*(tmp_path / "venvs" / "pycache").rglob("*.pyc")]
    assert compiled  # beside it, whatever is said of the sources' folders

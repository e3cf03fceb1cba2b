"""Real processes to be looked at from outside."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

Start = Callable[[str], subprocess.Popen[str]]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts Python code; returns once it has said something. It ends when its stdin is closed."""
    started: list[subprocess.Popen[str]] = []

    def begin(code: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-S", "-c", f"{code}\nprint('ready', flush=True)\ninput()"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        started.append(process)
        assert process.stdout
        assert process.stdout.readline() == "ready\n"
        return process

    yield begin
    for process in started:
        process.kill()
        process.communicate()

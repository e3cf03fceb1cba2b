"""A checkout of its own for each test that runs cells: the real apps, k6 scripts and databases, with a
short suite, and whatever the test breaks in it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from telar.store.files import read_record
from telar.store.record import Record

ROOT = Path(__file__).parents[3]
SERVERS = {"java", "mariadbd", "ferretdb", "k6"}

TINY = """
system = "movies"
description = "a few seconds, for tests"
script = "script.ts"
timeout = "2s"
[vus]
pre_allocated = 100
[mix]
get = 70
list = 20
create = 9
delete = 1
[[stage]]
name = "hold-50"
from = 50
to = 50
duration = 6
"""

SUITE = """
[suite.tiny]
description = "for tests"
engine = "embedded"
variants = ["*-mysql-blocking-*"]
workload = "tiny"
warmup = { workload = "movies-constant", rate = 50, seconds = 3 }
again = 1

[suite.tiny-turns]
description = "for tests"
engine = "embedded"
variants = ["spring-mysql-blocking-platform"]
workload = "tiny"
warmup = { workload = "movies-constant", rate = 50, seconds = 3 }
again = 0
next = ["./telar run tour"]
[suite.tiny-turns.compare]
base = ["variant=spring-mysql-blocking-platform"]
head = ["variant=spring-mysql-blocking-virtual"]
budget = "70s"
"""


def printed(output: str) -> Any:
    """The JSON that a command with `--json` printed. Its output also has progress before the JSON, and may
    have an error after it (a regression, a broken budget).
    """
    opening = re.search(r"^[{\[]$", output, re.MULTILINE)
    assert opening, output
    return json.JSONDecoder().raw_decode(output, opening.start())[0]


ONE_COMPILER = '  "-XX:TieredStopAtLevel=1",\n'


class Checkout:
    """A root folder for `telar`, and what was run in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.data = root / "data"

    def edit(self, path: str, old: str, new: str) -> None:
        file = self.root / path
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))

    def set(self, path: str, **values: int) -> None:
        """Keys that are there once, whatever they were."""
        file = self.root / path
        text = file.read_text()
        for key, value in values.items():
            text, found = re.subn(rf"(?m)^{key} = \d+", f"{key} = {value}", text)
            assert found == 1, key
        file.write_text(text)

    def start(self, *arguments: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "telar", *arguments],
            env={
                **os.environ,
                "TELAR_ROOT": str(self.root),
                "PYTHONPATH": str(ROOT / "scripts" / "src"),
                **environment,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def telar(self, *arguments: str, **environment: str) -> tuple[int, str]:
        """Exit code and output."""
        process = self.start(*arguments, **environment)
        output, _ = process.communicate(timeout=900)
        return process.returncode, output

    def run(self, *arguments: str, **environment: str) -> tuple[int, str]:
        return self.telar("run", "tiny", "--data", str(self.data), *arguments, **environment)

    def records(self) -> list[Record]:
        return [read_record(p) for p in sorted(self.data.glob("*/records/*.json"))]

    def left_behind(self) -> list[str]:
        """Servers that run out of this checkout's data, and half-written files."""
        files = [str(p) for p in self.data.rglob(".*") if p.is_file()]
        return files + [p.name() for p in self._servers()]

    def server(self, name: str, timeout: float = 240) -> psutil.Process:
        """The server of that name, as soon as it is there."""
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            for process in self._servers():
                if process.name() == name:
                    return process
            time.sleep(0.1)
        raise AssertionError(f"no {name} was started")

    def wait_for_file(self, pattern: str, timeout: float = 240) -> Path:
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            found = list(self.data.glob(pattern))
            if found:
                return found[0]
            time.sleep(0.1)
        raise AssertionError(f"no file {pattern} came to be")

    def _servers(self) -> Iterator[psutil.Process]:
        for process in psutil.process_iter():
            try:
                if process.name() in SERVERS and str(self.data) in " ".join(process.cmdline()):
                    yield process
            except psutil.Error:
                continue


def _sooner_up(text: str) -> str:
    """telar.toml, its JVMs without the second compiler: a third of a start is that one's work."""
    last = '"-Dfile.encoding=UTF-8",\n'
    assert text.count(last) == 1
    return text.replace(last, f"{last}{ONE_COMPILER}")


@pytest.fixture
def checkout(tmp_path: Path) -> Iterator[Checkout]:
    root = tmp_path / "checkout"
    ignored = shutil.ignore_patterns("node_modules", "target")
    for name in ("apps", "compose", "k6"):
        shutil.copytree(ROOT / name, root / name, ignore=ignored)
    (root / "site").symlink_to(ROOT / "site")
    (root / "benchmarks-data").mkdir()
    (root / "benchmarks-data" / "schema").symlink_to(ROOT / "benchmarks-data" / "schema")
    # What was built once serves all tests; its name carries a digest of what it was built from.
    (ROOT / ".telar" / "artifacts").mkdir(parents=True, exist_ok=True)
    (root / ".telar").mkdir()
    (root / ".telar" / "artifacts").symlink_to(ROOT / ".telar" / "artifacts")
    (root / "telar.toml").write_text(_sooner_up((ROOT / "telar.toml").read_text()) + SUITE)
    tiny = root / "k6" / "workloads" / "tiny"
    tiny.mkdir()
    (tiny / "workload.toml").write_text(TINY)
    shutil.copy(ROOT / "k6" / "workloads" / "movies-short" / "script.ts", tiny)
    made = Checkout(root)
    yield made
    for process in made._servers():  # only what a failed test left
        process.kill()


@pytest.fixture
def interrupt() -> Callable[[subprocess.Popen[str]], tuple[int, str]]:
    """Ctrl-C, and what the program did then."""

    def send(process: subprocess.Popen[str]) -> tuple[int, str]:
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=120)
        return process.returncode, output

    return send

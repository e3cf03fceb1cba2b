"""Where faults are done: a checkout with the shortest of suites, and `telar` as a program in it."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import psutil

from telar.errors import EnvironmentProblem
from telar.store.files import read_record
from telar.store.record import Record

T = TypeVar("T")

ROOT = Path(__file__).parents[3]
VARIANT = "quarkus-mysql-blocking-platform"  # starts in two seconds
MARK = "TELAR_FAULT"  # a variable that every process inherits from the telar under test: what has it is ours
LOCKED = "another telar is measuring"
PATIENCE = 900  # seconds for another telar on this machine to be done

WORKLOAD = """
system = "movies"
description = "fifty arrivals, for tests"
script = "script.ts"
timeout = "2s"
[vus]
pre_allocated = 60
[mix]
get = 70
list = 20
create = 9
delete = 1
[[stage]]
name = "hold-25"
from = 25
to = 25
duration = 2
"""

SUITE = f"""
[suite.faults]
description = "for tests"
variants = ["{VARIANT}"]
workload = "faults"
warmup = {{ workload = "movies-constant", rate = 25, seconds = 1 }}
repeat = 2
again = 0
"""

# Python reads it at its start: the program's clock is set, and nobody else's on this machine.
CLOCK = """
import os, pathlib, time
_real, _step = time.time, pathlib.Path(os.environ["TELAR_FAULT_CLOCK"])
time.time = lambda: _real() + (float(_step.read_text()) if _step.exists() else 0.0)
"""


class Checkout:
    """A root folder for `telar`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        ignored = shutil.ignore_patterns("node_modules", "target")
        for name in ("apps", "compose", "k6"):
            shutil.copytree(ROOT / name, root / name, ignore=ignored)
        (root / "site").symlink_to(ROOT / "site")
        (root / "benchmarks-data").mkdir()
        (root / "benchmarks-data" / "schema").symlink_to(ROOT / "benchmarks-data" / "schema")
        (root / "telar.toml").write_text((ROOT / "telar.toml").read_text() + SUITE)
        workload = root / "k6" / "workloads" / "faults"
        workload.mkdir()
        (workload / "workload.toml").write_text(WORKLOAD)
        shutil.copy(ROOT / "k6" / "workloads" / "movies-short" / "script.ts", workload)
        self._share_what_was_built()
        (root / "clock").mkdir()
        (root / "clock" / "sitecustomize.py").write_text(CLOCK)

    def _share_what_was_built(self) -> None:
        """Its name carries a digest of what it was built from."""
        (self.root / ".telar").mkdir()
        # No link to the folder: docker buildx reads nothing outside the checkout.
        for built in (ROOT / ".telar" / "artifacts").glob(f"{VARIANT}-*"):
            shutil.copytree(built, self.root / ".telar" / "artifacts" / built.name)
        if (ROOT / ".telar" / "images-from").exists():
            shutil.copy(ROOT / ".telar" / "images-from", self.root / ".telar")


class Place:
    """One folder of sessions in a checkout, and the processes that a `telar` started for it."""

    def __init__(self, checkout: Checkout, data: Path) -> None:
        self.checkout, self.data = checkout, data
        self._mark = uuid.uuid4().hex
        self.clock = checkout.root / "clock" / self._mark

    # ---- telar

    def start(self, *arguments: str) -> Telar:
        """`telar …`, once no other telar measures on this machine."""
        end = time.monotonic() + PATIENCE
        while True:
            telar = self.start_at_once(*arguments)
            if telar.wait_for_line("preparing") or LOCKED not in telar.output:
                return telar
            telar.wait()
            assert time.monotonic() < end, "another telar has this machine for itself"
            time.sleep(2)

    def start_at_once(self, *arguments: str) -> Telar:
        sources = f"{ROOT / 'scripts' / 'src'}:{self.checkout.root / 'clock'}"
        environment = {
            **os.environ,
            "TELAR_ROOT": str(self.checkout.root),
            "PYTHONPATH": sources,
            "TELAR_FAULT_CLOCK": str(self.clock),
            MARK: self._mark,
        }
        return Telar([*arguments, "--data", str(self.data)], environment)

    def run(self, *arguments: str) -> Telar:
        """To its end."""
        telar = self.start(*arguments)
        telar.wait()
        return telar

    def verify(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "telar", "store", "verify", str(self.data)],
            env={**os.environ, "PYTHONPATH": str(ROOT / "scripts" / "src")},
            capture_output=True,
            text=True,
            check=False,
        )

    # ---- what there is

    def records(self) -> dict[int, Record]:
        """By position."""
        found = [read_record(p) for p in self.data.glob("*/records/*.json")]
        return {record.position: record for record in found}

    def file(self, pattern: str, timeout: float = 60) -> Path:
        """The file that matches below the sessions' folder, as soon as there is one with something in it."""
        return until(lambda: next((p for p in self.data.glob(pattern) if p.stat().st_size), None), timeout)

    def processes(self) -> list[psutil.Process]:
        """All that a telar of this place has started and that runs, wherever it belongs now."""
        return [p for p in psutil.process_iter() if self._is_ours(p)]

    def process(self, name: str) -> psutil.Process:
        """The process of that name, as soon as it is there."""
        return until(lambda: next((p for p in self.processes() if _name(p) == name), None))

    def containers(self) -> dict[str, str]:
        """Ids by compose service: those of this place, running or not."""
        listed = docker("ps", "--all", "--quiet", "--filter", "label=dev.telar=run").split()
        form = '{{index .Config.Labels "com.docker.compose.service"}} {{.HostConfig.Binds}} {{.Mounts}}'
        found = {}
        for id_ in listed:
            told = _inspect(id_, form)
            if str(self.data) in told or str(self.checkout.root) in told:
                found[told.split()[0]] = id_
        return found

    def container(self, service: str) -> str:
        """The id of that service's container, as soon as it runs."""
        return until(lambda: self._running(service))

    def left_behind(self, *, containers: bool, timeout: float = 30) -> list[str]:
        """What still is there of all that was started, given time to go."""
        end = time.monotonic() + timeout
        while (left := self._left(containers)) and time.monotonic() < end:
            time.sleep(0.2)
        return left

    def _left(self, containers: bool) -> list[str]:
        left = [f"process {p.pid} {_name(p)}" for p in self.processes()]
        if containers:
            left += [f"container {service}" for service in self.containers()]
        left += [str(p) for p in self.data.glob("*/logs/*/database")]
        return left + [str(p) for p in self.data.glob("*/records/.*")]

    def _running(self, service: str) -> str | None:
        id_ = self.containers().get(service)
        return id_ if id_ and _inspect(id_, "{{.State.Running}}") == "true" else None

    def _is_ours(self, process: psutil.Process) -> bool:
        try:
            ours = process.environ().get(MARK) == self._mark
            return ours and process.status() != psutil.STATUS_ZOMBIE
        except psutil.Error:
            return False


class Telar:
    """The program, and what it printed so far."""

    def __init__(self, arguments: list[str], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "telar", *arguments],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.pid = self._process.pid
        self.output = ""
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait_for_line(self, start: str, timeout: float = 240) -> bool:
        """Whether a line that begins so was printed, as soon as it is known."""
        pattern = re.compile(rf"^\s*{re.escape(start)}", re.MULTILINE)
        end = time.monotonic() + timeout
        while not pattern.search(self.output):
            if not self._reader.is_alive() or time.monotonic() > end:
                return bool(pattern.search(self.output))
            time.sleep(0.002)
        return True

    def phase(self, name: str) -> None:
        """Returns as soon as the run is in that phase."""
        assert self.wait_for_line(name), f"it never came to {name}:\n{self.output}"

    def kill(self) -> None:
        self._process.kill()
        self.wait()

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)
        self.wait()

    def wait(self, timeout: float = 240) -> int:
        code = self._process.wait(timeout)
        self._reader.join(timeout)
        return code

    @property
    def code(self) -> int | None:
        return self._process.poll()

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            self.output += line
        self._process.stdout.close()


def docker(*arguments: str) -> str:
    done = subprocess.run(["docker", *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise EnvironmentProblem(f"docker {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout.strip()


def until(look: Callable[[], T | None], timeout: float = 60) -> T:
    """What `look` finds, as soon as it does."""
    end = time.monotonic() + timeout
    while True:
        found = look()
        if found is not None:
            return found
        assert time.monotonic() < end, f"waited {timeout:g} s in vain"
        time.sleep(0.01)


def _name(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.Error:
        return "ended meanwhile"


def _inspect(id_: str, form: str) -> str:
    try:
        return docker("inspect", "--format", form, id_)
    except EnvironmentProblem:
        return "gone"  # removed since it was listed

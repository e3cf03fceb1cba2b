"""Ends what a killed Telar leaves behind.

`kill -9` leaves nobody of Telar's to clean up: nothing but a child that it has for this only. The child
sleeps in a read from a pipe, on which Telar says what it starts and what has ended. When the pipe ends
without a goodbye, the child ends those processes with all that they started, removes containers and the
databases of unfinished runs, says so in its log, and goes. Until then it holds Telar's lock of the machine:
no other Telar meets what is still being cleared away.
"""

from __future__ import annotations

import argparse
import contextlib
import glob
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import telar
from telar.errors import EnvironmentProblem
from telar.tools import shell
from telar.tools.processes import see, session_of

READY, GOODBYE = "ready", "done"
PATIENCE = 30.0  # seconds for processes, and for containers, to be gone
PAUSE = 0.05
# A container engine may still be starting what its killed client asked for.
CONTAINERS_PAUSE, LOOKS = 1.0, 3


# ---- Telar's side


class Reaper:
    """The child, as long as there is something to watch over."""

    def __init__(
        self, *, log: Path, label: str, remove: Sequence[str], keep_open: Sequence[int] = ()
    ) -> None:
        """`label` is that of the containers to be removed, "" for none; `remove` has glob patterns."""
        command = [sys.executable, "-m", __name__, f"--log={log.resolve()}", f"--label={label}"]
        self._child = shell.outlive(
            [*command, *(f"--remove={pattern}" for pattern in remove)],
            env={"PYTHONPATH": str(Path(telar.__file__).parents[1])},
            keep_open=keep_open,
        )
        assert self._child.stdin
        assert self._child.stdout
        self._pipe = self._child.stdin.fileno()
        with self._child.stdout as said:
            if said.readline().strip() != READY.encode():  # from here on it hears no signal but SIGKILL
                raise EnvironmentProblem("telar's reaper doesn't start", hint=f"it is {__name__}: a bug")
        os.set_blocking(self._pipe, False)  # a child that doesn't read must not stop a measurement

    def started(self, pid: int) -> None:
        process = see(pid)
        if process:
            self._say(f"started {pid} {process.started}")

    def ended(self, pid: int) -> None:
        self._say(f"ended {pid}")

    def close(self) -> None:
        """Everything has been ended: there is nothing left to do."""
        self._say(GOODBYE)
        assert self._child.stdin
        self._child.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(PATIENCE)

    def _say(self, line: str) -> None:
        # Somebody may have killed the child too. The run is not worse for it.
        with contextlib.suppress(BrokenPipeError, BlockingIOError):
            os.write(self._pipe, f"{line}\n".encode())


@contextlib.contextmanager
def watching(folder: Path, label: str, lock: int) -> Iterator[None]:
    """A reaper for the session in `folder` and for all that is started in the meantime."""
    at = glob.escape(str(folder.resolve()))
    unfinished = [f"{at}/logs/*/database", f"{at}/logs/*/*.csv", f"{at}/records/.*"]
    reaper = Reaper(log=folder / "reaper.log", label=label, remove=unfinished, keep_open=[lock])
    try:
        with shell.watch.by(reaper.started, reaper.ended):
            yield
    finally:
        reaper.close()


# ---- the child's side


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--label", default="")
    parser.add_argument("--remove", action="append", default=[])
    said = parser.parse_args(arguments)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # who ends all of Telar at once still wants things clean
    print(READY, flush=True)
    left = listen(sys.stdin)
    if left is not None:
        reap(left, said.label, said.remove, Log(said.log))


def listen(lines: Iterable[str]) -> dict[int, int] | None:
    """What was started and not ended when Telar was killed (pid -> start); None when it said goodbye."""
    left: dict[int, int] = {}
    for line in lines:
        match line.split():
            case ["started", pid, start]:
                left[int(pid)] = int(start)
            case ["ended", pid]:
                left.pop(int(pid), None)
            case [said] if said == GOODBYE:
                return None
    return left


class Log:
    """Written only when there is something to say."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self, line: str) -> None:
        when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
        with contextlib.suppress(OSError), self._path.open("a", encoding="utf-8") as file:
            file.write(f"{when} {line}\n")


def reap(left: dict[int, int], label: str, remove: Iterable[str], log: Callable[[str], None]) -> None:
    log("telar ended without cleaning up: it was killed")
    end_processes(left, log)
    if label:
        end_containers(label, log)
    for pattern in remove:
        for path in map(Path, glob.glob(pattern)):  # noqa: PTH207 - Path's own takes no absolute pattern
            _remove(path)
            log(f"removed {path}")
    log("nothing is left")


def end_processes(left: dict[int, int], log: Callable[[str], None]) -> None:
    """Kills the sessions of these leaders, until nobody is in them."""
    until = time.monotonic() + PATIENCE
    seen: set[tuple[int, int]] = set()
    while running := [p for leader, start in left.items() for p in session_of(leader, start)]:
        for process in running:
            process.kill()
            if (process.pid, process.started) not in seen:
                log(f"ended process {process.pid} ({process.name})")
            seen.add((process.pid, process.started))
        if time.monotonic() > until:
            log(f"processes that can't be ended: {[p.pid for p in running]}")
            return
        time.sleep(PAUSE)


def end_containers(label: str, log: Callable[[str], None]) -> None:
    """Removes the containers with that label, until there are none in several looks."""
    until, empty = time.monotonic() + PATIENCE, 0
    while empty < LOOKS and time.monotonic() < until:
        try:
            removed = remove_containers(label)
        except shell.CommandError as error:
            log(f"containers: {error.message}")
            removed = ["?"]
        empty = 0 if removed else empty + 1
        for name in removed:
            log(f"removed container {name}")
        time.sleep(CONTAINERS_PAUSE)


def remove_containers(label: str) -> list[str]:
    """Ends and removes every container with that label, and gives their names."""
    every = ["docker", "ps", "--all", "--filter", f"label={label}", "--format", "{{.Names}}"]
    found = shell.run(every, quiet=True, timeout=PATIENCE).stdout.split()
    if found:
        shell.run(["docker", "rm", "--force", "--volumes", *found], timeout=PATIENCE)
    return found


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])

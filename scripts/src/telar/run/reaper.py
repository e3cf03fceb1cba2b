"""Ends what a killed Telar leaves behind.

`kill -9` leaves nobody of Telar's to clean up: nothing but a child that it has for this only. The child
sleeps in a read from a pipe. When the pipe ends without a goodbye, it ends every process that carries
Telar's mark in its environment, as all that Telar starts does, removes containers and the databases of
unfinished runs, says so in its log, and goes. Until then it holds Telar's lock of the machine: no other
Telar meets what is still being cleared away.

A mark, and no list of what was started: Telar may be killed just between a start and its noting it down.
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
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

import telar
from telar.errors import EnvironmentProblem
from telar.tools import shell
from telar.tools.processes import carrying, kill

READY, GOODBYE = "ready", "done"
PATIENCE = 30.0  # seconds for processes, and for containers, to be gone
PROCESSES_PAUSE, CONTAINERS_PAUSE, LOOKS = 0.1, 1.0, 3
MARK = "TELAR_RUNNER"


# ---- Telar's side


class Reaper:
    """The child, as long as there is something to watch over."""

    def __init__(
        self, *, log: Path, mark: str, label: str, remove: Sequence[str], keep_open: Sequence[int] = ()
    ) -> None:
        """`label` is that of the containers to be removed, "" for none; `remove` has glob patterns."""
        what = [f"--mark={mark}", f"--label={label}", *(f"--remove={pattern}" for pattern in remove)]
        self._child = shell.outlive(
            [sys.executable, "-m", __name__, f"--log={log.resolve()}", *what],
            env={"PYTHONPATH": str(Path(telar.__file__).parents[1])},
            keep_open=keep_open,
        )
        assert self._child.stdin
        assert self._child.stdout
        with self._child.stdout as said:
            if said.readline().strip() != READY.encode():  # from here on it hears no signal but SIGKILL
                raise EnvironmentProblem("telar's reaper doesn't start", hint=f"it is {__name__}: a bug")

    def close(self) -> None:
        """Everything has been ended: there is nothing left to do."""
        assert self._child.stdin
        with contextlib.suppress(BrokenPipeError):  # somebody killed the child; the runs aren't worse for it
            self._child.stdin.write(GOODBYE.encode())
            self._child.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(PATIENCE)


@contextlib.contextmanager
def watching(folder: Path, label: str, lock: int) -> Iterator[None]:
    """A reaper for the session in `folder` and for all that is started in the meantime."""
    at = glob.escape(str(folder.resolve()))
    unfinished = [f"{at}/logs/*/database", f"{at}/logs/*/*.csv", f"{at}/records/.*"]
    mark = uuid.uuid4().hex
    reaper = Reaper(
        log=folder / "reaper.log", mark=f"{MARK}={mark}", label=label, remove=unfinished, keep_open=[lock]
    )
    os.environ[MARK] = mark  # inherited by all that is started from here on
    try:
        yield
    finally:
        del os.environ[MARK]
        reaper.close()


# ---- the child's side


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--mark", required=True)
    parser.add_argument("--label", default="")
    parser.add_argument("--remove", action="append", default=[])
    said = parser.parse_args(arguments)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # who ends all of Telar at once still wants things clean
    print(READY, flush=True)
    if sys.stdin.read() != GOODBYE:
        reap(said.mark, said.label, said.remove, Log(said.log))


class Log:
    """Written only when there is something to say."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __call__(self, line: str) -> None:
        when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime())
        with contextlib.suppress(OSError), self._path.open("a", encoding="utf-8") as file:
            file.write(f"{when} {line}\n")


def reap(mark: str, label: str, remove: Iterable[str], log: Callable[[str], None]) -> None:
    log("telar ended without cleaning up: it was killed")
    end_processes(mark, log)
    if label:
        end_containers(label, log)
    for pattern in remove:
        for path in map(Path, glob.glob(pattern)):  # noqa: PTH207 - Path's own takes no absolute pattern
            _remove(path)
            log(f"removed {path}")
    log("nothing is left")


def end_processes(mark: str, log: Callable[[str], None]) -> None:
    """Kills what carries the mark."""

    def end() -> list[str]:
        running = carrying(mark)
        for process in running:
            kill(process, mark)
        return [f"{p.pid} ({p.name})" for p in running]

    # One that was just being started carries the mark only once it runs its own program.
    _until_gone("process", end, PROCESSES_PAUSE, log)


def end_containers(label: str, log: Callable[[str], None]) -> None:
    """Removes the containers with that label."""

    def end() -> list[str]:
        try:
            return remove_containers(label)
        except shell.CommandError as error:
            return [f"can't be removed: {error.message}"]

    # The engine may still be starting what its killed client asked for.
    _until_gone("container", end, CONTAINERS_PAUSE, log)


def _until_gone(what: str, end: Callable[[], list[str]], pause: float, log: Callable[[str], None]) -> None:
    """Ends what there is, until there is none in several looks."""
    until, empty = time.monotonic() + PATIENCE, 0
    seen: set[str] = set()
    while empty < LOOKS:
        found = end()
        for name in sorted(set(found) - seen):
            log(f"{what} {name}")
        seen |= set(found)
        empty = 0 if found else empty + 1
        if time.monotonic() > until:
            log(f"{what}: not all could be ended: {' '.join(found)}")
            return
        time.sleep(pause)


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

"""Containers as services of a run: what docker says of one, its end, and whose the run's folder is."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from pathlib import Path

import msgspec

from telar.collect.host import Cgroup, Component
from telar.errors import EnvironmentProblem
from telar.tools import shell
from telar.tools.processes import STOPPED, see

GONE = -1  # the exit code of a container that no one knows of any more
COMMAND_TIMEOUT = 60.0  # for a question to the container engine, and for a container to end
GRACE = {"database": 20, "app": 15, "k6": 5, "telemetry": 10}
PROJECT = "telar"  # docker compose's name for what belongs together; a run's begins so
# Who the services are inside their containers. Root has no business there: when Telar itself is root,
# this user owns the run's folder instead.
USER_FOR_ROOT = 10001
# Their group, whoever runs Telar: a runner's packet filter lets it talk to loopback only (run/fit.py).
GROUP = 10001


class Container:
    """A started service of a compose file."""

    def __init__(self, id_: str, grace: int) -> None:
        self._id = id_
        self._grace = grace
        pid, self.image = _inspect(id_, "{{.State.Pid}} {{.Image}}").split()
        self.pid = int(pid)
        self._log: str | None = None
        # Opened now: a container that ends at once still has its figures until it is removed.
        self._usage = _usage(self.pid)

    def ended(self) -> int | None:
        # Asking the kernel costs nothing; asking the engine several times a second would.
        if _alive(self.pid):
            return None
        state = _state(self._id)
        if state is None:
            return GONE
        return None if state.running else state.code

    def how_ended(self) -> str:
        state = _state(self._id)
        if state is None:
            return "was removed by somebody else"
        code = shell.exit_words(state.code)
        if state.out_of_memory:
            return f"was killed for memory inside its limit of {state.limit_mib} MiB, {code}"
        return f"ended with {code}"

    def stop(self) -> None:
        if self._log is not None:
            return  # it is gone already
        process = see(self.pid)
        if process and process.state == STOPPED:
            _try(["docker", "kill", "--signal=CONT", self._id])  # it hears nothing until it goes on
        _try(["docker", "stop", "--time", str(self._grace), self._id])
        self._log = _logs(self._id)
        _try(["docker", "rm", "--force", "--volumes", self._id])

    def log(self) -> str:
        return self._log if self._log is not None else _logs(self._id)

    def usage_of(self) -> Component:
        return self._usage


class _Gone:
    def usage(self) -> None:
        return None


class _State(msgspec.Struct, frozen=True):
    running: bool
    code: int
    out_of_memory: bool
    limit_mib: int


def project_of(folder: Path) -> str:
    """Of the run whose folder this is: two that live at once have their own."""
    return f"{PROJECT}-{re.sub('[^a-z0-9_-]+', '-', folder.name.lower())}"


def enter(folder: Path) -> None:
    """Lets the services into the run's folder."""
    require_reachable(folder)
    own(folder)


def require_reachable(folder: Path) -> None:
    """A run's folder has the same path inside its containers, and there only root enters /root."""
    if folder.is_relative_to("/root"):
        raise EnvironmentProblem(
            f"{folder}: in a container only root enters /root, and services aren't root",
            hint="keep sessions elsewhere (--data), or the whole checkout",
        )


def user() -> str:
    return f"{os.geteuid() or USER_FOR_ROOT}:{GROUP}"


def own(folder: Path) -> None:
    """Gives a folder to the services' user."""
    if os.geteuid() == 0:
        shutil.chown(folder, USER_FOR_ROOT, GROUP)


def _alive(pid: int) -> bool:
    return pid > 0 and Path(f"/proc/{pid}").exists()


def _usage(pid: int) -> Component:
    try:
        return Cgroup(pid) if _alive(pid) else _Gone()
    except OSError:  # it ended just now
        return _Gone()


def _state(id_: str) -> _State | None:
    """What the engine says of a container that has ended; None when it knows of none."""
    asked = "{{.State.Running}} {{.State.ExitCode}} {{.State.OOMKilled}} {{.HostConfig.Memory}}"
    try:
        running, code, killed, limit = _inspect(id_, asked).split()
    except shell.CommandError:
        return None
    return _State(
        running=running == "true",
        code=int(code),
        out_of_memory=killed == "true",
        limit_mib=int(limit) // 1024**2,
    )


def _try(command: list[str]) -> None:
    """For what somebody else may have done already; `remove_containers` looks whether anything is left."""
    with contextlib.suppress(shell.CommandError):
        shell.run(command, timeout=COMMAND_TIMEOUT)


def _inspect(id_: str, what: str) -> str:
    return shell.run(["docker", "inspect", "--format", what, id_], quiet=True).stdout.strip()


def _logs(id_: str) -> str:
    try:
        done = shell.run(["docker", "logs", id_], quiet=True, timeout=COMMAND_TIMEOUT)
    except shell.CommandError as error:
        return f"its log can't be read: {error.output.strip()}"
    return done.stdout + done.stderr

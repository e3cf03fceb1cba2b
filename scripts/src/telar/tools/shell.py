"""The one door to the shell: every command is announced, and none outlives Telar."""

from __future__ import annotations

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from telar.errors import MissingToolError, TelarError

TAIL_LINES = 20

# PR_SET_PDEATHSIG fires when the *thread* that forked ends. A server may well be started from a
# short worker thread, so all servers are forked by this one, which lives as long as Telar does.
_forker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="telar-fork")


class CommandError(TelarError):
    """A command failed or took too long; carries what it was and what it said last."""

    family = "command"

    def __init__(self, argv: Sequence[str], returncode: int | None, output: str, *, reason: str = "") -> None:
        self.argv = tuple(argv)
        self.returncode = returncode  # None: it was ended because its time was up
        self.output = output
        what = reason or f"exit code {returncode}"
        super().__init__(f"command failed ({what}): {shlex.join(argv)}\n{last_lines(output)}".rstrip())


def _to_stderr(line: str) -> None:
    dim = sys.stderr.isatty() and not os.environ.get("NO_COLOR")
    print(f"\x1b[2m{line}\x1b[0m" if dim else line, file=sys.stderr, flush=True)


@dataclass
class Echo:
    """Where commands are announced: replace `echo.write`, or a while with `echo.to`."""

    write: Callable[[str], None] = _to_stderr

    @contextlib.contextmanager
    def to(self, write: Callable[[str], None]) -> Iterator[None]:
        before, self.write = self.write, write
        try:
            yield
        finally:
            self.write = before


echo = Echo()


def run(
    argv: Sequence[str | Path],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    log: Path | None = None,
    quiet: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end and gives its output; raises CommandError when it fails.

    `env` is added to Telar's own environment. With `log`, stdout and stderr go there together, as
    they come. `quiet` keeps the command from being announced: for probes that change nothing.
    """
    args = [str(a) for a in argv]
    if not quiet:
        _announce(args, cwd)
    with contextlib.ExitStack() as stack:
        sink = stack.enter_context(_append(log)) if log else None
        start = sink.tell() if sink else 0
        process = _popen(
            args,
            cwd=cwd,
            env=env,
            stdout=sink or subprocess.PIPE,
            stderr=subprocess.STDOUT if sink else subprocess.PIPE,
        )
        stdout, stderr, late = _finish(process, timeout)
        if log:
            stdout = _text_from(log, start)
    if late:
        raise CommandError(args, None, stdout + stderr, reason=f"not done after {timeout:g} s")
    if process.returncode:
        raise CommandError(args, process.returncode, stdout + stderr)
    return subprocess.CompletedProcess(args, process.returncode, stdout, stderr)


def spawn(
    argv: Sequence[str | Path],
    *,
    log: Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    cpuset: str | None = None,
    stop_signal: signal.Signals = signal.SIGTERM,
) -> Process:
    """Starts a server in a process group of its own, its output appended to `log`.

    `cpuset` lists processors as `taskset -c` does (`0-1`, `2,3`). `stop_signal` asks it to end. The server
    dies with Telar.
    """
    args = [str(a) for a in argv]
    _announce(args, cwd)
    wrapper = ["taskset", "-c", cpuset] if cpuset else []

    def fork() -> subprocess.Popen[str]:
        with _append(log) as sink:
            return _popen(args, cwd=cwd, env=env, stdout=sink, stderr=subprocess.STDOUT, wrapper=wrapper)

    return Process(args, _forker.submit(fork).result(), log, stop_signal)


def outlive(
    argv: Sequence[str | Path], *, env: Mapping[str, str], keep_open: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """Starts a helper that goes on when Telar is killed: it learns so by the end of its standard input.

    It is in a session of its own, which Ctrl-C doesn't reach, and has these files open as Telar has. What
    it prints is for the caller.
    """
    return subprocess.Popen(
        [str(a) for a in argv],
        cwd="/",
        env={**os.environ, **env},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        pass_fds=keep_open,
        start_new_session=True,
    )


class Process:
    """A running server."""

    def __init__(
        self, argv: Sequence[str], popen: subprocess.Popen[str], log: Path, stop_signal: signal.Signals
    ) -> None:
        self.argv = tuple(argv)
        self.log = log
        self.pid = popen.pid
        self._popen = popen
        self._stop_signal = stop_signal
        self._gone = False

    def poll(self) -> int | None:
        """Its exit code, or None while it runs."""
        code = self._popen.poll()
        if code is not None:
            self._end_group()
        return code

    def wait(self, timeout: float | None = None) -> int:
        """Its exit code once it has ended by itself; raises CommandError when that takes long."""
        try:
            code = self._popen.wait(timeout)
        except subprocess.TimeoutExpired:
            reason = f"not done after {timeout:g} s"
            raise CommandError(self.argv, None, self.tail(), reason=reason) from None
        self._end_group()
        return code

    def stop(self, grace: float = 10.0) -> int:
        """Ends it: its signal (SIGTERM) to its group, SIGKILL after `grace` seconds. May be repeated."""
        if self._popen.poll() is None:
            _signal_group(self.pid, self._stop_signal)
            _signal_group(self.pid, signal.SIGCONT)  # one that was stopped hears nothing until it goes on
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(grace)
        self._end_group()
        return self._popen.wait()

    def _end_group(self) -> None:
        """Ends it at once, if need be, with what it left behind."""
        if self._gone:
            return  # and its number perhaps another's
        self._gone = True
        _signal_group(self.pid, signal.SIGKILL)
        self._popen.wait()

    def tail(self, lines: int = TAIL_LINES) -> str:
        """The last lines that it wrote."""
        return last_lines(_text_from(self.log, 0), lines)

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def which(command: str, path: str | None = None) -> Path | None:
    """Where a command is on `path` (default: PATH), else None."""
    found = shutil.which(command, path=path)
    return Path(found) if found else None


def exit_words(code: int) -> str:
    """What an exit code says, also one that a shell or a container engine gives for a signal."""
    number = -code if code < 0 else code - 128
    named = number in {s.value for s in signal.Signals}
    return f"exit code {code}" + (f" ({signal.Signals(number).name})" if named else "")


def last_lines(text: str, lines: int = TAIL_LINES) -> str:
    return "\n".join(text.splitlines()[-lines:] if lines else [])


def _announce(args: Sequence[str], cwd: Path | None) -> None:
    place = f"cd {shlex.quote(str(cwd))} && " if cwd else ""
    echo.write(f"$ {place}{shlex.join(args)}")


def _popen(
    args: Sequence[str],
    *,
    cwd: Path | None,
    env: Mapping[str, str] | None,
    stdout: IO[bytes] | int,
    stderr: int,
    wrapper: Sequence[str] = (),
) -> subprocess.Popen[str]:
    whole_env = {**os.environ, **(env or {})}
    for needed in (args[0], "setpriv"):
        if which(needed, whole_env.get("PATH")) is None:
            raise MissingToolError(f"{needed}: no such command", hint=f"put {needed} on PATH")
    # setpriv and taskset exec what follows: the pid is the command's own. (preexec_fn could do the
    # same with Python code between fork and exec, which isn't safe in a program with threads.)
    return subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", *wrapper, *args],
        cwd=cwd,
        env=whole_env,
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        text=True,
        errors="replace",
        start_new_session=True,
    )


def _finish(process: subprocess.Popen[str], timeout: float | None) -> tuple[str, str, bool]:
    """Its output and whether its time ran out. Nothing of it is left running, whatever happens here.

    The daemon of a build would still be there in a window: Kotlin's may stay idle for two hours.
    """
    try:
        stdout, stderr = process.communicate(timeout=timeout)
        _signal_group(process.pid, signal.SIGKILL)
    except subprocess.TimeoutExpired:
        _signal_group(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        return stdout or "", stderr or "", True
    except BaseException:
        _signal_group(process.pid, signal.SIGKILL)
        process.wait()
        raise
    return stdout or "", stderr or "", False


def _signal_group(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, number)


def _append(log: Path) -> IO[bytes]:
    log.parent.mkdir(parents=True, exist_ok=True)
    return log.open("ab")


def _text_from(path: Path, start: int) -> str:
    with path.open("rb") as file:
        file.seek(start)
        return file.read().decode(errors="replace")

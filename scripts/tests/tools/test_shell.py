from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from telar.errors import MissingToolError
from telar.tools import shell

SOURCES = Path(shell.__file__).parents[2]


def until(condition: Callable[[], bool], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return condition()


def runs(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


@pytest.fixture
def announced() -> list[str]:
    return []


@pytest.fixture(autouse=True)
def redirect(announced: list[str]) -> Iterator[None]:
    with shell.echo.to(announced.append):
        yield


def test_a_command_is_announced_before_its_output_is_given(announced: list[str]) -> None:
    done = shell.run(["sh", "-c", "echo out; echo err >&2"])
    assert (done.stdout, done.stderr) == ("out\n", "err\n")
    assert announced == ["$ sh -c 'echo out; echo err >&2'"]


def test_a_quiet_command_is_not_announced(announced: list[str]) -> None:
    shell.run(["true"], quiet=True)
    assert announced == []


def test_the_announcement_says_where_the_command_runs(announced: list[str], tmp_path: Path) -> None:
    assert shell.run(["pwd"], cwd=tmp_path).stdout.strip() == str(tmp_path)
    assert announced == [f"$ cd {tmp_path} && pwd"]


def test_env_is_added_to_the_environment() -> None:
    done = shell.run(["sh", "-c", "echo $COLOUR $HOME"], env={"COLOUR": "green"})
    assert done.stdout == f"green {os.environ['HOME']}\n"


def test_a_failure_says_command_code_and_the_last_twenty_lines() -> None:
    with pytest.raises(shell.CommandError) as caught:
        shell.run(["sh", "-c", "seq 30; echo no luck >&2; exit 3"])
    assert caught.value.returncode == 3
    lines = caught.value.message.splitlines()
    assert lines[0] == "command failed (exit code 3): sh -c 'seq 30; echo no luck >&2; exit 3'"
    assert lines[1:] == [*(str(n) for n in range(12, 31)), "no luck"]


def test_a_command_that_is_not_there_is_a_missing_tool() -> None:
    with pytest.raises(MissingToolError, match="telar-no-such-tool: no such command"):
        shell.run(["telar-no-such-tool"])


@pytest.mark.thorough
def test_a_late_command_is_ended_with_all_its_children(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    with pytest.raises(shell.CommandError, match=r"not done after 0\.5 s"):
        shell.run(["sh", "-c", f"sleep 60 & echo $! >{pid_file}; wait"], timeout=0.5)
    assert until(lambda: not runs(int(pid_file.read_text())))


def test_what_a_command_leaves_behind_is_ended_with_it(tmp_path: Path) -> None:
    pid_file = tmp_path / "pid"
    shell.run(["sh", "-c", f"sleep 60 >/dev/null 2>&1 & echo $! >{pid_file}"])
    assert until(lambda: not runs(int(pid_file.read_text())))


def test_a_log_gets_all_output_and_the_failure_quotes_only_this_command(tmp_path: Path) -> None:
    log = tmp_path / "deep" / "build.log"
    shell.run(["echo", "first"], log=log)
    with pytest.raises(shell.CommandError) as caught:
        shell.run(["sh", "-c", "echo second >&2; false"], log=log)
    assert log.read_text() == "first\nsecond\n"
    assert caught.value.output == "second\n"


def test_a_server_runs_until_it_is_stopped_and_leaves_no_child(tmp_path: Path) -> None:
    server = shell.spawn(["sh", "-c", "sleep 60 & echo child $!; wait"], log=tmp_path / "log")
    assert until(lambda: server.tail().startswith("child"))
    child = int(server.tail().split()[1])
    assert server.poll() is None
    assert server.stop() == -signal.SIGTERM
    assert server.stop() == -signal.SIGTERM, "stopping twice is harmless"
    assert not runs(server.pid)
    assert until(lambda: not runs(child))


@pytest.mark.thorough
def test_a_server_that_ignores_sigterm_is_killed_after_the_grace(tmp_path: Path) -> None:
    server = shell.spawn(
        ["sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.1; done"], log=tmp_path / "log"
    )
    assert until(lambda: server.tail() == "ready")
    assert server.stop(grace=0.3) == -signal.SIGKILL


def test_a_server_keeps_to_its_processors(tmp_path: Path) -> None:
    processor = min(os.sched_getaffinity(0))
    with shell.spawn(["sleep", "60"], log=tmp_path / "log", cpuset=str(processor)) as server:
        assert until(lambda: psutil.Process(server.pid).name() == "sleep")
        assert os.sched_getaffinity(server.pid) == {processor}


def test_a_server_outlives_the_thread_that_started_it(tmp_path: Path) -> None:
    started: list[shell.Process] = []
    thread = threading.Thread(
        target=lambda: started.append(shell.spawn(["sleep", "60"], log=tmp_path / "log"))
    )
    thread.start()
    thread.join()
    time.sleep(0.2)
    assert started[0].poll() is None
    started[0].stop()


def test_a_server_dies_when_telar_is_killed(tmp_path: Path) -> None:
    program = (
        "import pathlib, sys, time\n"
        "from telar.tools import shell\n"
        f"server = shell.spawn(['sleep', '60'], log=pathlib.Path({str(tmp_path / 'log')!r}))\n"
        "print(server.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    telar = subprocess.Popen(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert telar.stdout is not None
    server = int(telar.stdout.readline())
    assert until(lambda: psutil.Process(server).name() == "sleep")
    telar.kill()
    telar.communicate()
    assert until(lambda: not runs(server))

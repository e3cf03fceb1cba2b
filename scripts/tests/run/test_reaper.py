"""What is left of a killed program, in real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

import telar
from telar.run import reaper
from telar.tools.processes import carrying, kill, see

SOURCES = Path(telar.__file__).parents[1]

# A program that starts a server with a child, says their numbers, and waits to be killed, or ends.
PROGRAM = """
import pathlib, sys, time
from telar.run import reaper
from telar.tools import shell
folder = pathlib.Path(sys.argv[1])
with (folder / "lock").open("w") as lock, reaper.watching(folder, "", lock.fileno()):
    # The child doesn't die with its parent, and has left its group and session.
    server = shell.spawn(["sh", "-c", "setsid sleep 60 & echo $!; wait"], log=folder / "log")
    while not server.tail():
        time.sleep(0.01)
    print(server.pid, server.tail(), flush=True)
    if sys.argv[2] == "wait":
        time.sleep(60)
    server.stop()
    shell.run(["kill", server.tail()])
"""


def until(condition: Callable[[], object], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return bool(condition())


def runs(pid: int) -> bool:
    process = see(pid)
    return process is not None and process.is_running


def start(folder: Path, how: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, folder, how],
        env={**os.environ, "PYTHONPATH": str(SOURCES)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def told(process: subprocess.Popen[str]) -> tuple[int, int]:
    assert process.stdout
    server, child = map(int, process.stdout.readline().split())
    return server, child


def reaper_of(folder: Path) -> psutil.Process | None:
    for process in psutil.process_iter():
        try:
            if f"--log={folder.resolve() / 'reaper.log'}" in process.cmdline():
                return process
        except psutil.Error:
            continue
    return None


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A session's, with what unfinished runs and finished ones have there."""
    for name in ("logs/002/database/data", "logs/002/window.csv", "logs/002/app.log"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "records").mkdir()
    (tmp_path / "records" / "001.json").write_text("whole")
    (tmp_path / "records" / ".002.json.0a1b2c3d").write_text("ha")
    yield tmp_path
    left = reaper_of(tmp_path)
    if left:
        left.kill()


@pytest.mark.thorough
def test_after_a_kill_nothing_runs_and_only_what_is_finished_stays(folder: Path) -> None:
    program = start(folder, "wait")
    server, child = told(program)
    program.kill()
    program.communicate()
    assert until(lambda: not runs(server) and not runs(child))
    assert until(lambda: "nothing is left" in (folder / "reaper.log").read_text())
    files = sorted(str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file())
    assert files == ["lock", "log", "logs/002/app.log", "reaper.log", "records/001.json"]
    assert f"process {child} (" in (folder / "reaper.log").read_text()  # sleep, or sh that was to become it
    assert until(lambda: reaper_of(folder) is None)


def test_after_a_goodbye_nothing_is_touched(folder: Path) -> None:
    program = start(folder, "end")
    server, child = told(program)
    program.communicate(timeout=20)
    assert program.returncode == 0
    assert reaper_of(folder) is None
    assert not runs(server)
    assert not runs(child)
    assert (folder / "logs/002/database/data").exists()
    assert (folder / "records/.002.json.0a1b2c3d").exists()
    assert not (folder / "reaper.log").exists()


def test_ctrl_c_and_a_polite_end_of_everything_dont_reach_the_reaper(folder: Path) -> None:
    program = start(folder, "wait")
    server, child = told(program)
    watcher = reaper_of(folder)
    assert watcher
    assert os.getsid(watcher.pid) != os.getsid(program.pid)
    watcher.send_signal(signal.SIGTERM)
    watcher.send_signal(signal.SIGINT)
    program.kill()
    program.communicate()
    assert until(lambda: not runs(server) and not runs(child))


def test_a_reaper_that_died_is_in_nobodys_way(folder: Path) -> None:
    with (folder / "lock").open("w") as lock, reaper.watching(folder, "", lock.fileno()):
        child = reaper_of(folder)
        assert child
        child.kill()


@pytest.mark.thorough
def test_only_what_carries_the_mark_is_ended() -> None:
    one, other = (
        subprocess.Popen(["sleep", "60"], env={**os.environ, "MARK": value}) for value in ("one", "other")
    )
    try:
        assert until(lambda: [p.pid for p in carrying("MARK=one")] == [one.pid])
        seen = see(one.pid)
        assert seen
        kill(seen, "MARK=other")  # as when the number has been given again since it was seen
        assert runs(one.pid)
        said: list[str] = []
        reaper.end_processes("MARK=one", said.append)
        assert said == [f"process {one.pid} (sleep)"]
        assert not runs(one.pid)
        assert runs(other.pid)
    finally:
        for process in (one, other):
            process.kill()
            process.wait()

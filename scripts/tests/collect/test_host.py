"""What a component uses of the machine, against real processes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from telar.collect import host
from telar.collect.host import (
    Cgroup,
    ProcessTree,
    Several,
    Usage,
    descendants,
    machine_seconds,
    open_jars,
    own_seconds,
    process_start,
    thread_clock,
)

from .conftest import Start

BURN = """
import time
def burn(seconds):
    while time.process_time() < seconds: pass
"""
# A process below the process: waited for, or left as a zombie when it ends.
CHILD = f"""
import subprocess, sys
def child(code, wait=True):
    process = subprocess.Popen([sys.executable, '-S', '-c', {BURN!r} + code], stdin=subprocess.PIPE)
    if wait: process.wait()
    return process
"""


def usage(pid: int) -> Usage:
    found = ProcessTree(pid).usage()
    assert found
    return found


def test_cpu_memory_and_threads_of_a_process(start: Start) -> None:
    pid = start(
        BURN
        + "import threading\n"
        + "for _ in range(3): threading.Thread(target=lambda: time.sleep(60), daemon=True).start()\n"
        + "held = b'x' * 64 * 1024 * 1024\n"
        + "burn(0.25)"
    ).pid
    seen, other = usage(pid), psutil.Process(pid)
    times = other.cpu_times()
    assert seen.cpu_seconds >= 0.22
    assert seen.cpu_seconds == pytest.approx(times.user + times.system, abs=0.03)
    assert seen.rss_bytes > 64 * 1024**2
    assert seen.rss_bytes == pytest.approx(other.memory_info().rss, rel=0.05)
    assert seen.threads == 4
    assert seen.cgroup_bytes is None


def test_a_process_that_sleeps_gives_up_its_processor(start: Start) -> None:
    pid = start("import time\nfor _ in range(50): time.sleep(0.001)").pid
    assert usage(pid).voluntary_switches >= 50


@pytest.mark.thorough
def test_the_switches_of_a_thread_outlive_it(start: Start) -> None:
    process = start(
        "import threading, time\n"
        "def work():\n"
        "    for _ in range(100): time.sleep(0.001)\n"
        "    time.sleep(1)\n"
        "threading.Thread(target=work).start()"
    )
    tree = ProcessTree(process.pid)
    seen = _until(tree, lambda u: u.voluntary_switches >= 100)
    assert seen.threads == 2
    later = _until(tree, lambda u: u.threads == 1)
    assert later.voluntary_switches >= seen.voluntary_switches


# As /proc/<pid>/task/<tid>/comm has them: JDK 21 and 25, then 27, which shortens names in their middle.
NAMES = [
    ("C1 CompilerThre", "compiler"),
    ("C2 CompilerThre", "compiler"),
    ("C1 Comp..hread0", "compiler"),
    ("C2 Comp..hread1", "compiler"),
    ("GC Thread#0", "gc"),
    ("G1 Conc#0", "gc"),
    ("G1 Refi..ontrol", "gc"),
    ("ZWorkerYoung#0", "gc"),
    ("ZDriverMajor", "gc"),
    ("Shenand..eads#0", "gc"),
    ("VM Thread", "vm"),
    ("container-0", ""),
]
# A thread of that name that has used 100 ms when the process says that it is ready.
NAMED = """
import threading, time
done = threading.Event()
def work():
    from pathlib import Path
    Path(f'/proc/self/task/{{threading.get_native_id()}}/comm').write_text({name!r})
    while time.thread_time() < 0.1: pass
    done.set()
    time.sleep({seconds})
threading.Thread(target=work, daemon=True).start()
done.wait()
"""


@pytest.mark.parametrize(("name", "role"), NAMES)
def test_a_jvms_own_threads_are_told_apart_by_their_names(start: Start, name: str, role: str) -> None:
    seen = usage(start(NAMED.format(name=name, seconds=60)).pid)
    times = {"compiler": seen.compiler_seconds, "gc": seen.gc_seconds, "vm": seen.vm_seconds}
    assert {r: t >= 0.1 for r, t in times.items()} == {r: r == role for r in times}
    assert all(t < 0.5 for t in times.values())


def test_what_a_thread_used_is_told_more_finely_than_in_ticks(start: Start) -> None:
    assert thread_clock() == "nanoseconds"  # of any kernel that a distribution builds
    tree = ProcessTree(start(NAMED.format(name="GC Thread#0", seconds=60)).pid)
    seen = tree.usage()
    assert seen
    assert (seen.gc_seconds / 0.01) % 1 > 1e-6


def test_a_kernel_without_nanoseconds_tells_ticks(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host, "_nanoseconds", lambda _: None)
    assert thread_clock() == "ticks"
    seen = usage(start(NAMED.format(name="GC Thread#0", seconds=60)).pid)
    assert 0.08 <= seen.gc_seconds <= 0.12
    assert seen.gc_seconds * 100 == pytest.approx(round(seen.gc_seconds * 100))


@pytest.mark.thorough
def test_what_a_collectors_thread_used_outlives_it(start: Start) -> None:
    tree = ProcessTree(start(NAMED.format(name="GC Thread#0", seconds=0.3)).pid)
    assert tree.usage()
    ended = _until(tree, lambda u: u.threads == 1)
    assert ended.gc_seconds >= 0.1


def _until(tree: ProcessTree, so: Callable[[Usage], bool]) -> Usage:
    """What is read once it is so. A minute: others may have the machine, too."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = tree.usage()
        if found and so(found):
            return found
        time.sleep(0.02)
    raise AssertionError("it never came to that")


@pytest.mark.thorough
def test_a_tree_has_the_cpu_of_all_that_it_started_and_of_what_ended(start: Start) -> None:
    # A grandchild that has ended, below a child that lives.
    inner = CHILD + "child('burn(0.25)')\ninput()"
    process = start(CHILD + f"living = child({inner!r}, wait=False)\nimport time\ntime.sleep(0)")
    deadline = time.monotonic() + 10
    while usage(process.pid).cpu_seconds < 0.2 and time.monotonic() < deadline:
        time.sleep(0.02)
    deadline = time.monotonic() + 10
    while len(descendants(process.pid)) > 1 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(descendants(process.pid)) == 1  # the grandchild is gone, what it used is not
    assert usage(process.pid).cpu_seconds >= 0.2


def test_a_child_that_ended_and_was_not_waited_for_still_counts_but_uses_nothing(start: Start) -> None:
    # The kernel tells whole ticks of 10 ms, of user and system time each: up to two fewer than were burnt.
    process = start(CHILD + "child('burn(0.25)', wait=False)\nimport time\ntime.sleep(0.001)")
    deadline = time.monotonic() + 10
    (child,) = psutil.Process(process.pid).children()
    while child.status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
        time.sleep(0.02)
    assert child.status() == psutil.STATUS_ZOMBIE
    seen = usage(process.pid)
    assert seen.cpu_seconds >= 0.2
    assert seen.threads == 1


def test_an_ended_process_uses_nothing_waited_for_or_not(start: Start) -> None:
    process = start("pass")
    tree = ProcessTree(process.pid)
    assert tree.usage()
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # a zombie now
    assert tree.usage() is None
    process.wait()
    assert tree.usage() is None
    assert descendants(process.pid) == []
    with pytest.raises(ProcessLookupError):
        process_start(process.pid)


@pytest.mark.thorough
def test_of_several_what_one_had_used_when_it_ended_still_counts(start: Start) -> None:
    ended, running = start(BURN + "burn(0.25)"), start(BURN + "burn(0.1)")
    both = Several([ProcessTree(ended.pid), ProcessTree(running.pid)])
    before = both.usage()
    assert before
    assert before.cpu_seconds >= 0.28
    ended.kill()
    ended.wait()
    after = both.usage()
    assert after
    assert after.cpu_seconds >= before.cpu_seconds


def test_the_start_of_a_process_is_known(start: Start) -> None:
    before = time.time()
    pid = start("pass").pid
    assert before - 0.1 <= process_start(pid) <= time.time() + 0.1


def test_the_jars_that_processes_hold_open_are_named_once(start: Start, tmp_path: Path) -> None:
    for name in ("b.jar", "a.jar", "c.txt"):
        (tmp_path / name).touch()
    hold = f"held = [open(f'{tmp_path}/{{n}}') for n in ('b.jar', 'a.jar', 'c.txt', 'a.jar')]"
    nobody = 2**22 + 1  # beyond what the kernel gives out
    assert open_jars([start(hold).pid, start(hold).pid, nobody]) == ["a.jar", "b.jar"]


def test_a_control_group_is_read_where_there_is_one(start: Start) -> None:
    pid = start(BURN + "burn(0.1)").pid
    try:
        group = Cgroup(pid)
    except (OSError, KeyError):
        pytest.skip("no control groups here")
    seen = group.usage()
    if seen is None:
        pytest.skip("the control group of this process has no counters of its own")
    assert seen.cpu_seconds >= 0.1
    assert seen.cgroup_bytes
    assert seen.throttled_seconds is not None
    assert seen.threads >= 1


@pytest.mark.thorough
def test_services_that_were_waited_for_are_not_counted_as_the_runners() -> None:
    before = own_seconds()
    subprocess.run([sys.executable, "-S", "-c", BURN + "burn(0.5)"], check=True)
    assert own_seconds() - before < 0.3
    assert sum(os.times()[:4]) - before >= 0.5


STAT = "cpu  100 10 50 9000 7 3 2 40 0 0\ncpu0 100 10 50 9000 7 3 2 40 0 0\n"
SCHEDSTAT = """version 17
timestamp 4294937296
cpu0 0 0 5 6 7 8 1250000000 11 12
domain0 MC 3 1 2 3
cpu1 0 0 5 6 7 8 2500000000 11 12
"""


def test_the_machines_seconds_are_the_kernels() -> None:
    before, (_, stolen), after = psutil.cpu_times(), machine_seconds(), psutil.cpu_times()
    assert before.steal <= stolen <= after.steal


def test_the_machines_seconds_have_what_any_process_used(start: Start) -> None:
    began, (before, _) = time.monotonic(), machine_seconds()
    start(BURN + "burn(0.5)")
    after, _ = machine_seconds()
    elapsed = time.monotonic() - began
    assert 0.45 <= after - before <= (elapsed + 0.05) * (os.cpu_count() or 1)


def test_the_machines_seconds_come_from_the_scheduler_where_it_says_them(tmp_path: Path) -> None:
    proc, cpuacct = tmp_path / "proc", tmp_path / "cpuacct"
    proc.mkdir()
    cpuacct.mkdir()
    (proc / "stat").write_text(STAT)
    assert machine_seconds(proc, cpuacct) == (165 / host.TICK, 40 / host.TICK)
    (cpuacct / "cpuacct.usage").write_text("4500000000\n")
    assert machine_seconds(proc, cpuacct)[0] == 165 / host.TICK, "a container's own cgroup"
    (cpuacct / "release_agent").write_text("\n")
    assert machine_seconds(proc, cpuacct)[0] == 4.5
    (proc / "schedstat").write_text(SCHEDSTAT)
    assert machine_seconds(proc, cpuacct)[0] == 3.75

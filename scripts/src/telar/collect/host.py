"""What a component uses of this machine, read from outside: /proc for processes, cgroups for containers."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, Protocol

TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
PROC, CPUACCT = Path("/proc"), Path("/sys/fs/cgroup/cpuacct")


# The JVM's own threads whose processor time is counted apart, by the beginning of the name that they carry.
# The kernel has room for 15 characters; of longer ones 27 keeps the first 7 and the last 6:
# "C1 Comp..hread0".
# In "VM Thread" Serial collects (collect/metrics.py knows which collector it is).
ROLES = {
    "VM Thread": "vm",
    "C1 Comp": "compiler",
    "C2 Comp": "compiler",
    "GC Thread#": "gc",
    "G1 ": "gc",
    "Shenand": "gc",
    "ZDirector": "gc",
    "ZDriver": "gc",
    "ZWorker": "gc",
}
_PARTS = ("compiler", "gc", "vm")
ThreadClock = Literal["nanoseconds", "ticks"]


@dataclass
class Thread:
    """What a thread had used when it was last seen."""

    role: str = ""
    voluntary: int = 0
    involuntary: int = 0
    seconds: float = 0.0  # of processor time, of threads with a role


# By thread id. The kernel forgets a thread's counts with the thread; remembered, a component's sums
# never fall.
Threads = dict[str, Thread]


@dataclass(frozen=True, kw_only=True)
class Usage:
    cpu_seconds: float  # since the component's start
    rss_bytes: float
    threads: float
    voluntary_switches: float
    involuntary_switches: float
    compiler_seconds: float  # of `cpu_seconds`, by a JVM's just-in-time compilers
    gc_seconds: float  # of `cpu_seconds`, by a JVM's collector in threads of its own
    vm_seconds: float = 0.0  # of `cpu_seconds`, by the thread in which a JVM stops all others
    cgroup_bytes: float | None = None  # page cache included; None for plain processes
    throttled_seconds: float | None = None

    def after(self, earlier: Usage) -> Usage:
        """The same, counted on from a component that this one took the place of."""
        return replace(
            self,
            cpu_seconds=earlier.cpu_seconds + self.cpu_seconds,
            voluntary_switches=earlier.voluntary_switches + self.voluntary_switches,
            involuntary_switches=earlier.involuntary_switches + self.involuntary_switches,
            compiler_seconds=earlier.compiler_seconds + self.compiler_seconds,
            gc_seconds=earlier.gc_seconds + self.gc_seconds,
            vm_seconds=earlier.vm_seconds + self.vm_seconds,
            throttled_seconds=None
            if self.throttled_seconds is None
            else (earlier.throttled_seconds or 0.0) + self.throttled_seconds,
        )


class Component(Protocol):
    """Something whose use of the machine can be read."""

    def usage(self) -> Usage | None:
        """None when it has ended."""


class ProcessTree:
    """A process and all that it started (ended children included, as far as it waited for them)."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._threads: Threads = {}

    def usage(self) -> Usage | None:
        own = _stat(self.pid)
        if own is None or own.ended:
            return None
        stats = {pid: _stat(pid) for pid in (self.pid, *descendants(self.pid))}
        seen = {pid: stat for pid, stat in stats.items() if stat}
        return Usage(
            # Those that ended count as zombies until they are waited for, then in who waited for them.
            cpu_seconds=sum(s.ticks + s.children_ticks for s in seen.values()) / TICK,
            **_memory_and_threads([pid for pid, stat in seen.items() if not stat.ended], self._threads),
        )


class Several:
    """Components taken as one. What one of them had used when it ended still counts: sums never fall."""

    def __init__(self, parts: Sequence[Component]) -> None:
        self._parts = parts
        self._last: dict[int, Usage] = {}  # by place

    def usage(self) -> Usage | None:
        self._last |= {n: usage for n, part in enumerate(self._parts) if (usage := part.usage())}
        seen = self._last.values()
        if not seen:
            return None
        return Usage(
            cpu_seconds=sum(u.cpu_seconds for u in seen),
            rss_bytes=sum(u.rss_bytes for u in seen),
            threads=sum(u.threads for u in seen),
            voluntary_switches=sum(u.voluntary_switches for u in seen),
            involuntary_switches=sum(u.involuntary_switches for u in seen),
            compiler_seconds=sum(u.compiler_seconds for u in seen),
            gc_seconds=sum(u.gc_seconds for u in seen),
            vm_seconds=sum(u.vm_seconds for u in seen),
        )


class Cgroup:
    """A container: CPU from its control group (v1 or v2), so that ended processes count too."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._cpu, self._memory, self._procs, self._v2 = _cgroup_paths(pid)
        self._threads: Threads = {}

    def usage(self) -> Usage | None:
        try:
            pids = [int(p) for p in (self._procs / "cgroup.procs").read_text().split()]
            cpu, throttled = self._cpu_seconds()
            memory = (self._memory / ("memory.current" if self._v2 else "memory.usage_in_bytes")).read_text()
        except OSError:
            return None
        if not pids:
            return None
        return Usage(
            cpu_seconds=cpu,
            cgroup_bytes=float(memory),
            throttled_seconds=throttled,
            **_memory_and_threads(pids, self._threads),
        )

    def _cpu_seconds(self) -> tuple[float, float]:
        stat = _pairs(self._cpu / "cpu.stat")
        if self._v2:
            return stat["usage_usec"] / 1e6, stat.get("throttled_usec", 0) / 1e6
        usage = int((self._cpu / "cpuacct.usage").read_text())
        return usage / 1e9, stat.get("throttled_time", 0) / 1e9


def machine_seconds(proc: Path = PROC, cpuacct: Path = CPUACCT) -> tuple[float, float]:
    """Processor time since the machine's start: used by anything, and taken by its host ("steal").

    What was used comes from the scheduler, where the kernel says it. /proc/stat charges whole ticks to what
    runs at a tick: at 300 arrivals a second it said 1.04 processors for 0.52, and 0.07 for 0.55 elsewhere.
    """
    user, nice, system, _idle, _iowait, interrupts, soft, steal = map(
        int, (proc / "stat").read_text().split("\n", 1)[0].split()[1:9]
    )
    used = _scheduled(proc) or _accounted(cpuacct) or (user + nice + system + interrupts + soft) / TICK
    return used, steal / TICK


def _scheduled(proc: Path) -> float | None:
    """Seconds that tasks ran, of all processors: the seventh number of each (the kernel's sched-stats)."""
    try:
        lines = (proc / "schedstat").read_text().splitlines()
    except OSError:
        return None
    return sum(int(line.split()[7]) for line in lines if line.startswith("cpu")) / 1e9


def _accounted(cpuacct: Path) -> float | None:
    """The same of the topmost cgroup, version 1. In a container the file is there, too, but of it alone."""
    if not (cpuacct / "release_agent").exists():  # the topmost one alone has it
        return None
    return int((cpuacct / "cpuacct.usage").read_text()) / 1e9


def own_seconds() -> float:
    """Processor time of this program, without what it started: services are read by themselves, and would
    count twice once they were waited for."""
    return sum(os.times()[:2])


def process_start(pid: int) -> float:
    """When the process was started, in seconds since the epoch (to 10 ms)."""
    stat = _stat(pid)
    boot = next(
        int(line.split()[1])
        for line in Path("/proc/stat").read_text().splitlines()
        if line.startswith("btime")
    )
    if stat is None:
        raise ProcessLookupError(pid)
    # btime is rounded to seconds: the offset of the two clocks now is exact.
    uptime = float(Path("/proc/uptime").read_text().split()[0])
    exact_boot = time.time() - uptime
    return (exact_boot if abs(exact_boot - boot) < 5 else boot) + stat.start_ticks / TICK  # noqa: PLR2004


def descendants(pid: int) -> list[int]:
    """All processes below `pid`."""
    found: list[int] = []
    for task in _tasks(pid):
        try:
            children = (task / "children").read_text().split()
        except OSError:
            continue
        for child in map(int, children):
            found += [child, *descendants(child)]
    return found


def open_jars(pids: Iterable[int]) -> list[str]:
    """The names of the jar files that these processes hold open: the class path that is really used."""
    jars: set[str] = set()
    for pid in pids:
        try:
            links = list(Path(f"/proc/{pid}/fd").iterdir())
        except OSError:
            continue
        for link in links:
            with contextlib.suppress(OSError):  # a connection that was closed meanwhile
                target = link.readlink()
                jars |= {target.name} if target.suffix == ".jar" else set()
    return sorted(jars)


@dataclass(frozen=True)
class _Stat:
    ticks: int
    children_ticks: int
    start_ticks: int
    ended: bool  # a zombie: not waited for yet


def _stat(pid: int) -> _Stat | None:
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text[text.rindex(")") + 2 :].split()  # from the state on; see proc(5)
    user, system, child_user, child_system = map(int, fields[11:15])
    return _Stat(user + system, child_user + child_system, int(fields[19]), ended=fields[0] == "Z")


def _tasks(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return []


def _memory_and_threads(pids: Iterable[int], threads: Threads) -> dict[str, float]:
    rss = running = 0
    for pid in pids:
        try:
            rss += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
        except (OSError, IndexError):
            continue
        running += sum(_seen(task, threads) for task in _tasks(pid))
    known = threads.values()
    return {
        "rss_bytes": rss,
        "threads": running,
        "voluntary_switches": sum(t.voluntary for t in known),
        "involuntary_switches": sum(t.involuntary for t in known),
        **{f"{role}_seconds": sum(t.seconds for t in known if t.role == role) for role in _PARTS},
    }


def _seen(task: Path, threads: Threads) -> bool:
    """Takes a thread's counts; False when it has ended."""
    try:
        status = (task / "status").read_text()
        thread = threads.setdefault(task.name, Thread())
        if not thread.role:  # a young thread hasn't its name yet
            name = status.partition("Name:\t")[2]
            thread.role = next((role for start, role in ROLES.items() if name.startswith(start)), "")
        thread.voluntary = int(status.partition("\nvoluntary_ctxt_switches:")[2].split(None, 1)[0])
        thread.involuntary = int(status.partition("\nnonvoluntary_ctxt_switches:")[2].split(None, 1)[0])
        if thread.role:
            thread.seconds = _processor_time(task)
    except (OSError, IndexError):
        return False
    return True


def thread_clock() -> ThreadClock:
    """How finely this kernel tells a thread's processor time."""
    return "ticks" if _nanoseconds(Path("/proc/thread-self")) is None else "nanoseconds"


def _processor_time(task: Path) -> float:
    """Seconds, of a thread. Raises OSError when it has ended."""
    exact = _nanoseconds(task)
    if exact is not None:
        return exact / 1e9
    stat = (task / "stat").read_text()
    return sum(map(int, stat[stat.rindex(")") + 2 :].split()[11:13])) / TICK


def _nanoseconds(task: Path) -> int | None:
    """None where the kernel was built or started without these statistics, or the thread has never run."""
    try:
        ran, _waited, slices = map(int, (task / "schedstat").read_text().split())
    except FileNotFoundError:
        return None
    return ran if slices else None


def _pairs(path: Path) -> dict[str, int]:
    try:
        lines = path.read_text().splitlines()
    except OSError:
        return {}
    pairs = (line.replace(":", " ").split()[:2] for line in lines)
    return {p[0]: int(p[1]) for p in pairs if len(p) == 2}  # noqa: PLR2004


def _cgroup_paths(pid: int) -> tuple[Path, Path, Path, bool]:
    """CPU, memory and process list folders of the pid's control group, and whether it is version 2."""
    root = Path("/sys/fs/cgroup")
    lines = [line.split(":", 2) for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines()]
    if (root / "cgroup.controllers").exists():
        path = root / next(p for n, _, p in lines if n == "0").lstrip("/")
        return path, path, path, True
    by_controller = {c: (names, p.lstrip("/")) for _, names, p in lines for c in names.split(",")}

    def folder(controller: str) -> Path:
        names, path = by_controller[controller]
        mounted = root / names if (root / names).exists() else root / controller
        return mounted / path

    return folder("cpuacct"), folder("memory"), folder("cpuacct"), False

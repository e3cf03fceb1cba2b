"""What this machine and this checkout are, for the record."""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import socket
from pathlib import Path

from telar.store.record import Machine
from telar.tools import shell


def machine(container_engine: str) -> Machine:
    return Machine(
        hostname_digest=hashlib.sha256(socket.gethostname().encode()).hexdigest()[:12],
        kernel=platform.release(),
        cpu_model=_cpu_model(),
        processors=os.cpu_count() or 0,
        memory_mib=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1024**2,
        governor=_read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor") or "not exposed",
        cgroup="v2" if Path("/sys/fs/cgroup/cgroup.controllers").exists() else "v1",
        container_engine=container_engine,
        smt=_SMT.get(_read("/sys/devices/system/cpu/smt/active"), "not exposed"),
        transparent_huge_pages=_chosen(_read("/sys/kernel/mm/transparent_hugepage/enabled")),
        swap_mib=_swap_mib(_read("/proc/meminfo")),
    )


def commit(root: Path) -> tuple[str, str]:
    """The checkout's commit and a digest of what is changed on top of it ("" when nothing is)."""
    try:
        head = shell.run(["git", "-C", root, "rev-parse", "HEAD"], quiet=True).stdout.strip()
        changed = shell.run(["git", "-C", root, "diff", "HEAD", "--", "."], quiet=True).stdout
        new = shell.run(
            ["git", "-C", root, "ls-files", "--others", "--exclude-standard", "-z"], quiet=True
        ).stdout
    except shell.CommandError:
        return "", ""  # an export without git: the artefact's digest still says what ran
    if not changed and not new:
        return head, ""
    whole = hashlib.sha256(changed.encode())
    for name in filter(None, new.split("\0")):
        path = root / name
        # What can't be read (a nested repository, a link to nowhere) counts by its name.
        whole.update(name.encode(errors="surrogateescape") + (path.read_bytes() if path.is_file() else b""))
    return head, whole.hexdigest()[:12]


def protect(pid: int) -> None:
    """Puts the process' scheduling group before its neighbours', where the kernel and our rights allow it.

    The kernel shares processors among groups, one for each session: `nice` says nothing between them.
    """
    with contextlib.suppress(OSError):  # no autogroups in this kernel, or not root
        Path(f"/proc/{pid}/autogroup").write_text("-20")


def priority(pid: int) -> str:
    """The process' scheduling group and its nice value, as the kernel says; "" where there is none."""
    return _read(f"/proc/{pid}/autogroup").rpartition(" nice ")[2]


_SMT = {"1": "on", "0": "off"}


def _chosen(words: str) -> str:
    """The word in brackets: `always [madvise] never` is madvise."""
    return words.partition("[")[2].partition("]")[0] or "not exposed"


def _swap_mib(meminfo: str) -> int | None:
    line = next((line for line in meminfo.splitlines() if line.startswith("SwapTotal:")), "")
    return int(line.split()[1]) // 1024 if line else None


def _cpu_model() -> str:
    lines = _read("/proc/cpuinfo").splitlines()
    return next(
        (x.split(":", 1)[1].strip() for x in lines if x.startswith("model name")),
        platform.machine(),
    )


def _read(path: str) -> str:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return ""

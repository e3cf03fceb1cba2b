"""What the kernel lets a process use: read from it, whatever a layout or a container's options asked for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from telar.run import machine
from telar.store.record import Limits

CGROUPS = Path("/sys/fs/cgroup")
NO_LIMIT = 2**62  # version 1 has a huge number for "none", a page short of 2^63


def limits(pid: int) -> Limits | None:
    """None when the process has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        membership = Path(f"/proc/{pid}/cgroup").read_text()
    except OSError:
        return None
    return Limits(
        cpus=status.partition("Cpus_allowed_list:")[2].split("\n", 1)[0].strip(),
        quota=min(_quotas(membership, CGROUPS), default=None),
        memory_mib=min(_memories(membership, CGROUPS), default=None),
        priority=machine.priority(pid),
    )


def _quotas(membership: str, root: Path) -> Iterator[float]:
    """Processors' worth of time that each group on the way up grants."""
    for folder in _folders(membership, "cpu", root):
        one = _read(folder / "cpu.max").split()  # version 2: quota and period in one
        quota, period = one or (_read(folder / "cpu.cfs_quota_us"), _read(folder / "cpu.cfs_period_us"))
        if quota.isdigit() and period.isdigit():  # "max", -1: no limit
            yield int(quota) / int(period)


def _memories(membership: str, root: Path) -> Iterator[int]:
    for folder in _folders(membership, "memory", root):
        limit = _read(folder / "memory.max") or _read(folder / "memory.limit_in_bytes")
        if limit.isdigit() and int(limit) < NO_LIMIT:
            yield int(limit) // 1024**2


def _folders(membership: str, controller: str, root: Path) -> Iterator[Path]:
    """The control group of a process and all those above it, of one controller, in version 1 or 2."""
    unified = (root / "cgroup.controllers").exists()
    for line in membership.splitlines():
        _, names, path = line.split(":", 2)
        if controller not in names.split(",") and not (unified and not names):
            continue
        mounts = (root,) if unified else (root / names, root / controller)
        mounted = next((mount for mount in mounts if mount.exists()), root)
        own = mounted / path.lstrip("/")
        yield from (folder for folder in (own, *own.parents) if folder.is_relative_to(mounted))


def _read(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""

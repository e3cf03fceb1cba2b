"""Processes of this machine as the kernel tells of them: a number alone names none, for it is given again."""

from __future__ import annotations

import contextlib
import os
import signal
from dataclasses import dataclass
from pathlib import Path

STOPPED, ZOMBIE = "T", "Z"


@dataclass(frozen=True, kw_only=True)
class Seen:
    pid: int
    name: str
    state: str

    @property
    def is_running(self) -> bool:
        return self.state != ZOMBIE  # a zombie only waits to be asked for its exit code


def see(pid: int) -> Seen | None:
    """The process of that number; None when there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    before, _, after = text.rpartition(")")  # a name may have parentheses of its own; see proc(5)
    return Seen(pid=pid, name=before.partition("(")[2], state=after.split()[0])


def carrying(mark: str) -> list[Seen]:
    """What runs with `NAME=value` in the environment that it was started with, wherever it belongs now."""
    numbers = (int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit())
    found = (see(pid) for pid in numbers if _carries(pid, mark))
    return [seen for seen in found if seen and seen.is_running]


def kill(process: Seen, mark: str) -> None:
    """Ends the process that carries the mark, and none that has got its number meanwhile."""
    with contextlib.suppress(ProcessLookupError):
        handle = os.pidfd_open(process.pid)
        try:
            if _carries(process.pid, mark):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
        finally:
            os.close(handle)


def _carries(pid: int, mark: str) -> bool:
    try:
        return mark.encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:  # it ended, or is somebody else's
        return False

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
    session: int  # the pid of its session's leader
    started: int  # clock ticks since the machine's start: with the pid, the process' identity
    state: str

    @property
    def is_running(self) -> bool:
        return self.state != ZOMBIE  # a zombie only waits to be asked for its exit code

    def is_same(self, other: Seen | None) -> bool:
        return other is not None and (self.pid, self.started) == (other.pid, other.started)

    def kill(self) -> None:
        """Ends this very process, and none that has got its number meanwhile."""
        with contextlib.suppress(ProcessLookupError):
            handle = os.pidfd_open(self.pid)
            try:
                if self.is_same(see(self.pid)):
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
            finally:
                os.close(handle)


def see(pid: int) -> Seen | None:
    """The process of that number; None when there is none."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text(errors="replace")
    except OSError:
        return None
    before, _, after = text.rpartition(")")  # a name may have parentheses of its own; see proc(5)
    fields = after.split()
    return Seen(
        pid=pid,
        name=before.partition("(")[2],
        session=int(fields[3]),
        started=int(fields[19]),
        state=fields[0],
    )


def session_of(leader: int, started: int) -> list[Seen]:
    """What runs in the session of the process `leader` that was started then, itself or what it left."""
    now = see(leader)
    if now is not None and now.started != started:
        return []  # the number is another's: while anything of ours had this session, nobody could get it
    numbers = (int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit())
    everybody = (seen for pid in numbers if (seen := see(pid)))
    return [seen for seen in everybody if seen.session == leader and seen.is_running]

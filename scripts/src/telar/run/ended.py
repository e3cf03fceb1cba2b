"""A process that ends by itself, on a machine that is watched as in every run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from telar.collect.host import ProcessTree
from telar.collect.sampler import Sampler
from telar.errors import RunError
from telar.run import java, limits, machine, ruler
from telar.run.clock import Clock
from telar.run.room import require_room
from telar.store.record import Limits, Ruler, Series
from telar.tools import shell

POLL = 0.2
GRACE = 5.0


class Watched(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen from outside."""

    seconds: float
    series: Series  # of the machine, the process (`app`) and Telar (`runner`), at 1 Hz from start to end
    limits: Limits | None  # None where it ended before they could be read
    ruler: Ruler


def watch(argv: Sequence[str | Path], log: Path, *, cpus: str, patience: float, name: str) -> Watched:
    """Runs it to its end, its output in `log`. `patience`: seconds that it may take.

    Raises RunError, with its last lines, where it takes longer or ends with another exit code than 0.
    """
    clock, sampler = Clock(), Sampler()
    before = ruler.measure()
    start = time.time()
    process = shell.spawn(argv, log=log, env={"JAVA_TOOL_OPTIONS": "", "JDK_JAVA_OPTIONS": ""}, cpuset=cpus)
    try:
        machine.protect(process.pid)
        sampler.add("app", ProcessTree(process.pid))
        sampler.start()
        allowed = _wait(process, patience, name)
        sampler.sample()
    finally:
        process.stop(GRACE)
        sampler.stop()
    end = time.time()
    require_room(log.parent, None)
    clock.require_unmoved()
    begun, values = sampler.timeline().series(start, end)
    return Watched(
        seconds=end - start,
        series=Series(start=begun, step=1.0, values=dict(values)),
        limits=allowed,
        ruler=Ruler(work=ruler.work(), before=before, after=ruler.measure()),
    )


def _wait(process: shell.Process, patience: float, name: str) -> Limits | None:
    """Until it has ended; what the kernel let it use."""
    until = time.monotonic() + patience
    allowed = None
    while (code := process.poll()) is None:
        if time.monotonic() > until:
            raise RunError(f"{name} still ran after {patience:g} s", hint=_tail(process))
        allowed = limits.limits(process.pid) or allowed
        time.sleep(POLL)
    if code:
        raise RunError(f"{name} ended with {shell.exit_words(code)}", hint=_tail(process))
    return allowed


def _tail(process: shell.Process) -> str:
    lines = shell.last_lines(java.without_preamble(process.log.read_text(errors="replace")))
    return f"its last lines:\n{lines}"

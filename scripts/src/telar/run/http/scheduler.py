"""The JVM's scheduler of virtual threads, while a window lasts: its carriers, and who waits for one."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from telar.analyse.threads import Sample
from telar.errors import TelarError
from telar.tools import attach

COMMAND = "Thread.vthread_scheduler"  # of JDK 24 and newer
PERIOD = 0.1  # seconds
_NUMBER = re.compile(r"(\w+) = (\d+)")


@contextmanager
def watched(pid: int) -> Iterator[list[Sample]]:
    """The samples, which come as long as the context lasts; none of a JVM that doesn't say."""
    found: list[Sample] = []
    over = threading.Event()

    def look() -> None:
        while not over.wait(PERIOD):
            try:
                said = read(attach.ask(pid, COMMAND))
            except TelarError:
                return
            if said is None:
                return
            found.append(said)

    thread = threading.Thread(target=look, name="telar-scheduler", daemon=True)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        thread.join()


def read(answer: str) -> Sample | None:
    """Of the pool that carries virtual threads; None where the JVM doesn't say. Its `tasks` and `submissions`
    are virtual threads that could go on and have no carrier yet.
    """
    line = next((line for line in answer.splitlines() if "parallelism" in line), "")
    numbers = {name: int(value) for name, value in _NUMBER.findall(line)}
    try:
        return Sample(
            carriers=numbers["parallelism"],
            busy=numbers["active"],
            queued=numbers["tasks"] + numbers["submissions"],
        )
    except KeyError:
        return None

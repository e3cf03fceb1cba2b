"""Whether the host leaves this machine its processors.

An idle machine shows nothing: what the host takes is counted only while there is something to be done, and
most of it where that wakes up often, as services under load do. So the probe does.
"""

from __future__ import annotations

import time

from telar.collect.host import machine_seconds

SECONDS = 3.0
STEP = 0.002  # of work, and of sleep


def stolen_per_30() -> float:
    """Seconds in 30 that the host takes from all processors, by a few seconds of small work on one."""
    _, before = machine_seconds()
    started = time.monotonic()
    while time.monotonic() - started < SECONDS:
        until = time.monotonic() + STEP
        while time.monotonic() < until:
            pass
        time.sleep(STEP)
    _, after = machine_seconds()
    return (after - before) * 30 / SECONDS

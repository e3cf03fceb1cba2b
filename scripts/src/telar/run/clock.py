"""Whether the machine's clock went on as time did."""

from __future__ import annotations

import time

from telar.errors import RunError

TOLERANCE = 0.5  # seconds


class Clock:
    """k6, the sampler and the GC log share only the wall clock: once it was set, their times don't meet."""

    def __init__(self) -> None:
        self.started = time.time()
        self._steady = time.monotonic()

    def moved(self) -> float:
        """By how many seconds the wall clock was set since then, or the machine slept."""
        return (time.time() - self.started) - (time.monotonic() - self._steady)

    def require_unmoved(self) -> None:
        """Raises RunError when a record's times would be on no common clock."""
        moved = self.moved()
        if abs(moved) > TOLERANCE:
            raise RunError(
                f"the clock of this machine was set by {moved:+.1f} s during the run",
                hint="its times are on no common clock; let a time service slew the clock, and don't suspend",
            )

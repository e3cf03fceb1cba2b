"""One load from several k6 processes: each takes its part of the arrivals (k6's execution segments).

For a rate beyond what one generator can offer. An arrival's number, and with it what it asks, is the same
whichever of them makes it; all begin at one moment, and their results are read as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from telar.collect.host import Component, Several
from telar.run.engine import Service


def segments(count: int) -> list[tuple[str, ...]]:
    """k6's arguments for each of so many generators; none where it is alone."""
    if count == 1:
        return [()]
    edges = [str(Fraction(n, count)) for n in range(count + 1)]
    whole = ("--execution-segment-sequence", ",".join(edges))
    return [
        ("--execution-segment", f"{edges[n]}:{edges[n + 1]}", *whole, "--tag", f"generator={n + 1}")
        for n in range(count)
    ]


class Together:
    """Several started generators as one service, that has ended when all have."""

    def __init__(self, parts: Sequence[Service]) -> None:
        self._parts = parts
        self.pid, self.image = parts[0].pid, parts[0].image

    def ended(self) -> int | None:
        """0 when all ended well, else the exit code of the first that didn't; None while one still runs and
        none has failed.
        """
        codes = [part.ended() for part in self._parts]
        wrong = next((code for code in codes if code), None)
        return wrong if wrong is not None or None in codes else 0

    def how_ended(self) -> str:
        wrong = next((part for part in self._parts if part.ended()), self._parts[0])
        return wrong.how_ended()

    def stop(self) -> None:
        for part in self._parts:
            part.stop()

    def log(self) -> str:
        return "\n".join(part.log() for part in self._parts)

    def usage_of(self) -> Component:
        return Several([part.usage_of() for part in self._parts])

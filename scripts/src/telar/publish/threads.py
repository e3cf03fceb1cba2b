"""What threads do on both sides of a comparison, as a table of few rows."""

from __future__ import annotations

from telar.analyse.threads import Place, Threads
from telar.words import digits

NONE = "–"
OWN = 4  # frames of a place that are shown


def rows(base: Threads, head: Threads) -> list[tuple[str, str, str]]:
    """What it is, base, head; rows that neither side knows are left out."""
    found = [
        ("OS threads, at most", *(_number(s.os_threads) for s in (base, head))),
        ("voluntary switches per request", *(_number(s.switches) for s in (base, head))),
        ("carriers at work", *map(_carriers, (base, head))),
        ("virtual threads that wait for a carrier", *map(_queued, (base, head))),
        ("waiting for a connection, at most", *(_number(s.pool_waiting) for s in (base, head))),
        ("pins per 1,000 requests", *map(_pins, (base, head))),
    ]
    return [(what, a, b) for what, a, b in found if (a, b) != (NONE, NONE)]


def places(base: Threads, head: Threads) -> list[str]:
    """A line for each place where virtual threads were pinned, the longest first."""
    return [
        f"{side}: pinned {digits(place.count)} times in 1,000 requests, {digits(place.milliseconds)} ms"
        f"{_reason(place)}: " + " ← ".join(place.stack[:OWN])
        for side, own in (("base", base), ("head", head))
        for place in own.places
    ]


def _number(value: float | None) -> str:
    return NONE if value is None else digits(value)


def _carriers(side: Threads) -> str:
    return NONE if side.busy is None else f"{digits(side.busy, 2)} of {side.carriers}"


def _queued(side: Threads) -> str:
    return NONE if side.queued is None else f"{digits(side.queued, 2)}, at most {side.queued_most}"


def _pins(side: Threads) -> str:
    if side.pins is None:
        return NONE
    return f"{digits(side.pins)}, {digits(side.pinned or 0.0)} ms" if side.pins else "0"


def _reason(place: Place) -> str:
    return f" ({place.reason})" if place.reason else ""

"""What a process was started with: as the kernel has it, and as a record keeps it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from telar.tools.components.base import home as cache


def command_line(pid: int) -> tuple[str, ...]:
    """As the kernel has it."""
    raw = Path(f"/proc/{pid}/cmdline").read_bytes().rstrip(b"\0")
    return tuple(part.decode(errors="replace") for part in raw.split(b"\0"))


def kept(words: Iterable[str], root: Path) -> tuple[str, ...]:
    """Without the paths of this machine: they change no number, and records are shared.

    What lies in the checkout is relative to it, and what Telar set up to its cache.
    """
    places = {f"{root}/": "", f"{cache()}/": "$TELAR_CACHE/"}
    # The longer first: a cache may lie inside the checkout, and a checkout inside another's folder.
    for place in sorted(places, key=len, reverse=True):
        words = [word.replace(place, places[place]) for word in words]
    return tuple(words)

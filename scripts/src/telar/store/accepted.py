"""Levels that somebody accepted, with the reason: benchmarks-data/accepted.toml, kept in git.

A regression stays open until it is cured or accepted; the series is then compared with the accepted level.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Final

import msgspec

from telar.catalog.files import read_toml
from telar.catalog.shapes import File
from telar.store.files import write_atomically
from telar.store.record import Moment

ACCEPTED: Final = "accepted.toml"  # below benchmarks-data/
Line = Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]


class Acceptance(File, frozen=True):
    """From this moment on what the series was then is what it is expected to be."""

    series: Line
    metric: Line
    time: Moment  # of the last point whose level is accepted
    reason: Line
    commit: str = ""
    by: str = ""


class AcceptedFile(File, frozen=True):
    accepted: tuple[Acceptance, ...] = ()


def read(path: Path) -> tuple[Acceptance, ...]:
    """All of them; none where there is no file. Raises ConfigError naming file, key and line."""
    return read_toml(path, AcceptedFile).accepted if path.exists() else ()


def add(path: Path, acceptances: list[Acceptance]) -> None:
    """Adds them at the file's end: what is there stays as it is, comments too."""
    before = (
        path.read_bytes() if path.exists() else b"# Levels that somebody accepted (telar accept), and why.\n"
    )
    tables = "".join(
        "\n[[accepted]]\n"
        + "".join(f"{k} = {_toml(v)}\n" for k, v in msgspec.structs.asdict(a).items() if v != "")
        for a in acceptances
    )
    write_atomically(path, before + tables.encode())


def _toml(value: object) -> str:
    """A JSON string is a basic string of TOML, and a number a number."""
    return json.dumps(value, ensure_ascii=False)

"""The start that writes a start-up archive, and the one that uses it (catalog/jvm.py says what these are).

An archive lies in the run's folder. Before the start that is measured the app is started once to write it,
gives its first answer and is ended.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path

from telar.catalog.jvm import ARCHIVES, uses_archive
from telar.errors import RunError
from telar.run.engine import Service

PATIENCE = 180.0  # seconds for a JVM that ends to write its archive, which for a cache takes a second JVM
MEMORY = "4g"  # of the container of the start that writes one: two JVMs, each with its heap
_POLL = 0.1


def used(options: Iterable[str], folder: Path) -> list[str]:
    """The options of the start that is measured: archives by their whole path."""
    return [_placed(o, folder, use, use) if (use := uses_archive(o)) else o for o in options]


def written(options: Iterable[str], folder: Path) -> list[str]:
    """The options of the start that writes the archive."""
    insisting = {a.insists for a in ARCHIVES.values()}
    return [
        _placed(o, folder, use, ARCHIVES[use].written_by) if (use := uses_archive(o)) else o
        for o in options
        if o not in insisting
    ]


def end(app: Service, archive: Path) -> None:
    """Ends the app that writes an archive; returns once it has. Raises RunError where it left none."""
    os.kill(app.pid, signal.SIGTERM)
    until = time.monotonic() + PATIENCE
    while app.ended() is None:
        if time.monotonic() > until:
            raise RunError(
                f"the app hasn't ended {PATIENCE:.0f} s after it was asked to write {archive.name}"
            )
        time.sleep(_POLL)
    if not archive.is_file():
        raise RunError(
            f"the app {app.how_ended()} and left no {archive.name}", hint="the JVM says why in its last lines"
        )


def _placed(option: str, folder: Path, use: str, instead: str) -> str:
    return f"{instead}{folder / option.removeprefix(use)}"

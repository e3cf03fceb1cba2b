"""Folders that are made once, are whole or not there, and never collide between two Telars."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds the lock file at `path`, waiting for whoever has it, be it another thread."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield  # closing the file gives the lock back


def make_once(folder: Path, fill: Callable[[Path], None]) -> Path:
    """`folder`, filled by `fill` unless it's there already.

    `fill` gets an empty folder beside it that takes its name only when all went well.
    """
    if folder.is_dir():
        return folder
    with locked(folder.parent / f".{folder.name}.lock"):
        if not folder.is_dir():
            _fill_aside(folder, fill)
    return folder


def _fill_aside(folder: Path, fill: Callable[[Path], None]) -> None:
    # Whoever holds the lock is the only one at it: what lies there is of a Telar that was killed.
    for left in folder.parent.glob(f".{folder.name}-*"):
        shutil.rmtree(left, ignore_errors=True)
    aside = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}-"))
    try:
        aside.chmod(0o755)
        fill(aside)
        aside.rename(folder)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise

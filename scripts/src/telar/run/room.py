"""Whether there is still room on the disk where a run writes."""

from __future__ import annotations

import errno
import shutil
from pathlib import Path

from telar.errors import EnvironmentProblem
from telar.tools.shell import CommandError

LEAST_MIB = 16  # with less than that, something has not been written in full


def require_room(folder: Path, error: Exception | None = None) -> None:
    """Raises EnvironmentProblem when the disk is full, or `error` came of that."""
    free = shutil.disk_usage(next(p for p in (folder, *folder.parents) if p.exists())).free // 1024**2
    if free < LEAST_MIB or _says_full(error):
        raise EnvironmentProblem(
            f"the disk is full: {free} MiB free at {folder}",
            hint="free some room; telar run --resume makes this run again and goes on",
        ) from error


def _says_full(error: Exception | None) -> bool:
    if isinstance(error, CommandError):
        return "No space left on device" in error.output
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)

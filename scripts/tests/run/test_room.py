from __future__ import annotations

import errno
from pathlib import Path

import pytest

from telar.errors import EnvironmentProblem, RunError
from telar.run.room import require_room
from telar.tools.shell import CommandError

# The real thing, a disk that fills up under a run, is a row of the fault matrix (tests/faults).


def test_where_there_is_room_nothing_is_said(tmp_path: Path) -> None:
    require_room(tmp_path / "not" / "made" / "yet")
    require_room(tmp_path, RunError("the app died"))
    require_room(tmp_path, OSError(errno.EACCES, "not allowed"))


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, "No space left on device"),
        OSError(errno.EDQUOT, "Disk quota exceeded"),
        CommandError(["cp"], 1, "cp: error writing 'ibdata1': No space left on device"),
    ],
)
def test_an_error_that_comes_of_a_full_disk_is_told_as_such(tmp_path: Path, error: Exception) -> None:
    with pytest.raises(EnvironmentProblem, match=f"the disk is full: .*{tmp_path}") as caught:
        require_room(tmp_path, error)
    assert caught.value.__cause__ is error

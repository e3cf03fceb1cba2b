from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest

from telar.tools.folders import make_once


def test_a_folder_is_made_once_even_by_many_at_a_time(tmp_path: Path) -> None:
    calls: list[Path] = []

    def fill(folder: Path) -> None:
        calls.append(folder)
        time.sleep(0.05)
        (folder / "file").write_text("whole")

    target = tmp_path / "deep" / "thing"
    threads = [threading.Thread(target=make_once, args=(target, fill)) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 1
    assert (target / "file").read_text() == "whole"


def test_a_folder_that_could_not_be_filled_leaves_nothing_behind(tmp_path: Path) -> None:
    def fill(folder: Path) -> None:
        (folder / "half").write_text("…")
        raise RuntimeError("no luck")

    with pytest.raises(RuntimeError, match="no luck"):
        make_once(tmp_path / "thing", fill)
    assert [p.name for p in tmp_path.iterdir()] == [".thing.lock"]


def test_what_a_killed_telar_left_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / ".thing-abc123").mkdir()
    (tmp_path / ".thing-abc123" / "half").write_text("…")
    make_once(tmp_path / "thing", lambda folder: (folder / "file").touch())
    assert sorted(p.name for p in tmp_path.iterdir()) == [".thing.lock", "thing"]

"""Acceptances: added at the end of a file that people read, with their reasons as they were said."""

from __future__ import annotations

from pathlib import Path

import pytest

from telar.errors import ConfigError
from telar.store import accepted
from telar.store.accepted import Acceptance

FIRST = Acceptance(
    series="app", metric="p50", time=12.5, reason='validation: "strict",\nissue 17 – ünïcode \\', by="me"
)
SECOND = Acceptance(series="app", metric="p99", time=13.0, reason="too", commit="ab12")


def test_acceptances_are_read_as_they_were_said(tmp_path: Path) -> None:
    path = tmp_path / "accepted.toml"
    accepted.add(path, [FIRST])
    accepted.add(path, [SECOND])
    assert accepted.read(path) == (FIRST, SECOND)


def test_what_stands_in_the_file_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "accepted.toml"
    path.write_text('# mine\n[[accepted]]\nseries = "x" # why\nmetric = "m"\ntime = 1\nreason = "r"\n')
    before = path.read_text()
    accepted.add(path, [FIRST])
    assert path.read_text().startswith(before)
    assert len(accepted.read(path)) == 2


def test_without_a_file_nothing_is_accepted(tmp_path: Path) -> None:
    assert accepted.read(tmp_path / "none.toml") == ()


def test_a_key_that_is_none_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "accepted.toml"
    path.write_text('[[accepted]]\nseries = "x"\nmetric = "m"\ntime = 1\nreasons = "r"\nreason = "r"\n')
    with pytest.raises(ConfigError, match=r"accepted.toml:5: unknown key 'reasons'") as told:
        accepted.read(path)
    assert "did you mean 'reason'?" in told.value.hint

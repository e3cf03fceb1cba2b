"""Records as files: whole or not there, never changed, and each fault with the file's name."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from telar.errors import EnvironmentProblem, StoreError
from telar.store.files import Session, pretty, read_record, sessions, write_atomically
from telar.store.record import FORMAT, Metric

from .records import CELL, STOP, plan, record

OTHER = msgspec.structs.replace(CELL, variant="spring-mysql-blocking-platform")


def names(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


# ---- one file


def test_a_file_replaces_the_old_one_whole_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "er" / "file.json"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert names(path.parent) == ["file.json"]


@pytest.fixture
def no_big_files() -> Iterator[None]:
    """The kernel refuses what goes beyond a mebibyte, as a full disk would."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024**2, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("no_big_files")
def test_a_failure_half_way_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    write_atomically(path, b"old")
    with pytest.raises(EnvironmentProblem, match=rf"{path}: can't be written: File too large"):
        write_atomically(path, b"new" * 1024**2)
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file.json"]


def test_an_interruption_while_writing_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file.json"
    write_atomically(path, b"old")

    def interrupted(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file.json"]


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EnvironmentProblem, match=r"below\.json: can't be written"):
        write_atomically(tmp_path / "file" / "below.json", b"")


def test_a_file_has_the_permissions_of_any_other(tmp_path: Path) -> None:
    write_atomically(tmp_path / "ours", b"")
    (tmp_path / "any").touch()
    ours, other = (stat.S_IMODE((tmp_path / n).stat().st_mode) for n in ("ours", "any"))
    assert ours == other


# ---- reading a record


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (pretty(record())[:-1000], "is not a JSON object"),
        (b"", "is not a JSON object"),
        (b"[1, 2]", "is not a JSON object"),
        (b"\xff\xfe", "is not a JSON object"),
        (b"{}", "format None, but this Telar reads format 1"),
        (pretty(record()).replace(b'"format": 1', b'"format": 2'), "format 2, but this Telar reads format 1"),
        (pretty(record()).replace(b'"suite"', b'"sweet"'), "sweet"),
        (pretty(record()).replace(b'"scheduled": 500.0', b'"scheduled": "many"'), r"\$\.load\.scheduled"),
        (pretty(record()).replace(b'"scheduled": 500.0', b'"scheduled": NaN'), "malformed"),
    ],
)
def test_a_file_that_is_no_record_is_an_error_that_names_it(
    tmp_path: Path, content: bytes, reason: str
) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=reason) as caught:
        read_record(path)
    assert caught.value.message.startswith(f"{path}: ")
    assert caught.value.exit_code == 7


def test_a_record_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"gone\.json: can't be read: No such file"):
        read_record(tmp_path / "gone.json")


# ---- sessions


def test_a_session_gives_back_its_plan_and_its_records_by_position(tmp_path: Path) -> None:
    made = Session.create(tmp_path / "s", plan(CELL, OTHER))
    second = record(position=2, outcome="failed", stopped=STOP)
    made.add("zzz", record(position=1))
    made.add("aaa", second)
    again = Session(tmp_path / "s")
    assert again.plan == plan(CELL, OTHER)
    assert again.records() == [record(position=1), second]


def test_resuming_finds_what_is_done_failed_runs_too(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "s", plan(CELL, OTHER, CELL))
    one, two, three = session.plan.runs
    session.add(one.name, record())
    session.add(three.name, record(outcome="failed", stopped=STOP))
    (tmp_path / "s" / "records" / f".{two.name}.json.0a1b2c3d").write_text("half")  # a power cut's
    assert [r for r in Session(tmp_path / "s").plan.runs if not session.has(r.name)] == [two]
    assert len(session.records()) == 2


def test_a_record_is_never_changed(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "s", plan(CELL))
    path = session.add("run", record())
    before = path.read_bytes()
    with pytest.raises(StoreError, match="records are never changed"):
        session.add("run", record(position=2))
    assert path.read_bytes() == before


def test_a_session_is_never_begun_twice(tmp_path: Path) -> None:
    Session.create(tmp_path / "s", plan(CELL))
    with pytest.raises(StoreError, match="there is a session of this name already"):
        Session.create(tmp_path / "s", plan(OTHER))
    assert Session(tmp_path / "s").plan == plan(CELL)


def test_what_could_not_be_read_again_is_not_kept(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "s", plan(CELL))
    nan = Metric(value=float("nan"), unit="ms", better="smaller")
    with pytest.raises(StoreError, match=r"\$\.metrics"):
        session.add("run", record(metrics={"p99": nan}))
    assert not session.has("run")


def test_a_broken_plan_is_named(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "s", plan(CELL))
    path = tmp_path / "s" / "plan.json"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(StoreError, match=rf"^{path}: "):
        _ = session.plan
    path.unlink()
    with pytest.raises(StoreError, match=rf"^{path}: can't be read"):
        _ = session.plan


def test_sessions_are_listed_oldest_first_and_other_folders_are_not(tmp_path: Path) -> None:
    for name in ("20261121-080000-smoke", "20261120-090000-smoke"):
        Session.create(tmp_path / name, plan(CELL))
    (tmp_path / "notes").mkdir()
    assert [s.id for s in sessions(tmp_path)] == ["20261120-090000-smoke", "20261121-080000-smoke"]
    assert sessions(tmp_path / "none") == []


def test_a_record_on_disk_is_for_people_too(tmp_path: Path) -> None:
    Session.create(tmp_path / "s", plan(CELL)).add("run", record())
    lines = (tmp_path / "s" / "records" / "run.json").read_text().splitlines()
    assert lines[1] == f' "format": {FORMAT},'
    assert len(lines) > 50

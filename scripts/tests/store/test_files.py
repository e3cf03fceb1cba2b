"""Records as files: whole or not there, never changed, and each fault with the file's name."""

from __future__ import annotations

import os
import re
import resource
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.errors import EnvironmentProblem, StoreError
from telar.store.decode import RecordError
from telar.store.files import Session, pretty, read_record, sessions, write_atomically
from telar.store.record import FORMAT, Metric
from telar.store.seal import sealed

from .records import CELL, STOP, plan, put, record, unsealed

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


def test_the_names_of_new_folders_are_synced_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[Path] = []
    real = os.fsync

    def seen(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink())
        real(descriptor)

    monkeypatch.setattr(os, "fsync", seen)
    path = tmp_path / "session" / "records" / "run.json"
    write_atomically(path, b"new")
    assert synced[0].name.startswith(".run.json.")
    assert synced[1:] == [path.parent, path.parent.parent]


# ---- reading a record

SEALED = sealed(pretty(record()))


def resealed(old: bytes, new: bytes) -> bytes:
    """A record in which one place is another: its digest fits, so that it is the types' turn to refuse it."""
    changed = pretty(record()).replace(old, new)
    assert changed != pretty(record())
    return sealed(changed)


@pytest.mark.parametrize(
    ("content", "fault", "problem"),
    [
        (SEALED[:-1000], "truncated", "is not whole JSON: "),
        (SEALED[:-2], "truncated", "is not whole JSON: "),
        (b"", "truncated", "is not whole JSON: "),
        (SEALED[:100] + bytes(len(SEALED) - 100), "truncated", "is not whole JSON: "),  # a crashed disk's
        (b"\xff" + SEALED, "garbled", "is not whole JSON: 'utf-8' codec can't decode byte 0xff"),
        (SEALED.decode().encode("utf-16"), "truncated", "is not whole JSON: 'utf-8' codec"),
        (SEALED.replace(b'"suite"', b"suite"), "garbled", "is not whole JSON: "),
        (SEALED.replace(b"500.0", b"NaN", 1), "garbled", "is not whole JSON: NaN is no number"),
        (SEALED.replace(b"500.0", b"-Infinity", 1), "garbled", "is not whole JSON: -Infinity is no number"),
        (SEALED.replace(b"500.0", b"5e999", 1), "garbled", "is not whole JSON: 5e999 is no number"),
        (SEALED.replace(b"500.0", b"9" * 5000, 1), "garbled", "is not whole JSON: Exceeds the limit"),
        (SEALED.replace(b'"smoke"', b'"\\ud800"', 1), "garbled", "is not whole JSON: 'utf-8' codec"),
        (SEALED.replace(b'"suite"', b'"session": "",\n "suite"', 1), "garbled", "'session' is there twice"),
        (b"[" * 100_000 + b"\n}", "garbled", "is not whole JSON: maximum recursion"),
        (b"[1,\n{\n}]\n}", "garbled", "is not whole JSON: "),
        (b"[]", "garbled", "is JSON, but no object"),
        (b"{\n}", "unsound", "format None; this Telar reads 1, 2"),
        (SEALED.replace(b'"format": 2', b'"format": 3'), "newer", "format 3; this Telar reads 1, 2"),
        (SEALED.replace(b'"format": 2', b'"format": 0'), "unsound", "format 0; this Telar reads 1, 2"),
        (SEALED.replace(b'"format": 2', b'"format": true'), "unsound", "format True; this Telar reads 1, 2"),
        (SEALED.replace(b'"format": 2', b'"format": "2"'), "unsound", "format '2'; this Telar reads 1, 2"),
        (SEALED.replace(b'"format": 2', b'"format": 1'), "unsound", "$.benchmark: unknown in format 1"),
        (SEALED.replace(b"500.0", b"500.5", 1), "edited", "was changed after it was written"),
        (pretty(record()), "edited", "was changed after it was written"),
        (resealed(b'"suite"', b'"sweet"'), "unsound", "$: Object contains unknown field `sweet`"),
        (resealed(b'"p99": {', b'"p99": {"a": 1,'), "unsound", "$.metrics.p99: Object contains unknown"),
        (resealed(b'"scheduled": 500.0', b'"scheduled": "many"'), "unsound", "$.load.scheduled: Expected"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_record_is_named_with_its_fault(
    tmp_path: Path, content: bytes, fault: str, problem: str
) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)
    with pytest.raises(RecordError) as caught:
        read_record(path)
    error = caught.value
    assert (error.exit_code, error.fault) == (7, fault)
    assert error.message == f"{path}: {error.problem}"
    assert problem in error.problem
    assert error.hint


def test_a_record_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"gone\.json: can't be read: No such file"):
        read_record(tmp_path / "gone.json")


# ---- sessions


def test_two_sessions_that_begin_in_one_second_have_names_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On two machines, so that neither sees the other's folder."""
    monkeypatch.setattr("time.gmtime", lambda: time.struct_time((2026, 11, 21, 7, 18, 6, 5, 325, 0)))
    one, other = (Session.begin(tmp_path / machine, "smoke", plan(CELL)) for machine in "ab")
    assert one.id != other.id
    assert all(re.fullmatch(r"20261121-071806-[0-9a-f]{4}-smoke", s.id) for s in (one, other))


def test_a_session_gives_back_its_plan_and_its_records_by_position(tmp_path: Path) -> None:
    made = Session.create(tmp_path / "s", plan(CELL, OTHER))
    first, second = made.plan.runs
    put(made, second, record(outcome="failed", stopped=STOP))
    put(made, first, record())
    again = Session(tmp_path / "s")
    assert again.plan == plan(CELL, OTHER)
    assert [unsealed(r) for r in again.records()] == [
        record(session="s"),
        record(session="s", position=2, cell=OTHER, outcome="failed", stopped=STOP),
    ]


def test_resuming_finds_what_is_done_failed_runs_too(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "s", plan(CELL, OTHER, CELL))
    one, two, three = session.plan.runs
    put(session, one, record())
    put(session, three, record(outcome="failed", stopped=STOP))
    (tmp_path / "s" / "records" / f".{two.name}.json.0a1b2c3d").write_text("half")  # a power cut's
    assert [r for r in Session(tmp_path / "s").plan.runs if not session.has(r.name)] == [two]
    assert len(session.records()) == 2


def test_a_record_is_never_changed(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "s", plan(CELL))
    path = put(session, session.plan.runs[0], record())
    before = path.read_bytes()
    with pytest.raises(StoreError, match="records are never changed"):
        put(session, session.plan.runs[0], record(suite="another"))
    assert path.read_bytes() == before


@pytest.fixture
def three(tmp_path: Path) -> tuple[Session, list[Path]]:
    """A session with three records, and their files."""
    session = Session.create(tmp_path / "s", plan(CELL, OTHER, CELL))
    return session, [put(session, run, record()) for run in session.plan.runs]


def test_a_damaged_record_is_named_and_never_left_out(three: tuple[Session, list[Path]]) -> None:
    session, (first, second, _) = three
    second.write_bytes(second.read_bytes()[:-9])
    with pytest.raises(RecordError, match=rf"^{re.escape(str(second))}: is not whole JSON"):
        session.records()
    first.write_bytes(first.read_bytes().replace(b"500.0", b"501.0"))
    with pytest.raises(RecordError, match=r"digest doesn't fit; 2 records of this session are dam") as caught:
        session.records()
    assert caught.value.hint.startswith("telar store verify names them all")


def test_a_record_of_another_session_or_run_is_never_counted(three: tuple[Session, list[Path]]) -> None:
    session, (first, second, _) = three
    content = second.read_bytes()
    second.write_bytes(first.read_bytes())
    with pytest.raises(
        RecordError, match=r"belongs to run 1 \(spring-mysql-blocking-virtual\) of the session s"
    ):
        session.records()
    second.write_bytes(content)
    (first.parent / "one-more.json").write_bytes(content)
    with pytest.raises(RecordError, match=r"one-more\.json: is named as no run of this session's plan"):
        session.records()
    renamed = session.folder.rename(session.folder.with_name("other"))
    (renamed / "records" / "one-more.json").unlink()
    with pytest.raises(RecordError, match=r"of the session s; 3 records of this session are damaged"):
        Session(renamed).records()


def test_a_session_is_never_begun_twice(tmp_path: Path) -> None:
    Session.create(tmp_path / "s", plan(CELL))
    with pytest.raises(StoreError, match="there is a session of this name already"):
        Session.create(tmp_path / "s", plan(OTHER))
    assert Session(tmp_path / "s").plan == plan(CELL)


NAN = Metric(value=float("nan"), unit="ms", better="smaller")
WHOLE = record()
assert WHOLE.series


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"metrics": {"p99": NAN}}, r"\$\.metrics\.p99\.value: Expected `float`, got `null`"),
        (
            {"series": msgspec.structs.replace(WHOLE.series, values={"app.rss": (1.0, float("inf"))})},
            "isn't read as it was written",  # null would say that it could not be read
        ),
        ({"position": 0}, r"\$\.position: Expected `int` >= 1"),
        ({"started": 10**30}, r"\$\.started: Expected `float` <= 253402300799"),
        ({"suite": "\ud800"}, "can't be written as JSON"),
        ({"outcome": "failed"}, r"\$\.stopped: missing in a run that failed"),
    ],
)
def test_what_could_not_be_read_again_is_not_kept(
    tmp_path: Path, changes: dict[str, Any], problem: str
) -> None:
    session = Session.create(tmp_path / "s", plan(CELL))
    with pytest.raises(StoreError, match=problem) as caught:
        session.add("run", record(**changes))
    assert str(session.record_path("run")) in caught.value.message
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
    session = Session.create(tmp_path / "s", plan(CELL))
    session.add("run", record())
    lines = (tmp_path / "s" / "records" / "run.json").read_text().splitlines()
    assert lines[1] == f' "format": {FORMAT},'
    assert len(lines) > 50

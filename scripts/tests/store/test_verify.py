"""`telar store verify`: what was put into a store is still there, or is named with what happened to it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from telar.plan.cells import PlannedRun
from telar.store.files import Session, pretty
from telar.store.seal import sealed
from telar.store.verify import Finding, verify

from .records import CELL, OTHER, WARMUP, plan, put, record, record_files, three_of_four

NAME = "20261121-071806-smoke"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return three_of_four(tmp_path / "data" / NAME)


@pytest.fixture
def data(session: Session) -> Path:
    return session.folder.parent


def found(data: Path) -> list[tuple[str, str]]:
    """Fault and file of each finding."""
    return [(finding.fault, Path(finding.path).name) for finding in verify(data).findings]


def test_a_store_as_it_was_written_has_nothing_to_be_found(data: Path) -> None:
    (kept,) = verify(data).sessions
    assert (kept.session, kept.planned, kept.whole, kept.to_run) == (NAME, 4, 3, 1)
    assert (kept.gaps, kept.findings, verify(data).left_over) == ((), (), ())


def test_an_empty_store_is_no_fault(tmp_path: Path) -> None:
    assert verify(tmp_path).sessions == ()


def test_every_fault_is_told_from_the_others(session: Session, data: Path) -> None:
    first, second, third, fourth = record_files(session)
    content = first.read_bytes()
    for path, changed, fault in (
        (first, content[:-7], "truncated"),
        (first, content.replace(b'"dropped": 1', b'"dropped": 0'), "edited"),
        (first, b"\xff" + content, "garbled"),
        (first, sealed(content.replace(b'"smoke"', b"7")), "unsound"),
        (first, sealed(content.replace(b'"format": 2', b'"format": 3')), "newer"),
        (second, content, "copied"),
        (fourth, content, "copied"),
        (fourth.with_name("notes.json"), content, "copied"),
        (fourth.with_name("notes.txt"), b"", "foreign"),
        (
            second,
            sealed(content.replace(NAME.encode(), b"20261120-000000-smoke").replace(b"0" * 16, b"f" * 16)),
            "foreign",
        ),
    ):
        before = path.read_bytes() if path.exists() else None
        path.write_bytes(changed)
        assert found(data) == [(fault, path.name)]
        path.unlink()
        if before is not None:
            path.write_bytes(before)
    third.unlink()
    third.mkdir()
    assert found(data) == [("unreadable", third.name)]


def test_every_fault_of_a_session_is_found_and_so_are_those_of_the_next(session: Session, data: Path) -> None:
    first, second, third, _ = record_files(session)
    first.write_bytes(b"")
    third.write_bytes(third.read_bytes().replace(b"500.0", b"499.5"))
    shutil.copytree(session.folder, data / "20261122-000000-copied")
    assert found(data) == [
        ("truncated", first.name),
        ("edited", third.name),
        ("truncated", first.name),
        ("foreign", second.name),
        ("edited", third.name),
    ]
    assert [kept.whole for kept in verify(data).sessions] == [1, 0]


def test_a_record_of_another_cell_in_a_runs_place_is_foreign(session: Session, data: Path) -> None:
    """It says that it is of this run and session; the plan says otherwise."""
    path = record_files(session)[2]
    other = record(session=NAME, position=3, cell=OTHER)
    path.write_bytes(sealed(pretty(other)))
    assert found(data) == [("foreign", path.name)]


def test_records_without_a_plan_are_found_with_it(session: Session, data: Path) -> None:
    plan_file = session.folder / "plan.json"
    content = plan_file.read_bytes()
    for changed, problem in (
        (content[:-30], "Input data was truncated"),
        (content.replace(b'"seed": 1', b'"seed": -1'), "Expected `int` >= 0"),
        (content.replace(b'"movies-short"', b'"../../x"', 1), "Expected `str` matching"),
        (b"\xff", "malformed"),
    ):
        plan_file.write_bytes(changed)
        (finding,) = verify(data).findings
        assert (finding.fault, finding.path) == ("plan", f"{NAME}/plan.json")
        assert problem in finding.problem
    plan_file.unlink()
    assert verify(data).findings == [
        Finding(fault="plan", path=f"{NAME}/plan.json", problem="can't be read: No such file or directory")
    ]


def test_a_run_left_out_or_lost_is_named_and_is_no_fault(session: Session, data: Path) -> None:
    first, *_ = session.plan.runs
    session.record_path(first.name).unlink()
    (kept,) = verify(data).sessions
    assert (kept.to_run, kept.gaps, kept.findings) == (2, (first.name,), ())


def test_a_real_record_of_format_1_is_whole(tmp_path: Path) -> None:
    content = (Path(__file__).parent / "record-1.json").read_bytes()
    old = json.loads(content)
    cell = msgspec.convert(old["cell"], type(CELL))
    run = PlannedRun(position=old["position"], repetition=1, cell=cell, warmup=WARMUP)
    session = Session.create(tmp_path / old["session"], msgspec.structs.replace(plan(CELL), runs=(run,)))
    session.record_path(run.name).parent.mkdir()
    session.record_path(run.name).write_bytes(content)
    (kept,) = verify(tmp_path).sessions
    assert (kept.whole, kept.findings) == (1, ())


# ---- what writing leaves when it is cut short

KILLED = """
import os, sys
from pathlib import Path
from telar.store import files
synced = os.fsync
def killed(descriptor):
    synced(descriptor)
    print("written", flush=True)
    sys.stdin.read()
os.fsync = killed
files.write_atomically(Path(sys.argv[1]), b"x" * 100_000)
"""


def test_a_writer_that_is_killed_leaves_no_record_and_what_it_leaves_is_named(
    session: Session, data: Path
) -> None:
    path = record_files(session)[3]
    writer = subprocess.Popen(
        [sys.executable, "-c", KILLED, path],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout
    assert writer.stdout.readline() == "written\n"
    writer.send_signal(signal.SIGKILL)
    writer.communicate()
    assert not path.exists()
    seen = verify(data)
    assert seen.findings == []
    (left,) = seen.left_over
    assert Path(left).name.startswith(f".{path.name}.")
    assert len(session.records()) == 3
    put(session, session.plan.runs[3], record(run_id="3" * 16))  # the name is free: the run is made again
    assert verify(data).sessions[0].whole == 4


def test_windows_that_were_measured_again_are_verified_too(session: Session, data: Path) -> None:
    run = session.plan.runs[0]
    for run_id in ("a" * 16, "b" * 16, "c" * 16):
        session.supersede(run, record(run_id=run_id, session=session.id, cell=run.cell))
    assert found(data) == []
    first, second, third = sorted((session.folder / "superseded").iterdir())
    first.write_bytes(first.read_bytes().replace(b'"dropped": 1', b'"dropped": 0'))
    second.rename(second.with_name(second.name.replace("b" * 16, "d" * 16)))
    third.rename(third.with_name(f"004+nobody+{'c' * 16}.json"))
    assert sorted(fault for fault, _ in found(data)) == ["edited", "foreign", "foreign"]

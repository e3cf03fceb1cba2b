"""`telar store verify` as it is printed, and what becomes of a damaged record elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from telar.store.files import Session

from ..store.records import record_files, three_of_four
from .conftest import Telar

NAME = "20261121-071806-smoke"


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return three_of_four(tmp_path / "data" / NAME)


@pytest.fixture
def data(session: Session) -> Path:
    return session.folder.parent


def test_the_command_says_that_all_is_well(telar: Telar, data: Path) -> None:
    said = telar("store", "verify", data)
    assert said == (
        0,
        "session                planned  whole  to run  wrong\n"
        f"{NAME}        4      3       1      0\n"
        "\n"
        "3 records whole and unchanged, in 1 session\n",
        "",
    )


def test_the_command_names_what_is_wrong_and_ends_with_7(telar: Telar, session: Session, data: Path) -> None:
    first, second, third, _ = record_files(session)
    first.write_bytes(first.read_bytes().replace(b'"dropped": 1', b'"dropped": 0'))
    third.rename(third.with_name(f".{third.name}.0a1b2c3d"))
    second.with_name("[red]x.json").write_bytes(second.read_bytes())
    said = telar("store", "verify", data)
    assert said.code == 7
    assert [line for line in said.out.splitlines() if line] == [
        "session                planned  whole  to run  wrong",
        f"{NAME}        4      1       2      2",
        f"✗ edited  {NAME}/records/{first.name}: was changed after it was written: its digest doesn't fit",
        f"✗ copied  {NAME}/records/[red]x.json: is a copy of run 2's record",
        f"left over from writing that was cut short, may be removed: {NAME}/records/.{third.name}.0a1b2c3d",
        "1 record whole and unchanged, in 1 session",
    ]
    assert said.err.startswith("telar: 2 of these files are not what was put there\n")


def test_the_command_tells_machines_the_same(telar: Telar, session: Session, data: Path) -> None:
    first = record_files(session)[0]
    first.write_bytes(b"{")
    said = telar("store", "verify", session.folder, "--json")  # one session's folder
    assert said.code == 7
    (kept,) = json.loads(said.out)["sessions"]
    assert (kept["session"], kept["planned"], kept["whole"], kept["to_run"]) == (NAME, 4, 2, 1)
    (finding,) = kept["findings"]
    assert (finding["fault"], finding["path"]) == ("truncated", f"{NAME}/records/{first.name}")


def test_a_report_of_a_session_with_a_damaged_record_is_refused_and_says_what_to_do(
    telar: Telar, session: Session, data: Path
) -> None:
    first = record_files(session)[0]
    first.write_bytes(first.read_bytes()[:-7])
    said = telar("report", "--data", data)
    assert (said.code, said.out) == (7, "")
    assert said.err.startswith(f"telar: {first}: is not whole JSON")
    assert "telar run --resume makes that run again" in said.err
    assert not (session.folder / "report.md").exists()
    first.unlink()
    assert telar("report", "--data", data).code == 0

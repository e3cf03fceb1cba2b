"""The table of docs/reliability.md: of the matrix as it is, and nothing in it is better than it was."""

from __future__ import annotations

from pathlib import Path

import msgspec

from .matrix import ROWS
from .results import Seen
from .table import DOCUMENT, END, START, faults_of, table, write

GOOD = Seen(
    fault="kill -9 of app",
    stage="window",
    engine="embedded",
    survived=True,
    says="window: the app ended",
    lost_records=0,
    left_behind=0,
    seconds=9.5,
)
BAD = msgspec.structs.replace(GOOD, engine="compose", survived=False, lost_records=1, left_behind=2)


def test_the_document_has_each_row_of_the_matrix_once_or_says_that_it_was_not_run() -> None:
    text = DOCUMENT.read_text(encoding="utf-8").partition(START)[2].partition(END)[0]
    owed = text.partition("Not run on this code yet: ")[2]
    run = [row for row in ROWS if row.name not in owed]
    assert faults_of(DOCUMENT) == [(row.fault, row.stage, row.engine) for row in run]
    assert len({row.name for row in ROWS}) == len(ROWS)


def test_every_fault_in_the_document_was_survived() -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    run = len(faults_of(DOCUMENT))
    assert run
    expected = f"{run} of {run} survived. Lost records: 0."
    assert expected in text.partition(START)[2].partition(END)[0]


def test_the_table_says_what_was_not_survived() -> None:
    lines = table([GOOD, BAD]).splitlines()
    assert lines[2] == "| kill -9 of app | window | embedded | yes | window: the app ended | 0 | 0 |"
    assert lines[3] == "| kill -9 of app | window | compose | **no** | window: the app ended | 1 | 2 |"
    assert lines[-1] == ("1 of 2 survived. Lost records: 1. Processes, containers and files left: 2.")


def test_only_what_is_between_the_marks_is_written(tmp_path: Path) -> None:
    document = tmp_path / "reliability.md"
    document.write_text(f"# Before\n\n{START}\nold\n{END}\n\nafter\n")
    write(document, [GOOD])
    assert document.read_text() == f"# Before\n\n{START}\n{table([GOOD])}\n{END}\n\nafter\n"
    assert faults_of(document) == [("kill -9 of app", "window", "embedded")]

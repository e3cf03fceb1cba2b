"""The database's side: state and plan."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.catalog.guest import with_guest
from telar.gates.database import plan, state
from telar.store.record import DatabaseState

from .sound import REAL, failures, judged, load_with, sound


def database(**changes: Any) -> DatabaseState:
    found = sound().database
    assert found
    return msgspec.structs.replace(found, **changes)


def test_of_an_application_that_keeps_its_data_itself_neither_gate_can_tell() -> None:
    for gate in ("state", "plan"):
        seen = judged(gate, database=None)
        assert (seen.verdict, seen.observed) == ("warn", "not known")
        assert seen.advice == "the application keeps its data itself: whether it grows or scans isn't known"
    assert judged("state", database=database(rows_seeded=0)).verdict == "warn"


# ---- state


@pytest.mark.parametrize(
    ("start", "end", "verdict"),
    [
        (999, 1201, "pass"),
        (999, 1202, "fail"),
        (999, 1200, "fail"),
        (1000, 1201, "fail"),
        (998, 1200, "fail"),
    ],
)
def test_state(start: int, end: int, verdict: str) -> None:
    seen = judged("state", database=database(rows_at_window_start=start, rows_at_window_end=end))
    assert (seen.verdict, seen.limited_by) == (verdict, None)
    assert seen.observed == f"{start:,} rows at the start, {end:,} at the end"
    assert seen.expected == "999 at the start, 1,201 at the end"
    told = "another client wrote, or the database was used before: start from a fresh copy"
    assert seen.advice == ("" if verdict == "pass" else told)


@pytest.mark.parametrize(("end", "verdict"), [(1196, "fail"), (1197, "pass"), (1203, "pass"), (1204, "fail")])
def test_a_create_or_delete_without_an_answer_may_have_been_carried_out(end: int, verdict: str) -> None:
    unanswered = (failures(2, "timeout", endpoint="create"), failures(1, "timeout", endpoint="delete"))
    seen = judged("state", failures=unanswered, database=database(rows_at_window_end=end))
    assert (seen.verdict, seen.expected) == (verdict, "999 at the start, 1,200 ± 3 at the end")


def test_reads_that_failed_change_no_row() -> None:
    seen = judged("state", failures=(failures(50, "timeout"), failures(50, "status 500", endpoint="list")))
    assert (seen.verdict, seen.expected) == ("pass", "999 at the start, 1,201 at the end")


def test_a_workload_that_only_reads_leaves_the_seed() -> None:
    load = load_with(requests={"get": 2250}, setup_created=0)
    assert judged("state", load=load, database=database(rows_at_window_end=999)).verdict == "pass"


@pytest.mark.parametrize("missing", ["rows_at_window_start", "rows_at_window_end"])
def test_rows_that_nobody_counted_are_not_known(missing: str) -> None:
    seen = judged("state", database=database(**{missing: None}))
    assert (seen.verdict, seen.observed) == ("warn", "not known")
    assert seen.advice == "the rows weren't counted: whether the database was used before isn't known"


# ---- of a guest, whose tables Telar doesn't know


GUEST = """\
name = "shop"
framework = "spring"
description = "the shop"
database = "mysql"
build = { project = ".", command = ["make"], output = "shop.jar" }
http = { ready = "/ready" }
load = { script = "load.ts", rate = 50 }
environment = { PORT = "{port}" }
"""


@pytest.fixture
def guest(tmp_path: Path) -> Path:
    subprocess.run(["git", "-C", tmp_path, "init", "--quiet"], check=True)
    for name in ("load.ts", "schema.sql", "clean.sql"):
        (tmp_path / name).write_text("")
    return tmp_path / "variant.toml"


@pytest.mark.parametrize(
    ("data", "start", "verdict"),
    [
        ("", 501, "pass"),
        ("", 620, "warn"),
        ('data = { sql = ["schema.sql"] }', 620, "warn"),
        ('data = { sql = ["schema.sql"], clean = "clean.sql" }', 501, "pass"),
        ('data = { sql = ["schema.sql"], clean = "clean.sql" }', 620, "fail"),
    ],
)
def test_a_guests_rows_are_those_of_its_start(guest: Path, data: str, start: int, verdict: str) -> None:
    guest.write_text(f"{data}\n{GUEST}")
    kept = DatabaseState(rows_seeded=501, rows_at_window_start=start, rows_at_window_end=start + 9)
    seen = state(sound(database=kept), with_guest(REAL, guest))
    assert seen.verdict == verdict
    assert seen.observed == f"{start} rows at the start, {start + 9} at the end"
    assert seen.advice == {
        "pass": "",
        "warn": "what was written before is still there, on both sides alike: [data] clean may undo it",
        "fail": "[data] clean doesn't give back the rows of the start",
    }[verdict]  # fmt: skip


@pytest.mark.parametrize(
    ("limit", "verdict", "advice"),
    [
        ("", "warn", "[gate.plan] scanned_rows of variant.toml"),
        ("gate = { plan = { scanned_rows = 500 } }", "fail", "give the query its index back"),
        ("gate = { plan = { scanned_rows = 700 } }", "warn", "did not report every plan"),
    ],
)
def test_a_guests_pages_may_read_as_many_rows_as_it_says(
    guest: Path, limit: str, verdict: str, advice: str
) -> None:
    guest.write_text(f"{limit}\n{GUEST}")
    read = {"Com_select": 10, "Handler_read_rnd_next": 7000}
    seen = plan(
        sound(database=DatabaseState(rows_seeded=501, statements=read)), with_guest(REAL, guest).of("")
    )
    assert seen.verdict == verdict
    assert "600.0 rows scanned a statement" in seen.observed
    assert advice in seen.advice


# ---- plan


@pytest.mark.parametrize(
    ("plans", "statements", "verdict", "observed"),
    [
        ({"one": "const PRIMARY"}, {}, "pass", "one: const PRIMARY"),
        ({"one": "const PRIMARY", "page": "scan"}, {}, "fail", "one: const PRIMARY, page: scan"),
        ({"one": "IDHACK"}, {"find": 1575}, "pass", "one: IDHACK"),  # MongoDB doesn't count such rows
        ({"one": "not told"}, {}, "warn", "one: not told"),
        ({"one": "not told", "page": "scan"}, {}, "fail", "one: not told, page: scan"),
        ({}, {}, "warn", "no plans"),
        (
            {"one": "const PRIMARY"},
            {"Com_select": 100, "Handler_read_rnd_next": 1200},
            "pass",
            "one: const PRIMARY; 2.0 rows scanned a statement",
        ),
        (
            {"one": "const PRIMARY"},
            {"Com_select": 100, "Handler_read_rnd_next": 1201},
            "fail",
            "one: const PRIMARY; 2.0 rows scanned a statement",
        ),
        (
            {},
            {"Com_select": 10, "Handler_read_rnd_next": 10_990},
            "fail",
            "no plans; 999.0 rows scanned a statement",
        ),
        (
            # MySQL counts an executed prepared SELECT in both.
            {"one": "const PRIMARY"},
            {"Com_select": 100, "Com_stmt_execute": 100, "Handler_read_rnd_next": 1150},
            "pass",
            "one: const PRIMARY; 1.5 rows scanned a statement",
        ),
        ({"one": "const PRIMARY"}, {"Handler_read_rnd_next": 150}, "pass", "one: const PRIMARY"),
        (
            {"one": "Index Scan movie_pkey"},
            {"select": 100, "insert": 50, "seq_tup_read": 200, "idx_tup_fetch": 2100},
            "pass",
            "one: Index Scan movie_pkey; 2.0 rows scanned a statement",
        ),
        (
            # PostgreSQL counts no rows of Telar's own look.
            {"one": "Index Scan movie_pkey"},
            {"select": 100, "seq_tup_read": 201},
            "fail",
            "one: Index Scan movie_pkey; 2.0 rows scanned a statement",
        ),
        (
            {"one": "Index Scan movie_pkey"},
            {"insert": 9, "seq_tup_read": 0},
            "pass",
            "one: Index Scan movie_pkey",
        ),
        (
            # Of a short window most of them are Telar's own, which has read the server's counters.
            {"one": "const PRIMARY"},
            {"Com_select": 20, "Handler_read_rnd_next": 618},
            "pass",
            "one: const PRIMARY; 0.0 rows scanned a statement",
        ),
    ],
)
def test_plan(plans: dict[str, str], statements: dict[str, int], verdict: str, observed: str) -> None:
    seen = judged("plan", database=database(plans=plans, statements=statements))
    assert (seen.verdict, seen.observed, seen.limited_by) == (verdict, observed, None)
    assert seen.expected == "no scan in a plan, at most 2 rows scanned a statement"
    assert (
        seen.advice
        == {
            "pass": "",
            "warn": "the server did not report every plan, so it isn't known whether a query scans",
            "fail": "the hot path reads the whole table: give the query its index back",
        }[verdict]
    )

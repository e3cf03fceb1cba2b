"""Finding a record by its run id."""

from __future__ import annotations

from pathlib import Path

import pytest

from telar.errors import ConfigError
from telar.store.files import Session
from telar.store.find import find

from .records import CELL, plan, put, record

FIRST, SECOND, OTHER = "0f3a000000000001", "0f3a000000000002", "77aa000000000003"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two sessions of this machine, and a copy of one of their records kept as a reference."""
    for name, run_ids in (
        ("local/20261120-080000-smoke", (FIRST, SECOND)),
        ("local/20261121-080000-smoke", (OTHER,)),
    ):
        session = Session.create(tmp_path / name, plan(*[CELL] * len(run_ids)))
        for run, run_id in zip(session.plan.runs, run_ids, strict=True):
            put(session, run, record(run_id=run_id))
    reference = tmp_path / "reference" / "a" / "records"
    reference.mkdir(parents=True)
    (reference / "copy.json").write_bytes(find(OTHER, tmp_path).read_bytes())
    return tmp_path


def test_a_run_is_found_by_its_id_wherever_it_is_kept(data: Path) -> None:
    assert find(SECOND, data).parent.parent.name == "20261120-080000-smoke"
    assert find(SECOND, data / "none", data / "local") == find(SECOND, data)


def test_a_beginning_that_is_no_others_is_enough(data: Path) -> None:
    assert find("77", data) == find(OTHER, data)
    assert find("0f3a000000000002", data) == find(SECOND, data)


def test_a_record_and_its_copy_are_one_run(data: Path) -> None:
    assert find(OTHER, data).parent.parent.name == "20261121-080000-smoke"


def test_a_file_is_taken_as_it_is(data: Path) -> None:
    path = find(FIRST, data)
    assert find(str(path), data / "none") == path


@pytest.mark.parametrize(
    ("said", "message", "hint"),
    [
        ("0f3a", "2 runs begin with '0f3a'", f"say more of it: {FIRST}, {SECOND}"),
        ("", "3 runs begin with ''", f"say more of it: {FIRST}, {SECOND}, {OTHER}"),
        ("0f3b000000000001", "there is no run '0f3b000000000001' below ", f"did you mean {FIRST!r}?"),
        ("zzz", "there is no run 'zzz' below ", "a record and the page of its session name the run's id"),
    ],
)
def test_what_is_not_one_run_is_refused_with_a_hint(data: Path, said: str, message: str, hint: str) -> None:
    with pytest.raises(ConfigError) as caught:
        find(said, data)
    assert caught.value.message.startswith(message)
    assert caught.value.hint == hint


def test_without_records_the_hint_says_how_to_make_some(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        find(FIRST, tmp_path)
    assert caught.value.hint == "telar run quickstart makes some; --data says where they are kept"


def test_a_damaged_record_is_found_for_its_reader_to_refuse(data: Path) -> None:
    path = find(FIRST, data)
    path.write_bytes(path.read_bytes()[:5000])
    assert find(FIRST, data) == path


def test_a_file_that_is_no_record_is_passed_over(data: Path) -> None:
    (data / "local" / "20261121-080000-smoke" / "records" / "note.json").write_text("{}")
    assert find("77", data) == find(OTHER, data)

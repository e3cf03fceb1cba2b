"""Compaction drops readings by the second of old runs, on command, and nothing else."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from telar.errors import StoreError
from telar.publish.compaction import compact, first_kept
from telar.store import seal
from telar.store.decode import decode
from telar.store.published import DATA, Published, run_path
from telar.store.published_files import Kept, Row
from telar.store.record import Record

from .sessions import BASE, failed, measured

OLD, NEW = 1_700_000_000.0, 1_795_000_000.0  # 2023-11-14, 2026-11-18
NOW = 1_795_300_000.0


def row(name: str, moment: float, records: dict[str, Record]) -> Row:
    runs = {n: Kept(run_id=r.run_id, seconds=21.0, validity="valid") for n, r in records.items()}
    return Row(id=name, time=moment, commit="c" * 40, suite="smoke", environments={}, runs=runs)


def written(record: Record) -> bytes:
    return seal.sealed(msgspec.json.encode(record))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    records = {"001.json": measured(BASE, 4.0), "002.json": failed(BASE)}
    store = Published(tmp_path / "public")
    for name, moment in (("old", OLD), ("new", NEW)):
        store.add_session(row(name, moment, records), {n: written(r) for n, r in records.items()})
    store.write()
    return tmp_path / "public"


PACKED = Kept(run_id="", seconds=0.0, validity="valid", packed=True)


def run(folder: Path, month: str, session: str, name: str = "001.json") -> Record:
    found = Published(folder).run(month, session, name, PACKED)
    return decode(Path(name), found)


def size(folder: Path) -> int:
    files = (p for p in (folder / DATA).rglob("*") if p.is_file() and p.name != "index.json")
    return sum(p.stat().st_size for p in files)


def test_old_readings_go_and_all_else_stays(folder: Path) -> None:
    before = size(folder)
    done = compact(Published(folder), "2024-11", NOW)
    assert (done.runs, done.months) == (1, 1)  # the failed one had none
    assert done.freed == before - size(folder) > 0
    assert Published(folder).index.bytes == size(folder)
    old, new = run(folder, "2023-11", "old"), run(folder, "2026-11", "new")
    assert old.series is not None
    assert old.series.values == {}
    assert new.series is not None
    assert new.series.values
    assert msgspec.structs.replace(old, series=new.series, digest="") == msgspec.structs.replace(
        new, digest=""
    )


def test_it_is_told_when_and_done_once(folder: Path) -> None:
    compact(Published(folder), "2024-11", NOW)
    (kept,) = Published(folder).sessions("2023-11")
    assert (kept.runs["001.json"].compacted, kept.runs["002.json"].compacted) == (NOW, None)
    again = files(folder)
    assert compact(Published(folder), "2024-11", NOW + 1).runs == 0
    assert files(folder) == again


def test_a_compacted_session_that_is_published_again_is_the_same(folder: Path) -> None:
    compact(Published(folder), "2024-11", NOW)
    records = {"001.json": measured(BASE, 4.0), "002.json": failed(BASE)}
    own = row("old", OLD, records)
    store = Published(folder)
    assert not store.add_session(own, {n: written(r) for n, r in records.items()})
    other = msgspec.structs.replace(own, runs={"001.json": own.runs["001.json"]})
    with pytest.raises(StoreError, match="another session"):
        store.add_session(other, {})


def test_a_record_that_is_not_whole_stops_it_with_nothing_changed(folder: Path) -> None:
    path = folder / DATA / run_path("2023-11", "old", "001.json", PACKED)
    path.write_bytes(path.read_bytes()[:500])
    before = files(folder)
    with pytest.raises(StoreError, match=r"001\.json\.gz: is not whole"):
        compact(Published(folder), "2024-11", NOW)
    assert files(folder) == before


def test_a_file_that_was_published_before_records_were_packed_is_read_and_packed_with_its_compaction(
    folder: Path,
) -> None:
    store = Published(folder)
    packed = folder / DATA / run_path("2023-11", "old", "001.json", PACKED)
    plain = packed.with_suffix("")
    plain.write_bytes(store.run("2023-11", "old", "001.json", PACKED))
    packed.unlink()
    (sessions,) = (folder / DATA / "sessions").glob("2023-11.*")
    sessions.write_bytes(sessions.read_bytes().replace(b'"packed":true', b'"packed":false', 1))
    before = run_kept(folder)
    assert (before.packed, before.compacted) == (False, None)
    assert decode(plain, Published(folder).run("2023-11", "old", "001.json", before)).series
    assert compact(Published(folder), "2024-11", NOW).runs == 1
    assert not plain.exists()
    assert run_kept(folder).packed
    old = run(folder, "2023-11", "old")
    assert old.series is not None
    assert old.series.values == {}


def run_kept(folder: Path) -> Kept:
    (row_,) = Published(folder).sessions("2023-11")
    return row_.runs["001.json"]


def files(folder: Path) -> dict[Path, bytes]:
    return {p: p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@pytest.mark.parametrize(
    ("months", "first"),
    [(1, "2026-10"), (10, "2026-01"), (11, "2025-12"), (24, "2024-11"), (1200, "1926-11")],
)
def test_months_are_counted_back_from_this_one(months: int, first: str) -> None:
    assert first_kept(NOW, months) == first

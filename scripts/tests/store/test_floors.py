"""The noise floors that are kept: whose they are, what replaces them, and where a cell has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.errors import StoreError
from telar.store.floors import FLOORS, Floors, read, write

from .calibrations import UNKNOWN, calibration, floor
from .records import CELL, OTHER, record

THIRD = msgspec.structs.replace(CELL, variant="quarkus-mysql-blocking-virtual")
HERE = record().provenance.machine
OLDER = msgspec.structs.replace(CELL, jdk="21")


# ---- the file


def test_floors_are_read_as_they_were_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / FLOORS
    kept = Floors(calibrations=(calibration(floors={"p99": floor(), "failures": UNKNOWN}),))
    write(path, kept)
    assert read(path) == kept
    assert read(path).of(CELL, HERE) == {"p99": floor(), "failures": UNKNOWN}


def test_where_nobody_calibrated_there_are_none(tmp_path: Path) -> None:
    assert read(tmp_path / "none.json") == Floors()
    assert Floors().of(CELL, HERE) == {}


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b'{"format": 2, "calibrations": []}',
        b'{"format": 1, "calibrations": [], "surplus": 1}',
        b'{"format": 1, "calibrations": [{}]}',
        b'{"format": 1, "calibrations": [], "\xff": 1}',
        b"[" * 100_000,
    ],
)
def test_broken_floors_are_an_error_that_names_the_file(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "floors.json"
    path.write_bytes(content)
    with pytest.raises(StoreError, match=r"floors\.json: ") as caught:
        read(path)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"tier": "gate"', b'"tier": "good"'),
        (b'"run_to_run": 0.03', b'"run_to_run": -0.03'),
        (b'"run_to_run": 0.03', b'"run_to_run": "wide"'),
        (b'"engine": "embedded"', b'"engine": "cloud"'),
    ],
)
def test_floors_that_cannot_be_are_an_error(tmp_path: Path, old: bytes, new: bytes) -> None:
    path = tmp_path / "floors.json"
    write(path, Floors(calibrations=(calibration(),)))
    content = path.read_bytes()
    assert old in content
    path.write_bytes(content.replace(old, new))
    with pytest.raises(StoreError, match=r"floors\.json: "):
        read(path)


def test_a_folder_in_place_of_the_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=str(tmp_path)):
        read(tmp_path)


# ---- including


def test_a_new_calibration_takes_the_place_of_the_same_cells_and_leaves_the_others() -> None:
    kept = Floors(calibrations=(calibration(), calibration(cell=OTHER), calibration(cell=OLDER)))
    new = calibration(measured="2026-12-24", floors={"p50": floor()})
    found = kept.including(new)
    assert {c.cell.name: c.measured for c in found.calibrations} == {
        CELL.name: "2026-12-24",
        OTHER.name: "2026-11-21",
        OLDER.name: "2026-11-21",
    }
    assert found.of(CELL, HERE).keys() >= {"p50"}
    assert len(kept.calibrations) == 3  # the old ones stay what they were


def test_calibrations_stand_in_an_order_that_does_not_depend_on_when_they_came() -> None:
    every = [calibration(cell=cell) for cell in (CELL, OTHER, THIRD, OLDER)]
    one, two = Floors(), Floors()
    for each in every:
        one = one.including(each)
    for each in reversed(every):
        two = two.including(each)
    assert one == two


# ---- of a cell


def test_a_cell_has_its_own_floors_however_noisy_others_are() -> None:
    loud = calibration(cell=OTHER, floors={"p99": floor(run_to_run=0.9), "p50": floor()})
    kept = Floors(calibrations=(loud, calibration()))
    assert kept.of(CELL, HERE) == {"p99": floor()}
    assert kept.of(OTHER, HERE) == loud.floors


def test_a_cell_without_its_own_has_the_noisiest_of_its_workload_metric_by_metric() -> None:
    one = calibration(cell=CELL, floors={"p99": floor(run_to_run=0.1), "p50": floor(run_to_run=0.2)})
    two = calibration(cell=OTHER, floors={"p99": floor(run_to_run=0.3), "p50": floor(run_to_run=0.1)})
    for every in ((one, two), (two, one)):
        found = Floors(calibrations=every).of(THIRD, HERE)
        assert {metric: f.run_to_run for metric, f in found.items()} == {"p99": 0.3, "p50": 0.2}


def test_floors_of_latencies_from_the_sending_are_those_of_the_service_time() -> None:
    found = {name: floor() for name in ("p50", "p99", "p999", "max", "app-cpu", "p50-by-database")}
    older = calibration(floors=found, latency_from="sent")
    kept = Floors(calibrations=(older,)).of(CELL, HERE)
    assert kept.keys() == {"service-p50", "service-p99", "app-cpu", "p50-by-database"}
    assert kept["service-p99"] == found["p99"]


def test_what_has_no_number_is_noisier_than_any() -> None:
    one = calibration(cell=CELL, floors={"failures": UNKNOWN})
    two = calibration(cell=OTHER, floors={"failures": floor(run_to_run=100.0)})
    for every in ((one, two), (two, one)):
        assert Floors(calibrations=every).of(THIRD, HERE) == {"failures": UNKNOWN}


def test_another_jdk_of_the_same_variant_counts_as_its_own() -> None:
    loud = calibration(cell=OTHER, floors={"p99": floor(run_to_run=0.9)})
    kept = Floors(calibrations=(calibration(cell=OLDER), loud))
    assert kept.of(CELL, HERE) == {"p99": floor()}


@pytest.mark.parametrize(
    "elsewhere",
    [{"workload": "movies-ramp"}, {"engine": "compose"}, {"runner": "four-cpu"}, {"layout": "split"}],
)
def test_floors_of_another_place_say_nothing(elsewhere: dict[str, str]) -> None:
    kept = Floors(calibrations=(calibration(cell=msgspec.structs.replace(CELL, **elsewhere)),))
    assert kept.of(CELL, HERE) == {}
    assert kept.of(OTHER, HERE) == {}
    assert kept.calibration(CELL, HERE) is None


# ---- of a machine


@pytest.mark.parametrize(
    ("changes", "own"),
    [
        ({"hostname_digest": "0" * 12, "memory_mib": 8192, "kernel": "6.12.3-other"}, True),
        ({"cpu_model": "Another CPU"}, False),
        ({"processors": 4}, False),
        ({"smt": "on"}, False),
        ({"kernel": "7.0"}, False),
    ],
)
def test_floors_are_those_of_a_kind_of_machine(changes: dict[str, Any], own: bool) -> None:
    """Another kind's aren't this one's, though the workload, the engine and the variant are."""
    kept, there = Floors(calibrations=(calibration(),)), msgspec.structs.replace(HERE, **changes)
    assert kept.of(CELL, there) == (calibration().floors if own else {})
    assert (kept.calibration(CELL, there) is not None) == own
    assert kept.noisiest() == calibration().floors  # what is known of the metric at all


def test_a_calibration_of_another_kind_of_machine_stands_beside_the_old_one() -> None:
    there = msgspec.structs.replace(HERE, cpu_model="Another CPU")
    kept = Floors(calibrations=(calibration(),)).including(calibration(machine=there, floors={}))
    assert (kept.of(CELL, HERE), kept.of(CELL, there)) == (calibration().floors, {})

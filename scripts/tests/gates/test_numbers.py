"""Numbers that can't have been measured."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from telar.gates import judge, judged_again, validity
from telar.store.files import Session
from telar.store.record import Metric, Record

from ..store.records import STOP
from .sound import CATALOG, REAL, judged, sound

REFERENCE = Path(__file__).parents[3] / "benchmarks-data" / "reference"


def with_metric(name: str, value: float) -> Record:
    record = sound()
    file = REAL.file.metric[name]
    metric = Metric(value=value, unit=file.unit, better=file.better)
    return sound(metrics={**record.metrics, name: metric})


@pytest.mark.parametrize("metric", REAL.file.metric)
def test_a_metric_at_its_bounds_passes_and_beyond_them_fails(metric: str) -> None:
    file = REAL.file.metric[metric]
    step = max(abs(file.least), abs(file.most)) * 1e-9
    for value, verdict in (
        (file.least, "pass"),
        (file.most, "pass"),
        (file.least - step, "fail"),
        (file.most + step, "fail"),
    ):
        found = judged("bounds", metrics=with_metric(metric, value).metrics)
        assert (found.verdict, found.limited_by) == (verdict, None)


def test_what_is_outside_is_named_with_its_bounds() -> None:
    found = judged("bounds", metrics=with_metric("allocated", -51.96).metrics)
    assert found.observed == "allocated -51.96 KiB (0.01 to 1.04858e+06)"
    assert validity(judge(with_metric("allocated", -51.96), CATALOG)) == "invalid"


def test_a_metric_that_the_catalogue_no_longer_has_is_left_alone() -> None:
    gone = {"old": Metric(value=-1.0, unit="ms", better="smaller")}
    assert judged("bounds", metrics=gone).verdict == "pass"


# ---- records from before the gate


def test_a_record_of_before_is_judged_again_and_its_file_stays() -> None:
    before = with_metric("allocated", -51.96)
    gates = tuple(g for g in judge(before, CATALOG) if g.name != "bounds")
    old = msgspec.structs.replace(before, gates=gates, validity="valid")
    fine = msgspec.structs.replace(old, metrics=sound().metrics)
    failed = msgspec.structs.replace(old, outcome="failed", stopped=STOP, gates=(), validity="invalid")
    again, unchanged, ended = judged_again([old, fine, failed], CATALOG)
    assert (again.validity, [g.name for g in again.gates if g.verdict == "fail"]) == ("invalid", ["bounds"])
    assert len(again.gates) == len(gates) + 1
    assert (unchanged, ended) == (fine, failed)
    assert judged_again([again], CATALOG) == [again]


def test_of_the_reference_records_none_with_a_metric_outside_its_bounds_is_valid() -> None:
    read = [
        (record, again)
        for plan in sorted(REFERENCE.glob("*/*/plan.json"))
        for records in [Session(plan.parent).records()]
        for record, again in zip(records, judged_again(records, REAL), strict=True)
    ]
    assert len(read) > 40
    changed = [(old.position, old.validity, new.validity) for old, new in read if old != new]
    assert changed == [(20, "valid", "invalid")]  # allocated -51.96 KiB a request

"""What a report says below its tables."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from telar.catalog.load import load
from telar.publish import report
from telar.store.record import Gate, Record, Verdict

from ..store.records import record

CATALOG = load(Path(__file__).parents[3])


def run(variant: str, verdict: Verdict, observed: str, **axes: object) -> Record:
    gate = Gate(
        name="foreign", verdict=verdict, observed=observed, expected="at most 1 s", advice="end it",
        limited_by="machine",
    )  # fmt: skip
    found = record(variant=variant, gates=(gate,), validity="limited" if verdict == "fail" else "valid")
    return msgspec.structs.replace(found, cell=msgspec.structs.replace(found.cell, **axes))


def test_a_gates_failures_and_its_warnings_are_counted_apart_each_with_its_own_first_cell() -> None:
    made = [
        run("spring-mysql-blocking-virtual", "warn", "not known"),
        run("spring-mysql-blocking-platform", "fail", "5.00 s"),
        run("quarkus-mysql-blocking-virtual", "fail", "7.00 s"),
    ]
    said = report.markdown(CATALOG, made)
    first = "quarkus-mysql-blocking-virtual"
    assert f"foreign fails (2 cells, first {first}): 7.00 s; expected at most 1 s. End it." in said
    warned = "spring-mysql-blocking-virtual"
    assert f"foreign warns ({warned}): not known; expected at most 1 s. End it." in said


@pytest.mark.parametrize(
    ("axes", "apart"), [({"workload": "bank-load-110"}, "bank-load-110"), ({"flags": ("-Xmx1g",)}, "-Xmx1g")]
)
def test_two_cells_of_a_variant_are_named_by_what_their_rows_differ_in(
    axes: dict[str, object], apart: str
) -> None:
    variant = "spring-mysql-blocking-virtual"
    made = [run(variant, "warn", "not known"), run(variant, "fail", "5.00 s", **axes)]
    (failed,) = (line for line in report.markdown(CATALOG, made).splitlines() if "foreign fails" in line)
    assert failed.startswith(f"foreign fails ({variant} · {apart})")

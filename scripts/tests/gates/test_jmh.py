"""The gates of benchmarks: each passes a sound fork and finds its own fault."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from telar.gates import jmh
from telar.store.record import Benchmark, Gate, Record

from .sound import CATALOG, benchmark


def with_(**changes: Any) -> Record:
    """A sound run of a benchmark, of which something else was found."""
    record = benchmark()
    assert record.benchmark
    found: Benchmark = msgspec.structs.replace(record.benchmark, **changes)
    return msgspec.structs.replace(record, benchmark=found)


def steady(**changes: Any) -> Gate:
    return jmh.steady(with_(**changes), CATALOG)


def error(**changes: Any) -> Gate:
    return jmh.error(with_(**changes), CATALOG)


def test_a_sound_fork_passes_every_gate() -> None:
    assert [(gate.name, gate.verdict, gate.advice) for gate in (steady(), error())] == [
        ("steady", "pass", ""),
        ("error", "pass", ""),
    ]


@pytest.mark.parametrize("iterations", [(12.0, 11.0, 10.0, 10.0), (10.0, 10.0, 10.0, 11.0, 11.0)])
def test_halves_that_differ_are_not_steady(iterations: tuple[float, ...]) -> None:
    assert steady(iterations=iterations).verdict == "fail"


def test_the_middle_of_an_odd_number_is_in_neither_half() -> None:
    assert steady(iterations=(10.0, 10.0, 99.0, 10.0, 10.0)).verdict == "pass"


def test_too_few_iterations_leave_it_open_whether_the_jvm_was_at_rest() -> None:
    assert steady(iterations=(10.0, 20.0, 30.0)).verdict == "warn"


@pytest.mark.parametrize(("half", "verdict"), [(1.0, "pass"), (1.1, "warn"), (None, "warn")])
def test_a_wide_error_bar_or_none_is_a_warning(half: float | None, verdict: str) -> None:
    assert error(error=half).verdict == verdict

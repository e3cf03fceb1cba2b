"""All gates together: what they make of a run."""

from __future__ import annotations

import msgspec
import pytest

from telar.gates import GATES, judge, validity
from telar.gates.arms import ARM_GATES, comparable
from telar.store.record import Gate

from ..store.records import STOP
from .sound import CATALOG, REAL, benchmark, sound

TABLE = {  # of the issues that asked for them, and `speed`
    "arrivals", "client", "status", "payload", "state", "target", "telemetry", "saturation", "warm", "flags",
    "little", "plan", "foreign", "repeats", "speed", "bounds", "steady", "error",
}  # fmt: skip


def gate(verdict: str, limited_by: str | None = None) -> Gate:
    return Gate(name="any", verdict=verdict, observed="", expected="", limited_by=limited_by)  # type: ignore[arg-type]


def test_every_gate_passes_on_a_sound_run() -> None:
    verdicts = judge(sound(), CATALOG)
    assert [(g.name, g.verdict) for g in verdicts] == [
        (name, "pass") for name, rule in GATES.items() if "http" in rule.kinds
    ]
    assert {(g.advice, g.limited_by) for g in verdicts} == {("", None)}
    assert validity(verdicts) == "valid"


def test_every_gate_says_what_it_saw_and_what_it_expected() -> None:
    assert all(g.observed and g.expected for g in judge(sound(), CATALOG))


def test_all_that_was_asked_for_is_there() -> None:
    assert GATES.keys() | ARM_GATES.keys() == TABLE


def test_no_gate_looks_at_what_a_kind_of_run_does_not_have() -> None:
    verdicts = judge(benchmark(), CATALOG)
    assert [(g.name, g.verdict) for g in verdicts if g.name != "foreign"] == [
        ("steady", "pass"),
        ("error", "pass"),
        ("speed", "pass"),
        ("bounds", "pass"),
    ]
    (foreign,) = [g for g in verdicts if g.name == "foreign"]
    assert foreign.observed != "not known"  # the generator's and the database's readings are not asked for


def test_every_gate_is_of_a_kind_and_two_look_at_benchmarks_alone() -> None:
    assert {name for name, rule in GATES.items() if "http" not in rule.kinds} == {"steady", "error"}
    assert {name for name, rule in GATES.items() if "jmh" in rule.kinds} == {
        "steady", "error", "foreign", "speed", "bounds",
    }  # fmt: skip


def test_a_comparison_of_benchmarks_says_nothing_of_what_requests_answered() -> None:
    verdicts = comparable([benchmark()] * 3, [benchmark()] * 3, CATALOG)
    assert [g.name for g in verdicts] == ["flags", "speed", "repeats"]


def test_a_run_that_failed_is_not_judged() -> None:
    assert judge(sound(outcome="failed", stopped=STOP), CATALOG) == ()


@pytest.mark.parametrize(
    ("gates", "expected"),
    [
        ((), "invalid"),  # nobody has looked at it
        ((gate("pass"), gate("warn")), "valid"),
        ((gate("pass"), gate("fail", "database")), "limited"),
        ((gate("fail", "machine"), gate("fail")), "invalid"),
        ((gate("fail", "machine"), gate("fail", "generator")), "limited"),
        ((gate("warn", "machine"),), "valid"),
    ],
)
def test_the_worst_kind_of_fault_decides(gates: tuple[Gate, ...], expected: str) -> None:
    assert validity(gates) == expected


def test_a_run_whose_evidence_is_missing_is_told_so_gate_by_gate() -> None:
    """Nothing divides by what isn't there, and nothing is taken for granted."""
    bare = sound(
        series=None,
        telemetry_gaps={},
        ruler=None,
        warmup=None,
        load=msgspec.structs.replace(sound().load, late=None),  # type: ignore[type-var]
        database=msgspec.structs.replace(  # type: ignore[type-var]
            sound().database, plans={}, statements={}, rows_at_window_start=None, rows_at_window_end=None
        ),
    )
    said = {g.name: (g.verdict, g.observed) for g in judge(bare, CATALOG)}
    assert said == {
        "arrivals": ("pass", "2,250 arrivals, 0 dropped"),
        "client": ("warn", "0 errors, not known how busy, not known how late"),
        "status": ("pass", "none"),
        "little": ("warn", "not known"),
        "state": ("warn", "not known"),
        "plan": ("warn", "no plans"),
        "target": ("fail", "no count of served requests"),
        "flags": ("pass", "as planned"),
        "telemetry": ("warn", "not known"),
        "warm": ("warn", "not known, a fixed warm-up"),
        "saturation": ("warn", "not known of app, database, generator"),
        "foreign": ("warn", "not known"),
        "speed": ("warn", "not known"),
        "bounds": ("pass", f"all {len(bare.metrics)}"),
    }
    assert all(g.advice for g in judge(bare, CATALOG) if g.verdict != "pass")


def test_the_thresholds_of_telar_toml_pass_the_same_run() -> None:
    file = msgspec.structs.replace(CATALOG.file, gate=REAL.file.gate)
    assert validity(judge(sound(), msgspec.structs.replace(CATALOG, file=file))) == "valid"

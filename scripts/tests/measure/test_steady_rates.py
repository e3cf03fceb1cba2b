"""The program that says how often warm-ups end in time: its curves, and what it takes for the truth."""

from __future__ import annotations

import importlib.util
import random
import sys
from pathlib import Path

import msgspec
import pytest

from telar.catalog.load import load
from telar.store.files import Session
from telar.store.record import Warmup, WarmupCycle

from ..store.records import CELL, plan, put, record

ROOT = Path(__file__).parents[3]
SPEC = importlib.util.spec_from_file_location("steady_rates", ROOT / "scripts/measure/steady_rates.py")
assert SPEC
assert SPEC.loader
rates = importlib.util.module_from_spec(SPEC)
sys.modules["steady_rates"] = rates
SPEC.loader.exec_module(rates)

RULES = msgspec.structs.replace(
    load(ROOT).file.steady, window=4, floor=1, ceiling=24, load=8, compiling=0.1, cpu=0.15, p50=0.25
)
REST = rates.Point(share=0.02, cpu_ms=1.0, p50_ms=2.0)
NOISELESS = rates.Noise("none", cpu=0.0, p50=0.0, share=0.0, host=0.0, burst=0.0, stall=0.0)


def points(*shares: float) -> list[object]:
    return [rates.Point(share=s, cpu_ms=1.0, p50_ms=2.0) for s in shares]


def test_a_curve_is_truly_steady_from_where_it_stays_for_ever() -> None:
    assert rates.truly_steady([REST] * 10, RULES) == 1
    assert rates.truly_steady(points(0.5, 0.2, *[0.05] * 8), RULES) == 3
    dear = rates.Point(share=0.02, cpu_ms=1.2, p50_ms=2.0)
    assert rates.truly_steady([REST, REST, dear, *[REST] * 6], RULES) == 4
    slow = rates.Point(share=0.02, cpu_ms=1.0, p50_ms=2.6)
    assert rates.truly_steady([slow, *[REST] * 6], RULES) == 2


def test_a_curve_whose_end_moves_is_never_steady() -> None:
    assert rates.truly_steady(points(*[0.02] * 8, 0.5), RULES) is None


@pytest.mark.parametrize(
    ("end", "said"),
    [(4, "early"), (5, "early"), (6, "in time"), (9, "in time"), (10, "late"), (None, "never")],
)
def test_an_end_is_in_time_from_truly_steady_on_and_three_cycles_long(end: int | None, said: str) -> None:
    curve = points(*[0.5] * 5, *[0.02] * 10)
    assert rates.outcome((curve, curve), end, 4, RULES) == said


def test_before_the_protocol_allows_an_end_none_is_late() -> None:
    curve = points(*[0.02] * 10)
    assert [rates.outcome((curve, curve), end, 4, RULES) for end in (4, 7, 8)] == [
        "in time",
        "in time",
        "late",
    ]


def test_a_warm_up_that_is_never_steady_must_not_end() -> None:
    curve = points(*[0.5] * 30)
    assert rates.outcome((curve, curve), None, 4, RULES) == "in time"
    assert rates.outcome((curve, curve), 9, 4, RULES) == "early"


def test_who_ended_before_anything_showed_was_surprised() -> None:
    still = points(*[0.02] * 15)
    later = [*still[:9], *points(0.5), *still[10:]]
    assert rates.outcome((later, still), 6, 4, RULES) == "surprised"
    assert rates.outcome((later, still), 10, 4, RULES) == "early"  # it had begun
    moving = points(0.5, 0.5, 0.5, *[0.02] * 12)
    changed = [*moving[:9], *points(0.5), *moving[10:]]
    assert rates.outcome((changed, moving), 3, 4, RULES) == "early"  # it wasn't at rest either


def test_without_noise_cycles_are_the_curve() -> None:
    curve = rates.decay(random.Random(1), 20)[0]
    cycles = rates.observed(curve, NOISELESS, RULES, random.Random(2))
    assert [c.requests for c in cycles] == [rates.RATE * RULES.load] * 20
    for point, cycle in zip(curve, cycles, strict=True):
        assert cycle.compiler_seconds / cycle.app_seconds == pytest.approx(point.share)
        assert cycle.cpu_ms == pytest.approx(point.cpu_ms)
        assert cycle.p50_ms == pytest.approx(point.p50_ms)


@pytest.mark.parametrize("kind", rates.KINDS, ids=lambda kind: kind.__name__)
def test_curves_that_are_never_steady_are_known_as_such(kind: object) -> None:
    never = kind in {rates.leak, rates.oscillation, rates.busy_compilers}
    length = RULES.ceiling + rates.BEYOND
    found = [rates.truly_steady(kind(random.Random(n), length)[0], RULES) for n in range(100)]  # type: ignore[operator]
    unsteady = sum(truth is None or truth > RULES.ceiling for truth in found)
    assert unsteady >= 90 if never else unsteady <= 20


def test_without_noise_a_decaying_curve_ends_in_time() -> None:
    said = list(rates.simulated(rates.decay, NOISELESS, RULES, 200, 1))
    assert said.count("in time") >= 180
    assert (
        list(rates.simulated(rates.decay, NOISELESS, RULES, 200, 1)) == said
    )  # the same seed, the same curves


def test_busy_compilers_are_never_taken_for_a_warm_service() -> None:
    assert set(rates.simulated(rates.busy_compilers, NOISELESS, RULES, 200, 1)) == {"in time"}


def test_recorded_warm_ups_are_kept_and_judged_where_they_went_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def cycle(n: int, share: float) -> WarmupCycle:
        return WarmupCycle(
            start=n * 10.0, requests=3200, p50_ms=1.0, app_seconds=2.0, compiler_seconds=2.0 * share
        )

    monkeypatch.setattr(rates, "KEPT", tmp_path / "kept" / "long-warm-ups.json")
    session = Session.create(tmp_path / "20261121-080000-smoke", plan(CELL, CELL))
    for run, length in zip(session.plan.runs, (20, 8), strict=True):
        cycles = tuple(cycle(n, 0.5 if n < 4 else 0.02) for n in range(length))
        warmup = Warmup(requests=3200 * length, seconds=10.0 * length, steady=False, cycles=cycles)
        put(session, run, record(warmup=warmup, run_id=f"{length:016x}"))
    for new in (1, 0):  # added once
        rates.keep(tmp_path, RULES)
        said = capsys.readouterr().out
        assert "8 cycles, too few to judge by" in said
        assert f"1 warm-ups, {new} of them new" in said
    rates.recorded(RULES)
    out = capsys.readouterr().out
    assert "| 25 | 5 | 8 | in time | +0% | +0% | 2% |" in out
    assert "1 warm-ups: 0 early, 0 surprised, 1 in time" in out

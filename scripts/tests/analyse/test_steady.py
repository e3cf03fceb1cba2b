"""When a service is warm: the test's edges, on cycles made for them. Its rates: `measure/steady_rates.py`."""

from __future__ import annotations

import math

import pytest

from telar.analyse.steady import compiling, is_steady, shift
from telar.catalog.rules import SteadyFile
from telar.store.record import WarmupCycle

RULES = SteadyFile(
    load=8,
    pause=2,
    vus=32,
    rehearsal=20,
    rehearsals=6,
    window=4,
    floor=1,
    ceiling=24,
    compiling=0.10,
    cpu=0.15,
    p50=0.25,
)
REQUESTS = 1000


def cycle(
    *, share: float = 0.02, cpu: float = 1.0, p50: float = 2.0, requests: int = REQUESTS
) -> WarmupCycle:
    """`cpu` is of a request, in ms, the compilers' left out."""
    work = cpu * REQUESTS / 1000
    return WarmupCycle(
        start=0.0,
        requests=requests,
        p50_ms=p50,
        app_seconds=work / (1 - share),
        compiler_seconds=work * share / (1 - share),
    )


def test_cycles_that_are_alike_are_steady() -> None:
    assert is_steady([cycle()] * 4, RULES)


def test_compilers_that_nobody_ever_saw_are_not_known_to_be_done() -> None:
    assert not is_steady([cycle(share=0)] * 9, RULES)
    assert is_steady([cycle(), *[cycle(share=0)] * 9], RULES)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_fewer_cycles_than_the_window_are_never_steady(count: int) -> None:
    assert not is_steady([cycle()] * count, RULES)


def test_only_the_last_cycles_count() -> None:
    cold = [cycle(share=0.6, cpu=5.0, p50=9.0)] * 10
    assert is_steady([*cold, *[cycle()] * 4], RULES)
    assert not is_steady([*cold, *[cycle()] * 3], RULES)


@pytest.mark.parametrize(("share", "steady"), [(0.0999, True), (0.1001, False), (0.9, False)])
def test_the_compilers_share_is_of_all_that_the_app_used_over_the_window(share: float, steady: bool) -> None:
    assert is_steady([cycle(share=share)] * 4, RULES) is steady


def test_one_cycles_burst_of_the_compilers_counts_by_its_processor_time() -> None:
    burst = [cycle(), cycle(share=0.3), cycle(), cycle()]
    assert compiling(burst) == pytest.approx((3 * 0.02 / 0.98 + 0.3 / 0.7) / (3 / 0.98 + 1 / 0.7))
    assert not is_steady(burst, RULES)


@pytest.mark.parametrize(("factor", "steady"), [(1.149, True), (1.151, False)])
@pytest.mark.parametrize("reverse", [False, True])
def test_processor_time_per_request_may_move_within_its_tolerance(
    factor: float, steady: bool, reverse: bool
) -> None:
    """In either direction: faster is not steady, too."""
    older, newer = [cycle()] * 2, [cycle(cpu=factor)] * 2
    cycles = [*newer, *older] if reverse else [*older, *newer]
    assert is_steady(cycles, RULES) is steady


@pytest.mark.parametrize(("factor", "steady"), [(1.249, True), (1.251, False)])
@pytest.mark.parametrize("reverse", [False, True])
def test_p50_may_move_within_its_tolerance(factor: float, steady: bool, reverse: bool) -> None:
    older, newer = [cycle()] * 2, [cycle(p50=2.0 * factor)] * 2
    cycles = [*newer, *older] if reverse else [*older, *newer]
    assert is_steady(cycles, RULES) is steady


def test_the_compilers_own_time_is_not_in_the_time_per_request() -> None:
    assert cycle(share=0.5, cpu=1.0).cpu_ms == pytest.approx(1.0)
    assert shift([cycle(share=0.09), cycle(share=0.01)], lambda c: c.cpu_ms) == pytest.approx(0)


def test_a_deoptimisation_is_noticed_as_long_as_it_is_in_the_window() -> None:
    spike = cycle(share=0.3, cpu=1.6)
    quiet = [cycle()] * 10
    for after in range(4):
        assert not is_steady([*quiet, spike, *quiet[:after]], RULES)
    assert is_steady([*quiet, spike, *quiet[:4]], RULES)


def test_a_leak_is_noticed_once_the_halves_differ_by_more_than_the_tolerance() -> None:
    def leaking(growth: float) -> list[WarmupCycle]:
        return [cycle(cpu=(1 + growth) ** n) for n in range(4)]

    assert not is_steady(leaking(0.08), RULES)  # two cycles lie between the halves: 17 %
    assert is_steady(leaking(0.05), RULES)  # 10 %: slower leaks are beyond this test


def test_a_window_that_is_odd_leaves_its_middle_out() -> None:
    five = [cycle(cpu=1.0), cycle(cpu=1.0), cycle(cpu=9.0), cycle(cpu=1.1), cycle(cpu=1.1)]
    assert shift(five, lambda c: c.cpu_ms) == pytest.approx(0.1)


def test_a_stall_in_one_cycle_counts_half() -> None:
    cycles = [cycle(), cycle(), cycle(), cycle(p50=3.0)]
    assert shift(cycles, lambda c: c.p50_ms) == pytest.approx(0.25)


def test_cycles_without_requests_or_readings_are_not_steady() -> None:
    none = WarmupCycle(start=0.0, requests=0, p50_ms=0.0, app_seconds=0.0, compiler_seconds=0.0)
    assert compiling([none] * 4) == 1
    assert math.isinf(shift([none] * 4, lambda c: c.cpu_ms))
    assert not is_steady([none] * 4, RULES)
    assert not is_steady([cycle(requests=0)] * 4, RULES)

"""Which steps were held, where each model ends, and the word that follows."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from telar.analyse.crossover import Crossing, crossings, steps_of
from telar.store.record import Gate, Planned, Record

from ..store.stairs import WORKLOADS, stairs

WAITS = {f"sleep-crossover-{name}": ms for ms, name in WORKLOADS.items()}
RATES = (100, 160, 190, 220, 320)


def run(model: str, *, wait: int = 1000, rates: tuple[int, ...] = RATES, **changes: Any) -> Record:
    return stairs(model, wait, rates, **changes)


def crossing(*records: Record) -> Crossing:
    (found,) = crossings(records, WAITS)
    return found


def test_a_step_is_held_when_its_arrivals_were_answered_and_no_queue_shows() -> None:
    steps = steps_of(run("platform", ends=220), 1000)
    assert [(s.rate, s.held) for s in steps] == [
        (100, True), (160, True), (190, True), (220, False), (320, False),
    ]  # fmt: skip
    assert steps[3].p50_ms == pytest.approx(1002, rel=0.001)  # p95 alone shows the queue
    assert steps[3].p95_ms == pytest.approx(1902, rel=0.001)


@pytest.mark.parametrize(
    ("wait", "later", "held"),
    [(10, 24.0, True), (10, 26.0, False), (1000, 49.0, True), (1000, 52.0, False), (4000, 195.0, True)],
)
def test_the_allowance_is_a_share_of_the_wait_or_some_milliseconds(
    wait: int, later: float, held: bool
) -> None:
    assert steps_of(run("virtual", wait=wait, later_ms=later), wait)[0].held is held


def test_a_step_of_which_more_than_one_in_a_hundred_failed_or_never_came_is_not_held() -> None:
    failing = steps_of(run("virtual", failing=320), 1000)
    assert [s.held for s in failing] == [True, True, True, True, False]
    assert failing[-1].answered == pytest.approx(0.9)
    whole = run("virtual")
    dropped = [msgspec.structs.replace(whole.latencies[0], stage="hold-320")]  # 800 of 2,560
    fewer = msgspec.structs.replace(whole, latencies=(*whole.latencies[:4], *dropped))
    assert [s.held for s in steps_of(fewer, 1000)] == [True, True, True, True, False]


def test_cpu_is_of_the_app_for_a_request_without_its_compilers() -> None:
    step = steps_of(run("platform", cpu_ms=0.4, threads=129), 1000)[2]
    assert step.cpu_ms == pytest.approx(0.4)
    assert (step.threads, step.busy) == (129, pytest.approx(0.5))


def test_virtual_pays_from_where_platform_ends_and_the_line_lies_in_between() -> None:
    found = crossing(run("platform", ends=220, cpu_ms=0.3), run("virtual", cpu_ms=0.36, threads=41))
    assert (found.word, found.low, found.high) == ("virtual pays", 190, 220)
    assert (found.predicted, found.as_predicted) == (200, True)
    assert found.both_held == 190
    assert found.cpu_ratio == pytest.approx(1.2)
    assert found.threads == {"platform": 50, "virtual": 41}
    assert found.platform
    assert found.platform.end == "service"
    assert found.virtual
    assert (found.virtual.held, found.virtual.not_held, found.virtual.end) == (320, None, "not reached")


def test_a_crossing_beside_the_line_is_not_as_predicted() -> None:
    found = crossing(run("platform", ends=160), run("virtual"))
    assert (found.low, found.high, found.as_predicted) == (100, 160, False)


def test_platform_may_hold_more() -> None:
    found = crossing(run("platform"), run("virtual", ends=220))
    assert (found.word, found.low, found.high, found.as_predicted) == ("platform holds more", 190, 220, False)


def test_no_difference_where_both_hold_all_that_is_offered() -> None:
    found = crossing(run("platform"), run("virtual"))
    assert (found.word, found.low, found.high) == ("no difference", 320, None)
    assert found.why == "no higher rate was offered"


def test_no_difference_where_both_end_at_once() -> None:
    found = crossing(run("platform", ends=220), run("virtual", ends=220))
    assert (found.word, found.low, found.high, found.why) == ("no difference", 190, 220, "both end there")


def test_full_processors_say_nothing_about_threads() -> None:
    found = crossing(run("platform", ends=320, full=320), run("virtual", full=320))
    assert (found.word, found.low, found.why) == ("no difference", 220, "the machine's limit")
    assert found.platform
    assert found.platform.end == "machine"


def test_nor_does_a_generator_that_is_late() -> None:
    late = run("platform", later_ms=80, late_ms=70)  # without the 70 ms it would be held
    assert [(s.held, s.by_machine) for s in steps_of(late, 1000)] == [(False, True)] * 5
    queue = run("platform", ends=220, late_ms=70)  # 900 ms are no generator's
    assert [(s.held, s.by_machine) for s in steps_of(queue, 1000)][2:4] == [(True, False), (False, False)]


def test_a_wait_of_nothing_has_no_line() -> None:
    found = crossing(run("platform", wait=0), run("virtual", wait=0))
    assert (found.predicted, found.as_predicted, found.word) == (None, None, "no difference")


def test_a_step_that_was_disturbed_below_one_that_was_held_ends_nothing() -> None:
    whole, bad = run("platform", ends=320), run("platform", ends=100)
    mixed = (whole.latencies[0], bad.latencies[1], *whole.latencies[2:])
    found = crossing(msgspec.structs.replace(whole, latencies=mixed), run("virtual"))
    assert (found.word, found.low, found.high) == ("virtual pays", 220, 320)
    assert found.platform
    assert "160" not in found.platform.cpu_ms


def test_rounds_that_differ_make_the_interval_wider_or_leave_it_open() -> None:
    first, second = run("platform", ends=190), run("platform", ends=220)
    found = crossing(first, second, run("virtual"), run("virtual"))
    assert (found.word, found.low, found.high) == ("virtual pays", 160, 220)
    found = crossing(run("platform"), run("platform", ends=220), run("virtual"))
    assert (found.word, found.why) == ("undecided", "the rounds of platform don't agree")
    assert found.platform
    assert (found.platform.runs, found.platform.held, found.platform.not_held) == (2, 190, None)


def test_cpu_of_several_rounds_is_the_median() -> None:
    own = [run("platform", cpu_ms=cpu) for cpu in (0.2, 0.3, 0.7)]
    found = crossing(*own, run("virtual", cpu_ms=0.6))
    assert found.cpu_ratio == pytest.approx(2.0)


FIXED = Planned(seed=1, warmup_workload="sleep-crossover-1ms", warmup_rate=1, warmup_seconds=5)
FOREIGN = (Gate(name="foreign", verdict="fail", observed="3 s", expected="1 s"),)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"outcome": "failed"}, "virtual: failed"),
        ({"validity": "invalid", "gates": FOREIGN}, "virtual: invalid (foreign)"),
        ({"planned": FIXED}, "virtual: a preview, not warm"),
    ],
)
def test_undecided_where_a_models_runs_cannot_be_used(changes: dict[str, Any], reason: str) -> None:
    found = crossing(run("platform"), run("virtual", **changes))
    assert found.word == "undecided"
    assert found.why == f"no run of virtual that can be used: 1 left out, {reason}"
    assert found.left_out == {reason: 1}
    assert (found.both_held, found.cpu_ratio, found.virtual) == (None, None, None)


def test_undecided_where_a_model_is_missing_or_holds_nothing() -> None:
    assert crossing(run("virtual")).why == "no run of platform that can be used"
    found = crossing(run("platform", ends=1), run("virtual", ends=1))
    assert (found.word, found.why) == ("undecided", "not even the lowest rate was held")


def test_a_run_limited_by_the_app_is_the_finding() -> None:
    limited = Gate(name="little", verdict="fail", observed="", expected="", limited_by="app")
    found = crossing(run("platform", ends=220, validity="limited", gates=(limited,)), run("virtual"))
    assert found.word == "virtual pays"


def test_another_variant_is_left_out_by_its_name_and_another_workload_is_no_wait() -> None:
    other = run("virtual")
    flux = msgspec.structs.replace(
        other, cell=msgspec.structs.replace(other.cell, variant="spring-webflux-delay")
    )
    found = crossing(run("platform"), other, flux)
    assert found.left_out == {"spring-webflux-delay: neither model": 1}
    short = msgspec.structs.replace(other, cell=msgspec.structs.replace(other.cell, workload="sleep-100"))
    assert crossings([short], WAITS) == []


def test_waits_come_the_longest_first() -> None:
    found = crossings([run("platform", wait=w) for w in (10, 4000, 0)], WAITS)
    assert [c.wait_ms for c in found] == [4000, 10, 0]

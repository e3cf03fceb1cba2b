"""From windows to floors: which pairs count, and what a metric's noise makes of it."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.analyse import decide, endpoints, priors
from telar.analyse.calibration import FORKS, alike, calibrate, of_error, pairs_of, smallest, steady
from telar.analyse.posterior import Prior
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.store.floors import Calibration, Floor
from telar.store.record import Failure, Gate, Record, Ruler

from ..store.calibrations import window
from ..store.records import OTHER, STOP, record

CATALOG = load(Path(__file__).parents[3])
TIERS = CATALOG.file.tiers

Values = Sequence[Sequence[tuple[float, float]]]  # of forks, of their windows, of both sides
FAST, SLOW = (Ruler(work="zlib", before=seconds, after=seconds) for seconds in (0.016, 0.018))


def failing(name: str) -> Gate:
    return Gate(name=name, verdict="fail", observed="", expected="", advice="")


MOVED: dict[str, Any] = {"validity": "limited", "gates": (failing("speed"),)}
QUIET: Values = [[(100, 101), (101, 100)], [(100, 101), (101, 100)]]


def windows(values: Values, metric: str = "p99", **changes: Any) -> list[Record]:
    return [
        window(f, w, side, {metric: value}, **changes)
        for f, fork in enumerate(values, start=1)
        for w, (a, b) in enumerate(fork, start=1)
        for side, value in (("a", a), ("b", b))
    ]


def one(records: list[Record], catalog: Catalog = CATALOG) -> Calibration:
    (found,) = calibrate(catalog, records)
    return found


def p99(values: Values, catalog: Catalog = CATALOG) -> Floor:
    return one(windows(values), catalog).floors["p99"]


def with_tiers(**changes: float) -> Catalog:
    tiers = msgspec.structs.replace(TIERS, **changes)
    return msgspec.structs.replace(CATALOG, file=msgspec.structs.replace(CATALOG.file, tiers=tiers))


# ---- pairs


def test_a_pair_is_a_window_of_both_sides_in_the_order_a_b() -> None:
    late_a = [window(1, 1, "b"), window(1, 1, "a"), window(2, 1, "a"), window(2, 1, "b"), window(1, 2, "a")]
    found = pairs_of([*late_a, window(1, 2, "b")])
    sides = {
        f: [tuple(r.pair and (r.pair.window, r.pair.side) for r in p) for p in ps] for f, ps in found.items()
    }
    assert sides == {1: [((1, "a"), (1, "b")), ((2, "a"), (2, "b"))], 2: [((1, "a"), (1, "b"))]}


@pytest.mark.parametrize(
    "unsound",
    [
        {"validity": "limited"},
        {"validity": "invalid"},
        {"validity": "invalid", "outcome": "failed", "stopped": STOP, "metrics": {}},
    ],
)
@pytest.mark.parametrize("side", ["a", "b"])
def test_a_pair_with_a_side_that_is_not_valid_is_left_out(side: str, unsound: dict[str, Any]) -> None:
    records = windows([*QUIET, [(1, 9000)]])
    spoilt = [
        msgspec.structs.replace(r, **unsound) if r.pair and (r.pair.fork, r.pair.side) == (3, side) else r
        for r in records
    ]
    assert sorted(pairs_of(spoilt)) == [1, 2]
    assert (one(spoilt).forks, one(spoilt).pairs, one(spoilt).left_out) == (2, 4, 1)
    assert one(spoilt).floors == one(windows(QUIET)).floors


def test_a_window_whose_other_side_was_never_measured_is_left_out_and_counted() -> None:
    alone = [window(3, 1, "a", {"p99": 100}), window(4, 1, "b", {"p99": 100})]
    found = one([*windows(QUIET), *alone])
    assert (found.forks, found.pairs, found.left_out) == (2, 4, 2)


def test_a_pair_between_whose_windows_the_machines_speed_moved_is_not_steady() -> None:
    pair = pairs_of([window(1, 1, "a", ruler=FAST), window(1, 1, "b", ruler=SLOW)])
    assert list(pair) == [1]
    assert (steady(pair, 0.05), steady(pair, 0.2)) == ({}, pair)


@pytest.mark.parametrize("side", ["a", "b"])
def test_a_window_in_which_the_machines_speed_moved_is_sound_but_not_steady(side: str) -> None:
    both = [window(1, 1, "a"), window(1, 1, "b")]
    moved = [msgspec.structs.replace(r, **MOVED) if r.pair and r.pair.side == side else r for r in both]
    assert steady(pairs_of(moved), 9.0) == {}
    assert list(pairs_of(moved)) == [1]
    worse = [msgspec.structs.replace(r, gates=(*r.gates, failing("warm"))) for r in moved]
    assert pairs_of(worse) == {}
    assert list(pairs_of(worse, sound=False)) == [1]


def test_a_window_whose_arrivals_were_late_is_sound_for_what_is_not_told_in_seconds() -> None:
    """Not so where the generator's own requests failed: it may have asked for less."""
    late = window(1, 1, "a", validity="limited", gates=(failing("client"),))
    assert list(pairs_of([late, window(1, 1, "b")])) == [1]
    assert steady(pairs_of([late, window(1, 1, "b")]), 9.0) == {}
    own = Failure(endpoint="get", stage="hold-300", side="client", kind="ports or files exhausted", count=3)
    assert pairs_of([msgspec.structs.replace(late, failures=(own,)), window(1, 1, "b")]) == {}


def test_floors_of_times_rest_on_steady_pairs_and_those_of_counts_on_all() -> None:
    steady_ones = [[(100.0, 101.0), (101.0, 100.0)]] * 2
    numbers = [{"p99": v, "allocated": v} for v in (100.0, 200.0)]
    moved = [window(3, 1, s, n, **MOVED) for s, n in zip(("a", "b"), numbers, strict=True)]
    quiet = [
        msgspec.structs.replace(r, metrics={**r.metrics, "allocated": r.metrics["p99"]})
        for r in windows(steady_ones)
    ]
    found = one([*quiet, *moved])
    assert (found.forks, found.pairs, found.left_out) == (3, 5, 0)
    p99, allocated = found.floors["p99"], found.floors["allocated"]
    assert (p99.forks, p99.pairs, allocated.forks, allocated.pairs) == (2, 4, 3, 5)
    assert p99 == one(windows(steady_ones)).floors["p99"]
    assert "p99" not in one(windows(steady_ones, **MOVED)).floors  # too few pairs tell a time


def test_runs_from_nothing_to_nothing_are_no_pairs() -> None:
    assert pairs_of([record(validity="valid"), record(validity="valid")]) == {}
    assert calibrate(CATALOG, [record(validity="valid")] * 20) == []


@pytest.mark.parametrize(
    ("values", "enough"),
    [
        (QUIET, True),
        ([[(1, 2), (2, 1), (1, 1)], [(1, 2)]], True),
        ([[(1, 2), (2, 1)], [(1, 2)]], False),  # three pairs
        ([[(1, 2), (2, 1), (1, 2), (2, 1), (1, 2)]], False),  # one fork
        ([[(1, 2)]] * 3, False),
        ([], False),
    ],
)
def test_of_too_few_pairs_or_of_one_fork_there_is_no_calibration(values: Values, enough: bool) -> None:
    assert len(calibrate(CATALOG, windows(values))) == enough


# ---- cells


def test_each_cell_has_its_own_floors() -> None:
    loud = [[(100, 150), (150, 100)], [(100, 150), (150, 100)]]
    other = windows(loud, cell=OTHER)
    mixed = [r for both in zip(windows(QUIET), other, strict=True) for r in both]
    found = {c.cell.variant: c for c in calibrate(CATALOG, mixed)}
    assert found[OTHER.variant].floors["p99"] == p99(loud)
    assert found[record().cell.variant].floors["p99"] == p99(QUIET)


def test_a_calibration_says_of_what_where_and_when_it_is() -> None:
    records = windows(QUIET, session="20261121-235900-calibrate")
    last = msgspec.structs.replace(records[0], finished=1795392001.0)  # 2026-11-23 00:00:01 UTC
    found = one([*records[1:], last])
    assert (found.cell, found.session, found.measured) == (
        last.cell,
        "20261121-235900-calibrate",
        "2026-11-23",
    )
    assert (found.commit, found.machine) == (last.provenance.commit, last.provenance.machine)


# ---- floors


def test_floors_of_an_example_are_those_worked_out_by_hand() -> None:
    """In both forks b is once 10 % more than a, and a once 10 % more than b."""
    floor = p99([[(100, 110), (110, 100)], [(100, 110), (110, 100)]])
    step = math.log(1.1)
    assert floor.fork_to_fork == 0
    assert floor.pair_to_pair == pytest.approx(math.sqrt(2) * step)  # 4 · step² over 2 degrees of freedom
    assert floor.observed == pytest.approx(0)
    assert floor.jvm_to_jvm == 0
    assert floor.run_to_run == pytest.approx(step / math.sqrt(2))  # 4 · step² / 2 over 4
    assert floor.replay == pytest.approx(math.exp(2.5758 * step) - 1, rel=1e-4)


def test_what_a_jvm_has_in_common_is_no_noise_of_pairs_and_what_the_machine_does_to_both_neither() -> None:
    """Forks far apart, both sides of each alike: pairs are for that."""
    floor = p99([[(100, 101), (101, 100)], [(300, 303), (303, 300)]])
    assert floor.jvm_to_jvm
    assert floor.jvm_to_jvm > 0.5
    assert floor.pair_to_pair == pytest.approx(math.sqrt(2) * math.log(1.01))


def test_the_observed_ratio_is_of_b_to_a() -> None:
    assert p99([[(100, 120), (50, 60)], [(10, 12), (1, 1.2)]]).observed == pytest.approx(0.2)


@pytest.mark.thorough
def test_noise_of_a_known_size_is_found() -> None:
    """Each JVM has its own pace (σ 3 %), and each window its own (σ 2 %)."""
    dice = random.Random(1)
    values = []
    for _ in range(400):
        paces = [dice.gauss(0, 0.03) for _ in "ab"]
        values.append([tuple(50 * math.exp(p + dice.gauss(0, 0.02)) for p in paces) for _ in range(5)])
    floor = p99(values)  # type: ignore[arg-type]
    assert floor.jvm_to_jvm == pytest.approx(0.03, rel=0.1)
    assert floor.run_to_run == pytest.approx(math.hypot(0.03, 0.02), rel=0.1)
    assert floor.fork_to_fork == pytest.approx(0.03 * math.sqrt(2), rel=0.1)
    assert floor.pair_to_pair == pytest.approx(math.hypot(0.03, 0.02) * math.sqrt(2), rel=0.1)
    assert floor.observed == pytest.approx(0, abs=0.01)


def test_detectable_effects_are_given_for_the_windows_of_several_numbers_of_forks() -> None:
    floor = p99(QUIET)
    assert list(floor.smallest) == [str(n * TIERS.windows) for n in FORKS]
    assert list(floor.smallest.values()) == sorted(floor.smallest.values(), reverse=True)


@pytest.mark.parametrize(("between", "within"), [(0.02, 0.03), (0.0, 0.04)])
def test_an_effect_of_that_size_is_seen_four_times_of_five_by_what_judges_a_comparison(
    between: float, within: float
) -> None:
    """Sessions with the calibration's noise, which was measured for so long that it is known."""
    forks, pairs, chance, times = 3, 5, 0.0005, 300
    prior = Prior(between=between, within=within, forks=40, pairs=200, worth=math.inf, alike=1000.0)
    true = math.log1p(smallest(prior, forks, pairs, chance))
    surer = priors.surer(prior, forks, pairs, chance)
    dice = random.Random(4)
    seen = 0
    for _ in range(times):
        own = [dice.gauss(true, between) for _ in range(forks)]
        found = decide.estimate([[dice.gauss(mean, within) for _ in range(pairs)] for mean in own], surer)
        seen += found is not None and found.different() <= chance
    assert seen / times == pytest.approx(decide.POWER, abs=0.1)


def test_questions_share_the_error_and_the_primary_metric_has_the_most_of_it() -> None:
    metrics = endpoints.metrics(CATALOG, windows(QUIET))
    chances = of_error(CATALOG, metrics)
    rules = CATALOG.file.verdict
    last = rules.false_alarms * decide.parts(rules.looks)[-1]
    assert chances[rules.primary[0]] == pytest.approx(rules.primary_share * last)
    asked = {m for m, file in metrics.items() if file.matters is not None and not file.once}
    assert sum(chances[m] for m in asked) <= last
    assert chances["max"] == chances["p99"]  # carries no verdict, and gets as much as any other question


@pytest.mark.parametrize("value", [0.0, 250.0])
def test_a_metric_that_is_the_same_in_every_window_may_be_gated_and_its_floor_is_zero(value: float) -> None:
    floor = p99([[(value, value)] * 2] * 2)
    assert (floor.tier, floor.run_to_run, floor.pair_to_pair, floor.replay) == ("gate", 0, 0, 0)
    assert set(floor.smallest.values()) == {0}


def test_a_count_that_never_varied_is_not_promised_to_show_every_change() -> None:
    matters = CATALOG.file.metric["rows-read"].matters
    assert matters
    floor = one(windows([[(250.0, 250.0)] * 2] * 2, "rows-read")).floors["rows-read"]
    assert (floor.tier, floor.pair_to_pair) == ("gate", 0)
    assert 0 < floor.smallest["60"] < matters < floor.smallest["15"]  # of two forks


@pytest.mark.parametrize("low", [0.0, -1.0])
def test_a_metric_that_is_sometimes_zero_has_no_ratio_and_is_only_drawn(low: float) -> None:
    floor = p99([[(low, 3), (3, 3)], [(3, 3), (3, 3)]])
    assert floor == Floor(
        forks=2,
        pairs=4,
        tier="chart",
        run_to_run=None,
        jvm_to_jvm=None,
        pair_to_pair=None,
        fork_to_fork=None,
        observed=None,
        replay=None,
        smallest={},
    )


def test_a_metric_that_is_unknown_in_one_window_has_no_floor() -> None:
    first, *rest = windows(QUIET, "rss")
    without = {n: m for n, m in first.metrics.items() if n != "rss"}
    found = one([msgspec.structs.replace(first, metrics=without), *rest])
    assert "rss" in one([first, *rest]).floors
    assert "rss" not in found.floors
    assert "p99" in found.floors


def test_floors_are_of_the_catalogues_metrics() -> None:
    counted = {"statements", "answer"}  # of any record that has the counters
    assert set(one(windows(QUIET, "another")).floors) == {"p50", "p99", "failures", "dropped", *counted}


# ---- tiers


@pytest.mark.parametrize(
    ("gate", "watch", "tier"),
    [(1.001, 2.0, "gate"), (0.999, 1.001, "watch"), (0.5, 0.999, "chart")],
)
def test_a_tier_follows_from_the_smallest_effect_that_its_pairs_would_show(
    gate: float, watch: float, tier: str
) -> None:
    """Thresholds as multiples of that effect."""
    seen = p99(QUIET).smallest[str(TIERS.forks * TIERS.windows)]
    assert p99(QUIET, with_tiers(gate=gate * seen, watch=watch * seen)).tier == tier


def test_more_forks_in_the_rule_make_a_better_tier_of_the_same_noise() -> None:
    seen = p99(QUIET).smallest[str(TIERS.forks * TIERS.windows)]
    narrow = {"gate": seen / 1.5, "watch": 2 * seen}
    assert p99(QUIET, with_tiers(**narrow)).tier == "watch"
    assert p99(QUIET, with_tiers(**narrow, forks=4 * TIERS.forks)).tier == "gate"


def test_forks_of_earlier_sessions_count_too() -> None:
    own, earlier = windows(QUIET), windows([[(100, 103), (103, 100)]], session="earlier")
    earlier = [
        msgspec.structs.replace(r, cell=msgspec.structs.replace(r.cell, revision="abc")) for r in earlier
    ]
    (found,) = calibrate(CATALOG, own, [earlier])
    assert (found.forks, found.pairs, found.added) == (3, 6, ("earlier",))
    assert (found.cell.revision, found.session) == ("", own[0].session)
    assert (found.floors["p99"].pair_to_pair or 0) > (one(own).floors["p99"].pair_to_pair or 0)


def test_what_an_earlier_session_compared_is_no_noise() -> None:
    """Two revisions, another machine, another cell."""
    own = windows(QUIET)
    revisions = [
        msgspec.structs.replace(
            r, cell=msgspec.structs.replace(r.cell, revision=r.pair.side if r.pair else "")
        )
        for r in own
    ]
    machine = msgspec.structs.replace(own[0].provenance.machine, kernel="another")
    elsewhere = [
        msgspec.structs.replace(r, provenance=msgspec.structs.replace(r.provenance, machine=machine))
        for r in own
    ]
    others = windows(QUIET, cell=OTHER)
    assert [alike(own[0], each) for each in (revisions, elsewhere, others)] == [[], [], []]
    (found,) = calibrate(CATALOG, own, [revisions, elsewhere, others])
    assert (found.forks, found.added) == (2, ())

"""The state of a series: what is open against it, and what closes it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from telar.analyse.tracking import Finding, rules_of, track
from telar.store.accepted import Acceptance
from telar.store.points import Point


def history(
    *levels: tuple[int, float], better: str = "smaller", environments: Sequence[str] = (), **more: Any
) -> list[Point]:
    """So many points at each level, with 1 % noise; an environment for each level, where they differ."""
    dice = random.Random(1)
    found: list[Point] = []
    for n, (count, level) in enumerate(levels):
        for _ in range(count):
            number = len(found)
            given: dict[str, Any] = {
                "series": "app", "metric": "p50", "unit": "ms", "better": better, "time": float(number),
                "commit": f"{number:040x}", "value": level * (1 + dice.gauss(0, 0.01)),
                "environment": environments[n] if environments else "",
            }  # fmt: skip
            found.append(Point(**{**given, **more}))
    return found


def told(findings: Sequence[Finding]) -> list[tuple[str, str]]:
    return [(f.kind, f.state) for f in findings]


def test_a_regression_stays_open_however_long_it_lasts() -> None:
    found = track(history((40, 10.0), (120, 11.0)))
    assert told(found.findings) == [("regression", "open")]
    (regression,) = found.open
    assert regression.reference == pytest.approx(10, rel=0.01)
    assert regression.level == pytest.approx(11, rel=0.01)
    assert (regression.before.time, regression.since.time) == (39, 40)


def test_a_regression_is_only_suspected_while_few_points_say_so() -> None:
    assert told(track(history((40, 10.0), (4, 12.0))).findings) == [("regression", "suspected")]


def test_a_regression_is_cured_when_the_level_is_back() -> None:
    found = track(history((40, 10.0), (20, 11.0), (20, 10.0)))
    assert told(found.findings) == [("regression", "cured")]
    assert found.open == ()


def test_less_than_what_matters_of_a_metric_is_no_finding() -> None:
    points = history((40, 10.0), (60, 10.8))
    assert told(track(points, rules=rules_of(0.05)).findings) == [("regression", "open")]
    assert told(track(points, rules=rules_of(0.1)).findings) == []
    assert told(track(points, rules=rules_of(None)).findings) == [("regression", "open")]


def test_an_accepted_level_is_what_the_series_is_compared_with() -> None:
    reason = Acceptance(series="app", metric="p50", time=45.0, reason="validation was added")
    found = track(history((40, 10.0), (40, 11.0)), [reason])
    assert told(found.findings) == [("regression", "accepted")]
    assert found.findings[0].reason == "validation was added"
    assert found.reference == pytest.approx(11, rel=0.01)
    assert told(track(history((40, 10.0), (40, 11.0), (40, 12.0)), [reason]).open) == [("regression", "open")]


def test_an_acceptance_is_of_its_own_series_and_metric() -> None:
    reason = Acceptance(series="app", metric="p99", time=45.0, reason="another")
    assert told(track(history((40, 10.0), (40, 11.0)), [reason]).findings) == [("regression", "open")]


def test_what_grows_when_it_gets_better_is_worse_when_it_falls() -> None:
    assert told(track(history((40, 100.0), (40, 90.0), better="bigger")).findings) == [("regression", "open")]
    assert told(track(history((40, 100.0), (40, 110.0), better="bigger")).findings) == [
        ("improvement", "seen")
    ]


def test_an_improvement_is_the_level_to_be_compared_with() -> None:
    found = track(history((40, 10.0), (40, 9.0), (40, 10.0)))
    assert told(found.findings) == [("improvement", "seen"), ("regression", "open")]
    assert found.open[0].reference == pytest.approx(9, rel=0.01)


def test_another_environment_begins_anew_and_alarms_nobody() -> None:
    found = track(history((40, 10.0), (40, 13.0), environments=("a", "b")))
    assert (found.findings, found.environments) == ((), 2)


def test_what_was_open_in_one_environment_is_open_in_the_next() -> None:
    still = track(history((40, 10.0), (40, 11.0), (40, 22.0), environments=("a", "a", "b")))
    assert told(still.open) == [("regression", "open")]
    cured = track(history((40, 10.0), (40, 11.0), (40, 22.0), (40, 20.0), environments=("a", "a", "b", "b")))
    assert told(cured.findings) == [("regression", "cured")]


def test_drift_in_steps_too_small_to_be_seen_is_found() -> None:
    creeping = [(4, 10.0 * 1.0008**n) for n in range(60)]  # 5 % over 240 points
    found = track(history((60, 10.0), *creeping))
    assert found.open
    assert found.open[0].change > 0.015


def test_drift_that_was_accepted_is_what_later_drift_is_held_against() -> None:
    creeping = [(4, 10.0 * 1.0008**n) for n in range(60)]
    points = history((60, 10.0), *creeping, (60, 10.0 * 1.0008**59))
    accepted = Acceptance(series="app", metric="p50", time=points[299].time, reason="more is checked")
    assert track(points).open
    assert track(points, [accepted]).open == ()


def test_values_without_a_logarithm_are_tracked_too() -> None:
    zeros = [msgspec.structs.replace(p, value=0.0) for p in history((30, 1.0))]
    found = track([*history((60, 1.0)), *(msgspec.structs.replace(p, time=p.time + 60) for p in zeros)])
    assert found.points == 90


def test_points_that_are_not_valid_are_left_out_and_counted() -> None:
    bad = history((30, 20.0), validity="invalid")
    good = history((40, 10.0))
    found = track(sorted([*good, *bad], key=lambda p: p.time))
    assert (found.findings, found.points, found.left_out) == ((), 70, 30)


def test_a_series_without_a_valid_point_has_no_level() -> None:
    found = track(history((5, 10.0), validity="invalid"))
    assert (found.level, found.reference, found.findings) == (None, None, ())


def test_each_step_by_which_a_regression_grows_is_kept() -> None:
    levels = [(60 if step == 0 else 30, 10.0 * 1.1**step) for step in range(11)]
    found = track(history(*levels))
    (regression,) = found.open
    assert (regression.since.time, len(regression.growth)) == (60, 9)
    assert [step.since.time for step in regression.growth] == [30 + 30 * n for n in range(2, 11)]
    assert [step.level / step.held for step in regression.growth] == [pytest.approx(1.1, rel=0.01)] * 9


def test_a_step_back_that_cures_nothing_is_no_growth() -> None:
    found = track(history((40, 10.0), (30, 14.0), (30, 12.0), (30, 14.0)))
    (regression,) = found.open
    assert [step.since.time for step in regression.growth] == [100]

"""The watchdog: an alarm of each kind, one issue each, closed when it is over."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from telar.github.api import GitHub
from telar.github.watchdog import Done, sync
from telar.plan.cells import Cell
from telar.plan.pipeline import asked
from telar.publish.standing import Moment, Now, PublishedFinding, Standing
from telar.publish.watch import Alarm, scheduled, watch
from telar.store.floors import Floors

from ..publish.test_verdict import CATALOG
from ..store.records import CELL
from .double import Double, double

TODAY = 1_795_000_000.0
DAY = 86_400


def standing(**changes: Any) -> Standing:
    given: dict[str, Any] = {
        "series": "app", "metric": "p99", "unit": "ms", "better": "smaller", "time": int(TODAY) - 3600,
        "commit": "", "origin": "s", "validity": "valid", "value": 10.0, "reference": 10.0, "level": 10.0,
        "values": tuple(10.0 + n / 100 for n in range(30)), "findings": (),
    }  # fmt: skip
    return Standing(**{**given, **changes})


# What a night runs, so that it can be late.
PLANNED = next(cell for cell in scheduled(CATALOG, ()) if cell.variant == CELL.variant)


def history(*found: Standing, cells: dict[str, Cell]) -> Now:
    return Now(
        format=1, variants={}, metrics={}, jdks={}, slo_p99_ms=100.0, floors=Floors(), cells=cells,
        standing=found,
    )  # fmt: skip


def alarms(*found: Standing, cell: Cell = PLANNED) -> dict[str, Alarm]:
    return {a.kind: a for a in watch(CATALOG, history(*found, cells={"app": cell}), TODAY)}


def test_a_history_that_goes_on_raises_no_alarm() -> None:
    assert alarms(standing()) == {}
    assert alarms(standing(metric="failures", values=(0.0,) * 30)) == {}


def test_nothing_at_all_is_an_alarm() -> None:
    assert [a.kind for a in watch(CATALOG, None, TODAY)] == ["empty"]
    assert list(alarms(standing(value=None))) == ["empty"]


def test_a_stopped_runner_is_seen_after_three_days_in_one_line_for_as_long_as_it_lasts() -> None:
    assert alarms(standing(time=int(TODAY) - 2 * DAY)) == {}
    for days in (4, 400):
        (late,) = alarms(*(standing(series=s, time=int(TODAY) - days * DAY) for s in ("app", "b"))).values()
        assert (late.kind, len(late.lines)) == ("late", 1)
    (late,) = alarms(standing(time=int(TODAY) - 4 * DAY)).values()
    assert late.lines == ("all series: the last point is of 2026-11-14",)


def test_a_lane_whose_turn_was_missed_is_late_and_what_has_no_schedule_never_is() -> None:
    fresh = standing(series="b")
    assert alarms(fresh, standing(time=int(TODAY) - 9 * DAY)) == {}
    missed = standing(time=int(TODAY) - 11 * DAY)
    (late,) = alarms(fresh, missed).values()
    assert (late.kind, late.lines) == ("late", ("app: the last is of 2026-11-07",))
    by_hand = msgspec.structs.replace(PLANNED, workload="movies-ramp")
    assert alarms(fresh, missed, cell=by_hand) == {}
    now = history(fresh, missed, cells={"app": PLANNED})
    assert watch(CATALOG, now, TODAY, only=("quarkus-*",)) == []


def test_a_renamed_variant_leaves_an_orphan() -> None:
    renamed = msgspec.structs.replace(PLANNED, variant="spring-mysql-renamed")
    (orphan,) = alarms(standing(), cell=renamed).values()
    assert orphan.kind == "orphan"
    assert "spring-mysql-renamed isn't in the catalogue any more" in orphan.lines[0]
    assert alarms(standing(series="b"), standing(time=int(TODAY) - 15 * DAY), cell=renamed) == {}


def test_a_value_that_is_stuck_for_thirty_runs_is_seen() -> None:
    assert alarms(standing(values=(10.0,) * 29)) == {}
    (frozen,) = alarms(standing(values=(10.0,) * 30)).values()
    assert frozen.kind == "frozen"


@pytest.mark.parametrize(
    "metric",
    ["pool", "heap-committed", "throughput", "capacity", "os-threads", "statements", "rows-read", "theirs"],
)
def test_what_is_constant_by_design_or_unknown_is_never_frozen(metric: str) -> None:
    assert alarms(standing(metric=metric, values=(200.0,) * 30)) == {}


def test_a_machine_that_changed_is_a_red_canary() -> None:
    moment = Moment(time=1, commit="")
    finding = PublishedFinding(
        kind="regression", state="open", before=moment, since=moment, decided=moment, reference=1.0,
        level=0.8, evidence=12.0, points=9, reason="",
    )  # fmt: skip
    assert list(alarms(standing(metric="speed", findings=(finding,)))) == ["canary"]


CONSTANT = {"pool": 10.0, "heap-committed": 512.0, "throughput": 1000.0, "failures": 0.0, "statements": 1.6}
NIGHTS = 60
NOISE = random.Random(4)


def simulated(
    nights: int, lost: Callable[[Cell, int], bool] = lambda _c, _n: False
) -> Iterator[tuple[float, Now]]:
    """Each morning of a pipeline as bench.yml runs it: what the night's plan has, and a push on two days of
    three. `lost`: whether a cell's run gives no point in a night."""
    series: dict[str, Cell] = {}
    newest: dict[tuple[str, str], Standing] = {}
    for night in range(nights):
        moment = TODAY + night * DAY
        events = ["schedule"] if night % 3 == 0 else ["schedule", "push"]
        for cell in {
            r.cell.name: r.cell for e in events for r in asked(CATALOG, e, {}, "", moment).plan.runs
        }.values():
            if lost(cell, night):
                continue
            series[cell.name] = cell
            for metric in ("p99", "work-cpu-relative", "speed", *CONSTANT):
                value = CONSTANT[metric] if metric in CONSTANT else NOISE.gauss(10, 0.1)
                before = newest.get((cell.name, metric))
                values = (*(before.values if before else ()), value)[-60:]
                newest[cell.name, metric] = standing(
                    series=cell.name, metric=metric, time=int(moment), values=values, value=value
                )
        yield moment + 5 * 3600, history(*newest.values(), cells=series)


@pytest.mark.thorough
def test_two_healthy_months_raise_no_alarm() -> None:
    mornings = list(simulated(NIGHTS))
    assert len(mornings[-1][1].cells) > 50
    assert [alarm for today, now in mornings for alarm in watch(CATALOG, now, today)] == []


@pytest.mark.thorough
def test_a_lane_that_is_lost_in_the_second_month_is_one_alarm() -> None:
    def lost(cell: Cell, night: int) -> bool:
        return night >= 30 and cell.jdk == min(CATALOG.file.jdk)

    kinds = [[a.kind for a in watch(CATALOG, now, today)] for today, now in simulated(NIGHTS, lost)]
    assert kinds[:31] == [[]] * 31
    assert kinds[-1] == ["late"]
    assert all(found in ([], ["late"]) for found in kinds)


REPOSITORY = "/repos/acme/shop"


@pytest.fixture
def api() -> Iterator[Double]:
    with double() as found:
        found.answers = {
            f"GET {REPOSITORY}/issues": [],
            f"POST {REPOSITORY}/issues": {"number": 3},
            f"PATCH {REPOSITORY}/issues/3": {},
        }
        yield found
        assert found.unexpected == []


def issue(title: str, body: str = "old") -> dict[str, Any]:
    return {"number": 3, "title": title, "body": body}


LATE = Alarm(kind="late", lines=("<b>app</b>: the last is of 2026-11-14",))


def test_an_issue_is_opened_once_then_written_anew_then_closed(api: Double) -> None:
    github = GitHub("acme/shop", "secret", api.url)
    assert sync(github, [LATE]) == Done(opened=("late",))
    (opened,) = api.sent("POST", "/issues")
    assert opened["title"] == "Telar: series get no new points"
    assert "<b>" not in opened["body"]
    api.answers[f"GET {REPOSITORY}/issues"] = [issue(opened["title"], opened["body"])]
    assert sync(github, [LATE]) == Done()
    more = Alarm(kind="late", lines=(*LATE.lines, "another"))
    assert sync(github, [more]) == Done(written=("late",))
    assert sync(github, []) == Done(closed=("late",))
    assert api.sent("PATCH", "/issues/3")[-1]["state"] == "closed"


def test_issues_of_others_are_left_alone(api: Double) -> None:
    api.answers[f"GET {REPOSITORY}/issues"] = [
        issue("Something else"),
        {**issue("Telar: series get no new points"), "pull_request": {}},
    ]
    assert sync(GitHub("acme/shop", "secret", api.url), []) == Done()
    assert api.sent("PATCH", "") == []

"""The watchdog: an alarm of each kind, one issue each, closed when it is over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from telar.github.api import GitHub
from telar.github.watchdog import Done, sync
from telar.publish.standing import Moment, Now, Standing, Told
from telar.publish.watch import Alarm, watch
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


def alarms(*found: Standing, variant: str = CELL.variant) -> dict[str, Alarm]:
    cells = {s.series: msgspec.structs.replace(CELL, variant=variant) for s in found}
    now = Now(
        format=1, variants={}, metrics={}, jdks={}, slo_p99_ms=100.0, floors=Floors(), cells=cells,
        standing=found,
    )  # fmt: skip
    return {a.kind: a for a in watch(CATALOG, now, TODAY)}


def test_a_history_that_goes_on_alarms_nobody() -> None:
    assert alarms(standing()) == {}
    assert alarms(standing(metric="failures", values=(0.0,) * 30)) == {}


def test_nothing_at_all_is_an_alarm() -> None:
    assert [a.kind for a in watch(CATALOG, None, TODAY)] == ["empty"]
    assert list(alarms(standing(value=None))) == ["empty"]


def test_a_stopped_runner_is_seen_after_three_days() -> None:
    assert alarms(standing(time=int(TODAY) - 2 * DAY)) == {}
    (late,) = alarms(standing(time=int(TODAY) - 4 * DAY)).values()
    assert (late.kind, late.lines) == ("late", ("app: the last is of 2026-11-14",))


def test_a_renamed_variant_leaves_an_orphan() -> None:
    (orphan,) = alarms(standing(), variant="spring-mysql-renamed").values()
    assert orphan.kind == "orphan"
    assert "spring-mysql-renamed isn't in the catalogue any more" in orphan.lines[0]


def test_a_value_that_is_stuck_for_thirty_runs_is_seen() -> None:
    assert alarms(standing(values=(10.0,) * 29)) == {}
    (frozen,) = alarms(standing(values=(10.0,) * 30)).values()
    assert frozen.kind == "frozen"


def test_a_machine_that_changed_is_a_red_canary() -> None:
    moment = Moment(time=1, commit="")
    told = Told(
        kind="regression", state="open", before=moment, since=moment, decided=moment, reference=1.0,
        level=0.8, evidence=12.0, points=9, reason="",
    )  # fmt: skip
    assert list(alarms(standing(metric="speed", findings=(told,)))) == ["canary"]


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

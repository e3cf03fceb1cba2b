"""What got worse on main is one issue: opened once, grown, closed; never a flood."""

from __future__ import annotations

import calendar
import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.analyse import interval
from telar.analyse.points import series_name
from telar.publish.history import publish
from telar.publish.regressions import began_with
from telar.publish.standing import Now
from telar.store.accepted import Acceptance
from telar.store.files import Session
from telar.store.points import Point
from telar.store.published import Published

from ..cli.conftest import Telar
from ..publish.test_verdict import CATALOG
from ..store.records import CELL, OTHER, plan, record
from .hub import BOT, REPOSITORY, Hub, hub

pytestmark = pytest.mark.thorough

START = calendar.timegm((2026, 3, 1, 12, 0, 0))
DAY = 86_400
VIRTUAL, PLATFORM = series_name(CELL), series_name(OTHER)
BAD, CURED = 40, 52  # the first commits of the worse level, and of the cure
Level = dict[tuple[str, str], float]


def commit(day: int) -> str:
    return f"{day:040x}"


def level(day: int, share: float = 0.2) -> float:
    return 1 + share if BAD <= day < CURED else 1.0


class History:
    """A published history that grows by a commit a day, of several series with a noise of 2 %."""

    def __init__(self, folder: Path, series: dict[tuple[str, str], float]) -> None:
        self.folder, self.series, self.dice = folder, series, random.Random(7)
        self.accepted: tuple[Acceptance, ...] = ()

    def add(self, day: int, moved: float, only: tuple[str, str] | None = None) -> None:
        points = [
            Point(
                series=series, metric=metric, unit="ms", better="smaller", time=float(START + day * DAY),
                commit=commit(day), origin=f"s{day}", environment="e",
                value=value * (moved if only in (None, (series, metric)) else 1.0) * self.noise(),
            )
            for (series, metric), value in self.series.items()
        ]  # fmt: skip
        publish(CATALOG, self.store(), [], points, self.accepted)
        self.name_cells()

    def noise(self) -> float:
        return 1 + self.dice.gauss(0, 0.02)

    def store(self) -> Published:
        return Published(self.folder)

    def name_cells(self) -> None:
        """As publishing records does: points alone don't say what cell they are of."""
        index = json.loads((self.folder / "data" / "index.json").read_text())
        path = self.folder / "data" / index["now"]
        now = json.loads(path.read_text())
        now["cells"] = {VIRTUAL: msgspec.to_builtins(CELL), PLATFORM: msgspec.to_builtins(OTHER)}
        path.write_text(json.dumps(now))


SERIES = {
    (VIRTUAL, "p99"): 10.0, (VIRTUAL, "p50"): 3.0, (VIRTUAL, "max"): 40.0,
    (PLATFORM, "p99"): 11.0, (PLATFORM, "p50"): 3.5,
}  # fmt: skip


@pytest.fixture
def github(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with hub() as own:
        for day in range(80):
            own.line.append(commit(day))
            own.commits[commit(day)] = {"sha": commit(day), "author": {"login": f"dev-{day}"}}
        for name, value in {
            "GITHUB_REPOSITORY": REPOSITORY, "GITHUB_TOKEN": "secret", "GITHUB_API_URL": own.url,
        }.items():  # fmt: skip
            monkeypatch.setenv(name, value)
        yield own


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path / "public", SERIES)


def sync(telar: Telar, history: History, *more: str) -> str:
    said = telar("regressions", history.folder, "--issues", *more)
    assert said.code == 0, said.err
    return said.out


def opened(own: Hub) -> list[dict[str, Any]]:
    return [i for i in own.issues if i["state"] == "open"]


def test_a_fifth_more_over_twelve_commits_is_one_issue_and_closed_after_the_cure(
    github: Hub, history: History, telar: Telar
) -> None:
    first = 0
    for day in range(70):
        history.add(day, level(day))
        sync(telar, history)
        if github.issues and not first:
            first = day
    assert BAD < first < BAD + 10
    (issue,) = github.issues
    assert (issue["state"], issue["state_reason"]) == ("closed", "completed")
    assert commit(BAD)[:12] in issue["title"]
    assert "It is over: the level is back." in github.comments[issue["number"]][-1]["body"]


def test_the_issue_names_commit_author_metric_interval_and_what_to_do(
    github: Hub, history: History, telar: Telar
) -> None:
    for day in range(CURED):
        history.add(day, level(day))
    sync(telar, history)
    (issue,) = github.issues
    text = issue["body"]
    assert f"commit {commit(BAD)}" in text
    assert f"@dev-{BAD}." in text
    assert "request duration" in text.lower() or "p99" in text.lower()
    assert "95 % confidence interval" in text
    assert " ms |" in text
    assert "https://acme.github.io/shop/#/trend?metric=" in text
    assert "./telar accept '" in text
    assert "▁" in text or "█" in text
    assert text.count("\n| [") == 4  # both variants, both metrics that a verdict may rest on, and not max
    assert issue["labels"] == [{"name": "telar-regression"}]
    before = json.dumps(github.issues)
    assert "0 opened, 0 updated, 0 closed" in sync(telar, history)
    assert json.dumps(github.issues) == before


def test_an_issue_grows_with_the_series_that_join_it(github: Hub, history: History, telar: Telar) -> None:
    own = (VIRTUAL, "p99")
    for day in range(BAD + 9):
        history.add(day, level(day), only=own)
    sync(telar, history)
    assert github.issues[0]["body"].count("\n| [") == 1
    again = History(history.folder.with_name("all"), SERIES)
    for day in range(BAD + 9):
        again.add(day, level(day))
    assert "0 opened, 1 updated, 0 closed" in sync(telar, again)
    assert github.issues[0]["body"].count("\n| [") == 4


def test_what_is_accepted_is_over(github: Hub, history: History, telar: Telar) -> None:
    for day in range(CURED):
        history.add(day, level(day))
    sync(telar, history)
    history.accepted = tuple(
        Acceptance(series=s, metric=m, time=float(START + (CURED - 1) * DAY), reason="worth it")
        for s, m in SERIES
    )
    history.add(CURED, 1.2)
    sync(telar, history)
    assert opened(github) == []
    assert "the level was accepted" in github.comments[github.issues[0]["number"]][-1]["body"]


def test_an_issue_that_a_person_closed_stays_closed(github: Hub, history: History, telar: Telar) -> None:
    for day in range(BAD + 9):
        history.add(day, level(day))
    sync(telar, history)
    github.issues[0] |= {"state": "closed", "state_reason": "not_planned"}
    for day in range(BAD + 9, CURED):
        history.add(day, level(day))
        sync(telar, history)
    assert len(github.issues) == 1
    assert opened(github) == []


def test_a_note_in_somebody_elses_issue_is_none(github: Hub, history: History, telar: Telar) -> None:
    for day in range(BAD + 9):
        history.add(day, level(day))
    sync(telar, history)
    github.issues[0]["user"] = {"login": "stranger", "type": "User"}
    sync(telar, history)
    assert [i["user"] for i in github.issues[1:]] == [BOT]


def test_a_quiet_year_opens_nothing(github: Hub, tmp_path: Path, telar: Telar) -> None:
    history = History(tmp_path / "public", SERIES)
    for day in range(120):
        history.add(day, 1.0)
    sync(telar, history)
    assert github.issues == []


def test_never_a_flood(github: Hub, tmp_path: Path, telar: Telar) -> None:
    """Eight commits, six days apart, each worse for a series of its own: five issues, and three that wait."""
    history = History(tmp_path / "public", {(f"tool {n}", "p99"): 10.0 for n in range(8)})
    for day in range(78):
        points = [
            Point(series=s, metric=m, unit="ms", better="smaller", time=float(START + day * DAY),
                  commit=commit(day), origin=f"s{day}", environment="e",
                  value=v * (1.3 if day >= 20 + 6 * n else 1.0) * history.noise())
            for n, ((s, m), v) in enumerate(history.series.items())
        ]  # fmt: skip
        publish(CATALOG, history.store(), [], points, ())
    assert "5 opened, 0 updated, 0 closed, 3 wait, since 5 are open" in sync(telar, history)
    assert len(opened(github)) == 5
    assert "0 opened" in sync(telar, history)


def test_a_webhook_gets_what_was_opened_and_closed(github: Hub, history: History, telar: Telar) -> None:
    for day in range(BAD + 9):
        history.add(day, level(day))
    sync(telar, history, "--webhook", f"{github.url}/hook")
    assert [(h["event"], h["issue"]) for h in github.hooks] == [("opened", github.issues[0]["html_url"])]
    said = telar("regressions", history.folder, "--issues", "--webhook", "http://example.com/x")
    assert said.code == 2
    github.issues.clear()
    said = telar("regressions", history.folder, "--issues", "--webhook", "http://127.0.0.1:9/x")
    assert said.code == 5
    assert "the webhook didn't take it" in said.err
    assert len(github.issues) == 1  # it was opened all the same


def test_the_run_that_a_level_began_with_can_be_run_again(tmp_path: Path) -> None:
    session = Session.create(tmp_path / "data" / "20261121-071806-smoke", plan(CELL))
    name = session.plan.runs[0].name
    session.add(name, record(session=session.id, position=1, repetition=1, validity="valid"))
    store = Published(tmp_path / "out")
    publish(CATALOG, store, [session], [], ())
    now = store.now(Now)
    assert now
    (point,) = [p for p in store.points(store.months[0], "p99") if p.series == VIRTUAL]
    path = began_with(now, store, VIRTUAL, point)
    assert path.endswith(f"/{session.id}/{name}.json.gz")
    packed = (tmp_path / "out" / path).read_bytes()
    assert gzip.decompress(packed) == session.record_path(name).read_bytes()
    assert began_with(now, store, "another tool's", point) == ""


def test_an_interval_holds_the_true_change_nineteen_times_of_twenty() -> None:
    dice, held, small = random.Random(3), 0, 0
    for _ in range(1000):
        before = [10 * (1 + dice.gauss(0, 0.03)) for _ in range(30)]
        after = [12 * (1 + dice.gauss(0, 0.03)) for _ in range(6)]
        found = interval.change(before, after)
        assert found
        held += found.low <= 0.2 <= found.high
        nothing = interval.change(before, [v / 1.2 for v in after])
        assert nothing
        small += nothing.p <= 0.05
    assert 930 <= held <= 970
    assert 30 <= small <= 70
    assert interval.change([1.0, 2.0], [1.0, 2.0, 3.0]) is None
    assert interval.change([0.0, 1.0, 2.0], [1.0, 2.0, 3.0]) is None
    still = interval.change([1.0] * 3, [1.0] * 3)
    assert still
    assert (still.effect, still.p) == (0.0, 1.0)

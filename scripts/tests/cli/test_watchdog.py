"""The watchdog over histories that `telar publish` wrote, with issues as GitHub keeps them: what goes wrong
is told once, and closed when it is cured."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.store import points as store
from telar.store.files import Session

from ..github.double import double
from ..store.records import CELL, plan, put, record
from ..store.test_points import point
from .conftest import Telar

ISSUES = "/repos/acme/shop/issues"
DAY = 86_400.0


class Issues:
    """What a repository does with issues."""

    def __init__(self) -> None:
        self.kept: list[dict[str, Any]] = []

    @property
    def open(self) -> list[str]:
        return [issue["title"] for issue in self.kept if issue["state"] == "open"]

    def answer(self, method: str, path: str, body: Any) -> Any:
        if (method, path) == ("GET", ISSUES):
            return [issue for issue in self.kept if issue["state"] == "open"]
        if (method, path) == ("POST", ISSUES):
            self.kept.append({"number": len(self.kept) + 1, "state": "open", **body})
            return self.kept[-1]
        number = int(path.removeprefix(f"{ISSUES}/").partition("/")[0])
        if method == "PATCH":
            self.kept[number - 1].update(body)
        return self.kept[number - 1]


@pytest.fixture
def issues(monkeypatch: pytest.MonkeyPatch) -> Iterator[Issues]:
    own = Issues()
    with double() as api:
        plain = api.answer

        def answer(method: str, path: str, query: dict[str, str], body: Any) -> Any:
            return own.answer(method, path, body) if ISSUES in path else plain(method, path, query, body)

        monkeypatch.setattr(api, "answer", answer)
        for name, value in {"API_URL": api.url, "TOKEN": "secret", "REPOSITORY": "acme/shop"}.items():
            monkeypatch.setenv(f"GITHUB_{name}", value)
        yield own
        assert api.unexpected == []


@pytest.mark.thorough
def test_a_runner_that_stopped_is_one_issue_until_it_runs_again(
    telar: Telar, tmp_path: Path, issues: Issues
) -> None:
    now = time.time()
    _publish(telar, tmp_path, [now - (10 - n) * DAY for n in range(6)])  # the last of four days ago and more
    assert _watched(telar, tmp_path, issues) == ["Telar: series get no new points"]
    assert _watched(telar, tmp_path, issues) == ["Telar: series get no new points"]
    assert len(issues.kept) == 1
    _publish(telar, tmp_path, [now - 60], start=6)
    assert _watched(telar, tmp_path, issues) == []
    assert issues.kept[0]["state_reason"] == "completed"


@pytest.mark.thorough
def test_a_value_that_is_stuck_is_one_issue_until_it_moves(
    telar: Telar, tmp_path: Path, issues: Issues
) -> None:
    now = time.time()
    _publish(telar, tmp_path, [now - (40 - n) * 3600 for n in range(30)], value=7.0)
    assert _watched(telar, tmp_path, issues) == ["Telar: series don't move at all"]
    _publish(telar, tmp_path, [now - 60], start=30, value=7.1)
    assert _watched(telar, tmp_path, issues) == []


@pytest.mark.thorough
def test_a_renamed_variant_is_one_issue_until_its_old_name_is_long_past(
    telar: Telar, tmp_path: Path, issues: Issues
) -> None:
    now = time.time()
    _publish_runs(
        telar, tmp_path / "yesterday", {"spring-mysql-blocking-loom": now - DAY, CELL.variant: now - 60}
    )
    assert _watched(telar, tmp_path / "yesterday", issues) == ["Telar: series whose variant is gone"]
    assert "spring-mysql-blocking-loom" in issues.kept[0]["body"]
    later = {"spring-mysql-blocking-loom": now - 15 * DAY, CELL.variant: now - 60}
    _publish_runs(telar, tmp_path / "long-past", later)
    assert _watched(telar, tmp_path / "long-past", issues) == []


def _publish_runs(telar: Telar, folder: Path, variants: dict[str, float]) -> None:
    """A session with a run of each variant, that began then."""
    cells = [msgspec.structs.replace(CELL, variant=name) for name in variants]
    session = Session.create(folder / "sessions" / "20990101-000000-smoke", plan(*cells))
    for run, started in zip(session.plan.runs, variants.values(), strict=True):
        made = record(run_id=f"{run.position:016x}", validity="valid", started=started, finished=started + 10)
        put(session, run, made)
    said = telar("publish", "--all", "--data", folder / "sessions", "--to", folder / "public")
    assert said.code == 0, said.err


def _publish(
    telar: Telar, folder: Path, times: list[float], *, start: int = 0, value: float | None = None
) -> None:
    file = folder / f"points-{start}.jsonl"
    store.append(
        file,
        [
            point(time=at, commit=f"{n:040x}", value=value or 10 + (n * 7 % 5) / 50)
            for n, at in enumerate(times, start)
        ],
    )
    said = telar("publish", "--points", file, "--to", folder / "public")
    assert said.code == 0, said.err


def _watched(telar: Telar, folder: Path, issues: Issues) -> list[str]:
    said = telar("watchdog", folder / "public", "--issues")
    assert said.code == 0, said.err
    return issues.open

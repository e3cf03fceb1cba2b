"""What a workflow runs follows from its event and from what changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from telar.catalog import select
from telar.catalog.load import load
from telar.errors import ConfigError
from telar.plan.lanes import tonight
from telar.plan.pipeline import DAY, asked, touched, unseen

CATALOG = load(Path(__file__).parents[3])
BOTH = "spring-mysql-blocking-virtual, quarkus-mysql-blocking-virtual"


def variants(event: str, inputs: dict[str, Any] | None = None, only: str = "") -> list[str]:
    plan = asked(CATALOG, event, inputs or {}, only, 0.0).plan
    return sorted({run.cell.label for run in plan.runs})


def test_a_push_runs_its_suite_or_what_the_repository_narrows_it_down_to() -> None:
    assert variants("push") == sorted(
        v.label for v in select.variants_of(CATALOG, "movies") if v.app.file.database != "postgresql"
    )
    assert variants("push", only=BOTH) == sorted(BOTH.split(", "))
    assert "push" in asked(CATALOG, "push", {}, BOTH, 0.0).why


def test_a_night_runs_its_lanes() -> None:
    for night in range(6):
        found = asked(CATALOG, "schedule", {}, BOTH, night * DAY + 3600.0)
        assert {run.cell.jdk for run in found.plan.runs} == {lane.jdk for lane in tonight(CATALOG, night)}
        assert all(lane.name in found.why for lane in tonight(CATALOG, night))


def test_one_night_in_seven_runs_the_weekly_suite_in_their_place() -> None:
    found = asked(CATALOG, "schedule", {}, BOTH, 6 * DAY + 3600.0)
    assert {run.cell.workload for run in found.plan.runs} == {"movies-ramp", "movies-search"}
    assert "the suite ramp" in found.why
    assert tonight(CATALOG, 6) == ()
    every = {run.cell.variant for run in asked(CATALOG, "schedule", {}, "", 13 * DAY).plan.runs}
    assert len(every) == 14


def test_by_hand_everything_can_be_said() -> None:
    inputs = {"suite": "smoke", "variants": "spring-mysql-*", "jdks": "21,25", "drivers": "mysql=8.0.33",
              "workload": "movies-window", "repeats": "2"}  # fmt: skip
    plan = asked(CATALOG, "workflow_dispatch", inputs, "", 0.0).plan
    cells = [run.cell for run in plan.runs]
    assert {c.jdk for c in cells} == {"21", "25"}
    assert {c.workload for c in cells} == {"movies-window"}
    assert {run.repetition for run in plan.runs} == {1, 2}
    assert {c.drivers["mysql"] for c in cells if "mysql" in c.drivers} == {"8.0.33"}


def test_by_hand_nothing_need_be_said() -> None:
    assert variants("workflow_dispatch", dict.fromkeys(("suite", "variants", "repeats"), "")) == variants(
        "push"
    )


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"suite": "smok"}, "no suite 'smok'"),
        ({"variants": "spring-*-x"}, "no variant"),
        ({"repeats": "0"}, "repeats"),
        ({"repeats": "1; rm -rf /"}, "repeats"),
        ({"sweet": "smoke"}, "no input 'sweet'"),
        ({"jdks": "$(id)"}, "no JDK"),
    ],
)
def test_what_does_not_exist_is_said(inputs: dict[str, str], words: str) -> None:
    with pytest.raises(ConfigError, match=words):
        asked(CATALOG, "workflow_dispatch", inputs, "", 0.0)


def test_another_event_asks_for_nothing() -> None:
    with pytest.raises(ConfigError, match="pull_request"):
        asked(CATALOG, "pull_request", {}, "", 0.0)


MAIN = "src/main/java/dev/telar/movies"


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["docs/method.md", "telar.toml", "apps/README.md"], []),
        ([f"apps/movies/spring-mysql-blocking/{MAIN}/A.java"], ["spring-mysql-blocking-virtual"]),
        # Not in the suite: one launch of it.
        (["apps/movies/spring-mongodb-nonblocking/pom.xml"], ["spring-mongodb-nonblocking-virtual"]),
        (["apps/movies/quarkus-mongodb-nonblocking/pom.xml"], ["quarkus-mongodb-nonblocking-platform"]),
        (["apps/pom.xml"], BOTH.split(", ")),
        (
            ["apps/movies/shared/spring-mysql/java/dev/telar/movies/MovieId.java"],
            ["spring-mysql-blocking-virtual", "spring-mysql-nonblocking-virtual"],
        ),
        (
            ["apps/movies/shared/quarkus/java/dev/telar/movies/Rating.java"],
            [
                "quarkus-mongodb-blocking-virtual",
                "quarkus-mongodb-nonblocking-platform",
                "quarkus-mysql-blocking-virtual",
                "quarkus-mysql-nonblocking-platform",
            ],
        ),
        (["apps/quarkus-parent/pom.xml"], ["quarkus-mysql-blocking-virtual"]),
        # A package may be called test or target, a resource may be Markdown.
        ([f"apps/movies/spring-mysql-blocking/{MAIN}/test/A.java"], ["spring-mysql-blocking-virtual"]),
        ([f"apps/movies/spring-mysql-blocking/{MAIN}/target/A.java"], ["spring-mysql-blocking-virtual"]),
        (["apps/movies/spring-mysql-blocking/src/main/resources/a.md"], ["spring-mysql-blocking-virtual"]),
        # In no artefact.
        (["apps/movies/spring-mysql-blocking/src/test/java/A.java"], []),
        (
            ["apps/movies/spring-mysql-blocking/README.md", "apps/movies/spring-mysql-blocking/target/a.jar"],
            [],
        ),
    ],
)
def test_a_change_touches_the_variants_whose_artefacts_differ_for_it(
    paths: list[str], found: list[str]
) -> None:
    assert sorted(touched(CATALOG, "pull-request", paths)) == sorted(found)
    assert unseen(CATALOG, "pull-request", paths) == ()


def test_what_no_comparison_can_see_is_named() -> None:
    paths = ["apps/Dockerfile", "apps/movies/contract/seed.py", "apps/movies/new/pom.xml", "apps/README.md"]
    every = [*paths, "apps/movies/spring-mysql-blocking/pom.xml", "apps/pom.xml"]
    assert unseen(CATALOG, "pull-request", every) == tuple(paths[:3])
    assert touched(CATALOG, "pull-request", paths) == ()


def test_a_drivers_new_version_touches_the_variants_that_have_it() -> None:
    moved = touched(CATALOG, "pull-request", ["telar.toml"], ["mysql"])
    assert sorted(moved) == sorted(BOTH.split(", "))
    mongo = touched(CATALOG, "pull-request", [], ["mongodb"])
    assert mongo
    assert all("mongodb" in CATALOG.variants[name].app.file.drivers for name in mongo)


def test_a_repository_narrows_pushes_and_nights_to_variants_of_any_suite() -> None:
    for event in ("push", "schedule"):
        assert variants(event, only="spring-mongodb-blocking-virtual") == ["spring-mongodb-blocking-virtual"]

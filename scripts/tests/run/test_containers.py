"""What docker compose takes for one project. Containers themselves run in tests/runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from telar.errors import EnvironmentProblem
from telar.run import containers, pair

from ..store.records import CELL, plan


def test_a_runs_project_is_named_by_its_folder_in_letters_that_docker_takes() -> None:
    found = containers.project_of(Path("/data/logs") / plan(CELL).runs[0].name)
    assert found == "telar-001-spring-mysql-blocking-virtual-movies-short-jdk-25-mysql-9-7-0-r1"
    assert re.fullmatch("[a-z0-9][a-z0-9_-]*", containers.project_of(Path("/data/Fork 1 É.x")))


def test_the_sides_of_a_fork_are_projects_of_their_own() -> None:
    folder = Path("/data/logs/fork-001")
    found = [containers.project_of(pair.side_folder(folder, side)) for side in ("a", "b")]
    assert found == ["telar-fork-001-a", "telar-fork-001-b"]


def test_a_folder_below_root_is_refused_since_services_could_not_enter_it() -> None:
    with pytest.raises(EnvironmentProblem, match="/root"):
        containers.require_reachable(Path("/root/checkout/benchmarks-data/local/x"))
    containers.require_reachable(Path("/rooted/x"))

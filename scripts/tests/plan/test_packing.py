"""Jobs for runners: nothing lost, nothing twice, arms together, within the budget where that can be."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from telar.catalog.load import load
from telar.plan.cells import Plan, Wishes, cell_of, make_plan
from telar.plan.packing import SETTING_UP, Job, pack

CATALOG = load(Path(__file__).parents[3])


def smoke(repeat: int = 1) -> Plan:
    return make_plan(CATALOG, Wishes(suite="smoke", engine="compose", repeat=repeat))


def runs(jobs: tuple[Job, ...]) -> list[tuple[str, int]]:
    return sorted((run.cell.name, run.repetition) for job in jobs for run in job.plan.runs)


@given(st.integers(1, 20), st.floats(60, 20_000), st.integers(1, 4))
def test_every_run_is_in_one_job(runners: int, budget: float, repeat: int) -> None:
    plan = smoke(repeat)
    jobs = pack(CATALOG, plan, runners=runners, budget=budget, measured={})
    assert runs(jobs) == sorted((run.cell.name, run.repetition) for run in plan.runs)
    assert [job.number for job in jobs] == list(range(1, len(jobs) + 1))
    for job in jobs:
        assert [run.position for run in job.plan.runs] == list(range(1, len(job.plan.runs) + 1))


def test_what_is_compared_stays_in_one_job() -> None:
    jobs = pack(CATALOG, smoke(), runners=20, budget=60, measured={})
    homes: dict[str, set[int]] = {}
    for job in jobs:
        for run in job.plan.runs:
            homes.setdefault(CATALOG.variants[run.cell.variant].app.name, set()).add(job.number)
    assert all(len(numbers) == 1 for numbers in homes.values())
    assert len(jobs) == len(homes)


def test_runners_are_all_used_and_get_about_as_much() -> None:
    jobs = pack(CATALOG, smoke(), runners=3, budget=1e6, measured={})
    assert len(jobs) == 3
    lengths = sorted(job.seconds - SETTING_UP for job in jobs)
    assert lengths[-1] <= 4 / 3 * sum(lengths) / 3 + 1


def test_a_budget_makes_more_jobs() -> None:
    whole = pack(CATALOG, smoke(), runners=1, budget=1e6, measured={})
    assert len(whole) == 1
    jobs = pack(CATALOG, smoke(), runners=1, budget=whole[0].seconds / 2, measured={})
    assert len(jobs) > 2
    assert all(job.seconds <= whole[0].seconds / 2 for job in jobs)


def test_measured_durations_count_more_than_guesses() -> None:
    plan = smoke()
    long = plan.runs[0].cell.name
    jobs = pack(CATALOG, plan, runners=2, budget=1e6, measured={long: 50_000.0})
    (own,) = [job for job in jobs if any(run.cell.name == long for run in job.plan.runs)]
    together = {CATALOG.variants[run.cell.variant].app.name for run in own.plan.runs}
    assert together == {CATALOG.variants[plan.runs[0].cell.variant].app.name}


@pytest.mark.parametrize("repeat", [1, 3])
def test_the_cell_is_found_in_a_runs_name(repeat: int) -> None:
    for run in smoke(repeat).runs:
        assert cell_of(f"{run.name}.json") == run.cell.name

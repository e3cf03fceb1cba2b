"""A night split over two machines and merged by `telar publish`: nothing lost, nothing twice, and the same
history as one machine's."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from telar.plan.cells import Plan
from telar.store.files import Session
from telar.store.points import Point
from telar.store.published import Published

from ..store.records import put, record
from .conftest import Telar

STARTED = 1_795_000_000.0
NIGHT = ("smoke", "--engine", "compose", "--jdk", "21,25")


@pytest.mark.thorough
def test_two_shards_of_a_night_become_the_history_of_one_machine(telar: Telar, tmp_path: Path) -> None:
    found = []
    for machines in (1, 2):
        folder = tmp_path / f"of-{machines}"
        # Of one machine the whole in one job; of two as many jobs as they take.
        budget = "2000m" if machines == 1 else "60m"
        words = ("--runners", machines, "--budget", budget, "--to", folder / "plans")
        assert telar("plan", *NIGHT, *words).code == 0
        for job in sorted((folder / "plans").iterdir()):
            _measure(folder / "sessions", job)
        for _ in range(2):  # the second time adds nothing
            said = telar("publish", "--all", "--data", folder / "sessions", "--to", folder / "public")
            assert said.code == 0, said.err
        found.append((len(list((folder / "plans").iterdir())), _history(folder / "public")))
    (alone, whole), (jobs, merged) = found
    assert alone == 1 < jobs
    assert len(whole) > 50
    assert merged == whole
    assert len(merged) == len(set(merged))


def _measure(folder: Path, job: Path) -> None:
    """A session of this job, with made-up values that follow from what is measured alone."""
    plan = msgspec.json.decode(job.read_bytes(), type=Plan)
    session = Session.create(folder / f"20261118-000000-smoke-{job.stem}", plan)
    for run in plan.runs:
        value = 1.0 + sum(run.cell.name.encode()) % 97
        made = record(
            run_id=f"{int(job.stem[4:]):08x}{run.position:08x}", validity="valid", numbers={"p50": value},
            started=STARTED, finished=STARTED + 10,
        )  # fmt: skip
        put(session, run, made)


def _history(folder: Path) -> list[tuple[object, ...]]:
    store = Published(folder)
    points: list[Point] = [p for month in store.months for p in store.points(month)]
    return sorted((p.series, p.metric, p.value, p.runs, p.validity, p.environment) for p in points)

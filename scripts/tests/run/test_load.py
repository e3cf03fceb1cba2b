"""What k6 is told to do."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from telar.catalog.load import load
from telar.catalog.workload import Workload
from telar.run.load import plan_for, scheduled, stages_of

CATALOG = load(Path(__file__).parents[3])
SHORT = CATALOG.workloads["movies-short"]
MOVIES = [w for w in CATALOG.workloads.values() if w.file.system == "movies"]


def test_the_plan_has_the_keys_that_the_script_reads() -> None:
    made = json.loads(plan_for(SHORT, 1001))
    assert set(made) == {"seed", "rows", "timeout", "vus", "mix", "stages"}
    assert (made["seed"], made["rows"], made["timeout"]) == (1001, 999, "2s")
    assert made["vus"] == {"pre_allocated": SHORT.file.vus.pre_allocated}
    assert made["stages"][1] == {"name": "climb-100", "duration": 4, "from": 50, "to": 100}


def test_each_user_is_touched_before_a_window_at_a_rate_that_the_service_is_to_bear_anyway() -> None:
    assert "touch" not in json.loads(plan_for(SHORT, 1))
    assert json.loads(plan_for(SHORT, 1, touch=True))["touch"] == {"rate": 150, "duration": 2.4, "rest": 0.5}
    assert SHORT.seconds == pytest.approx(20 + 2.4 + 0.5)


@pytest.mark.parametrize("workload", MOVIES, ids=lambda w: w.name)
def test_every_user_of_a_workload_is_touched(workload: Workload) -> None:
    assert workload.touching * workload.peak_rate == pytest.approx(workload.file.vus.pre_allocated)


def test_fewer_users_are_touched_in_less_time() -> None:
    made = json.loads(plan_for(SHORT, 1, vus=30, touch=True))
    assert made["vus"] == {"pre_allocated": 30}
    assert made["touch"] == {"rate": 150, "duration": 0.2, "rest": 0.5}


def test_many_users_of_a_slow_load_are_not_waited_for() -> None:
    vus = msgspec.structs.replace(SHORT.file.vus, pre_allocated=100_000)
    many = msgspec.structs.replace(SHORT, file=msgspec.structs.replace(SHORT.file, vus=vus))
    assert many.touching == 5


def test_a_warm_up_has_stages_of_its_own_and_the_workloads_mix() -> None:
    stage = msgspec.structs.replace(SHORT.file.stage[0], name="warm-up", from_=9, to=9, duration=3)
    made = json.loads(plan_for(SHORT, 2, stages=(stage,)))
    assert made["stages"] == [{"name": "warm-up", "duration": 3, "from": 9, "to": 9}]
    assert made["mix"] == {"get": 70, "list": 20, "create": 9, "delete": 1}


@pytest.mark.parametrize("workload", CATALOG.workloads.values(), ids=lambda w: w.name)
def test_a_records_stages_follow_each_other_and_offer_what_is_scheduled(workload: Workload) -> None:
    stages = stages_of(workload)
    assert stages[0].start == 0
    assert stages[-1].end == workload.duration
    assert all(a.end == b.start for a, b in pairwise(stages))
    assert scheduled(stages) == workload.arrivals


@pytest.mark.parametrize("workload", CATALOG.workloads.values(), ids=lambda w: w.name)
def test_every_workloads_script_exports_what_the_plan_asks_for(workload: Workload) -> None:
    script = (workload.folder / workload.file.script).read_text(encoding="utf-8")
    for name in ("default", "handleSummary", "options", "setup", "touch"):
        assert f" {name}" in script

"""The life of a benchmark's run: what its record says, and what becomes of an error."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.catalog.load import load
from telar.errors import EnvironmentProblem, RunError
from telar.plan.cells import Wishes, make_plan
from telar.run.ended import Watched
from telar.run.jmh import cell as cells
from telar.run.jmh.cell import JmhRun
from telar.run.jmh.fork import Launch, Measured
from telar.store.record import Artifact, Benchmark, Series
from telar.tools import components
from telar.tools.components import Component

from ...store.records import record

CATALOG = load(Path(__file__).parents[4])
PLAN = make_plan(CATALOG, Wishes(suite="loom-heaviest", engine="embedded", only=("loom/kotlin-hybrid",)))
FULL = record()


class Engine:
    """What a record asks of an engine."""

    def artifact(self, cell: object) -> Artifact:
        return Artifact(build="kotlin", digest="0" * 64)

    def engine_version(self) -> str:
        return ""


def benchmark(**changes: Any) -> Benchmark:
    found = Benchmark(
        jmh="1.37",
        benchmark="dev.telar.loom.LoomVsCoroutines.hybrid",
        mode="avgt",
        unit="ms/op",
        params={"repeat": "100000", "delay": "100"},
        warmup=(250.0, 200.0),
        iterations=(190.0, 191.0, 190.5, 190.2, 190.1),
        score=190.36,
        error=1.4,
        secondary={},
        invoker="/opt/jdk/bin/java",
        options="",
    )
    return msgspec.structs.replace(found, **changes)


def measured() -> Measured:
    assert FULL.provenance.java
    assert FULL.ruler
    watched = Watched(
        seconds=20.0, series=Series(start=0.0, step=1.0, values={}), limits=None, ruler=FULL.ruler
    )
    return Measured(fork=benchmark(), java=FULL.provenance.java, watched=watched, jfr_bytes=3 * 2**20)


def run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, found: Measured | Exception
) -> tuple[Any, list[Launch]]:
    launches: list[Launch] = []

    def measure(launch: Launch, folder: Path) -> Measured:
        launches.append(launch)
        if isinstance(found, Exception):
            raise found
        return found

    monkeypatch.setattr(cells, "measure", measure)
    monkeypatch.setattr(
        components,
        "set_up",
        lambda *_: Component(name="java", path=tmp_path, version="25", origin="system"),
    )
    made = JmhRun(
        CATALOG,
        Engine(),  # type: ignore[arg-type]
        PLAN,
        PLAN.runs[0],
        session="s",
        folder=tmp_path,
        progress=lambda _: None,
        supersede=lambda *_: None,
    )
    return made.execute(), launches


def test_the_fork_is_launched_as_the_cell_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _, (launch,) = run(monkeypatch, tmp_path, measured())
    assert launch.benchmark == "dev.telar.loom.LoomVsCoroutines.hybrid"
    assert launch.params == {"repeat": "100000", "delay": "100"}
    assert (launch.warmup.count, launch.measured.seconds) == (5, 2)
    assert launch.recorded
    assert "-XX:+AlwaysPreTouch" in launch.flags
    assert launch.cpus == "0-1"


def test_its_record_has_score_recording_and_the_gates_of_benchmarks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made, _ = run(monkeypatch, tmp_path, measured())
    assert (made.kind, made.outcome) == ("jmh", "completed")
    assert made.metrics["score"].value == pytest.approx(190.36)
    assert made.metrics["recording"].value == 3.0
    assert {g.name for g in made.gates} == {"steady", "error", "foreign", "speed", "bounds"}
    assert made.benchmark == benchmark()
    assert made.planned
    assert made.planned.warmup_workload == ""


def test_a_fork_that_fails_leaves_a_record_that_says_why(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made, _ = run(monkeypatch, tmp_path, RunError("JMH ended with exit code 1", hint="its last lines"))
    assert (made.outcome, made.validity) == ("failed", "invalid")
    assert (made.stopped.phase, made.stopped.error) == ("fork", "JMH ended with exit code 1")


def test_what_says_nothing_about_the_cell_leaves_no_record(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with pytest.raises(EnvironmentProblem):
        run(monkeypatch, tmp_path, EnvironmentProblem("the disk is full"))

"""A program's run: what it is called with, what is made of its last line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from telar.catalog.load import load
from telar.errors import RunError
from telar.plan.cells import Wishes, make_plan
from telar.run.ended import Watched
from telar.run.task import cell as cells
from telar.run.task.cell import TaskRun, result_of
from telar.store.record import Record, Series
from telar.tools import components
from telar.tools.components import Component

from ...store.records import record
from ..jmh.test_cell import Engine

CATALOG = load(Path(__file__).parents[4])
PLAN = make_plan(CATALOG, Wishes(suite="safety", engine="embedded", only=("safety/kotlin-naive",)))
RULER = record().ruler
LOG = Path("/run/program.log")


def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, last: str) -> tuple[Record, list[str]]:
    """A run whose program prints `last` in the end; its record, and the program's command."""
    seen: list[Any] = []

    def watch(argv: list[Any], log: Path, **_: object) -> Watched:
        seen.extend(map(str, argv))
        log.write_text(f'openjdk version "25.0.2" 2026-01-20\n9998 of 10000\n{last}\n')
        assert RULER
        return Watched(seconds=3.0, series=Series(start=0.0, step=1.0, values={}), limits=None, ruler=RULER)

    monkeypatch.setattr(cells, "watch", watch)
    home = Component(name="java", path=Path("/opt/jre"), version="25", origin="system")
    monkeypatch.setattr(components, "set_up", lambda *_: home)
    made = TaskRun(
        CATALOG,
        Engine(),  # type: ignore[arg-type]
        PLAN,
        PLAN.runs[0],
        session="s",
        folder=tmp_path,
        progress=lambda _: None,
        supersede=lambda *_: None,
    )
    return made.execute(), seen


def test_the_program_gets_its_launchs_arguments_and_its_workloads_parameters(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made, command = run(monkeypatch, tmp_path, '{"rounds-lost": 3}')
    assert command[0] == "/opt/jre/bin/java"
    assert "-XX:+AlwaysPreTouch" in command
    assert command[-2:] == ["naive", "rounds=20"]
    assert (made.kind, made.outcome) == ("task", "completed")
    assert made.metrics["rounds-lost"].value == 3
    assert made.program
    assert (made.program.params, made.program.result) == ({"rounds": "20"}, {"rounds-lost": 3.0})
    assert {g.name for g in made.gates} == {"foreign", "speed", "bounds"}
    assert made.provenance.java
    assert made.provenance.java.version == "25.0.2"


@pytest.mark.parametrize(
    ("last", "message"),
    [
        ("done", "isn't a JSON object of numbers: 'done'"),
        ("{}", "isn't a JSON object of numbers"),
        ('{"rounds-lost": true}', "isn't a JSON object of numbers"),
        ('{"rounds-lost": NaN}', "isn't a JSON object of numbers"),
        ('{"rounds-lst": 3}', "there is no metric 'rounds-lst' of programs"),
        ('{"p99": 3}', "there is no metric 'p99' of programs"),
    ],
)
def test_a_last_line_that_says_nothing_fails_the_run(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, last: str, message: str
) -> None:
    made, _ = run(monkeypatch, tmp_path, last)
    assert made.outcome == "failed"
    assert made.stopped
    assert message in made.stopped.error
    assert "program.log" in made.stopped.error


def test_an_empty_log_has_no_result() -> None:
    with pytest.raises(RunError, match=r"/run/program\.log: .*isn't a JSON object"):
        result_of("", LOG)

"""What commands print: for people, and the same for machines."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from telar.catalog.load import load
from telar.store.files import Session

from ..store.records import CELL, STOP, latency, plan, put, record
from .conftest import Telar

CATALOG = load(Path(__file__).parents[3])


def rows(text: str) -> list[list[str]]:
    """The cells of a table's lines: columns stand two spaces or more apart."""
    return [re.split(r"\s{2,}", line.strip()) for line in text.splitlines() if line.strip()]


# ---- plan


def test_the_smoke_suite_is_fourteen_runs(telar: Telar) -> None:
    said = telar("plan", "smoke", "--engine", "embedded")
    assert said.code == 0
    assert "14 runs, 47 min of load, order drawn with seed 1" in said.out
    assert [row[0] for row in rows(said.out)[1:15]] == [str(n) for n in range(1, 15)]


def test_a_plan_for_machines_is_the_table(telar: Telar) -> None:
    wishes = ("plan", "smoke", "--engine", "embedded", "--jdk", "21,25", "--only", "spring-mysql-*")
    made = json.loads(telar(*wishes, "--json").out)
    table = rows(telar(*wishes).out)
    expected = [
        [
            str(run["position"]),
            str(run["repetition"]),
            cell["variant"],
            cell["workload"],
            cell["jdk"],
            " ".join(f"{n} {v}" for n, v in cell["drivers"].items()),
            cell["engine"],
        ]
        for run in made["runs"]
        for cell in (run["cell"],)
    ]
    assert table[0] == ["#", "round", "variant", "workload", "JDK", "drivers", "engine"]
    assert table[1:-1] == expected
    assert len(expected) == 8


def test_without_a_suite_the_default_one_is_planned(telar: Telar) -> None:
    assert json.loads(telar("plan", "--json").out)["suite"] == "quickstart"


@pytest.mark.parametrize("said", [("mysql=8.0.33,9.7.0",), ("mysql=8.0.33,mysql=9.7.0",)])
def test_versions_of_a_driver_can_be_listed(telar: Telar, said: tuple[str, ...]) -> None:
    wishes = ("plan", "smoke", "--engine", "embedded", "--only", "spring-mysql-blocking-virtual", "--json")
    made = json.loads(telar(*wishes, "--driver", *said).out)
    assert {run["cell"]["drivers"]["mysql"] for run in made["runs"]} == {"8.0.33", "9.7.0"}


def test_arms_of_flags_are_planned_beside_one_another(telar: Telar) -> None:
    wishes = ("plan", "smoke", "--engine", "embedded", "--only", "spring-mysql-blocking-virtual")
    arms = ("--flags=-XX:+UseG1GC", "--flags=-XX:+UseZGC -Xmx400m")
    made = json.loads(telar(*wishes, *arms, "--json").out)
    wanted = [["-XX:+UseG1GC"], ["-XX:+UseZGC", "-Xmx400m"]]
    assert sorted(run["cell"]["flags"] for run in made["runs"]) == wanted
    assert "-XX:+UseZGC -Xmx400m" in telar(*wishes, *arms).out
    wrong = telar(*wishes, "--flags=UseZGC")
    assert wrong.code == 2
    assert "--flags UseZGC: 'UseZGC' is no flag of a JVM" in wrong.err


# ---- list


@pytest.mark.parametrize("kind", ["variants", "suites", "workloads", "jdks", "drivers", "metrics", "runners"])
def test_a_list_for_machines_is_the_table(telar: Telar, kind: str) -> None:
    entries = json.loads(telar("list", kind, "--json").out)
    title, *table = rows(telar("list", kind).out)
    assert title == [kind]
    assert table[0] == list(entries[0])
    # A long last cell goes on in lines of its own.
    words = " ".join(" ".join(row) for row in table[1:]).split()
    assert sorted(words) == sorted(" ".join(str(v) for e in entries for v in e.values()).split())


@pytest.mark.thorough
def test_the_list_of_everything_has_every_list(telar: Telar) -> None:
    everything = json.loads(telar("list", "--json").out)
    for kind, entries in everything.items():
        assert entries == json.loads(telar("list", kind, "--json").out)
    assert len(everything["variants"]) == len(CATALOG.variants)


# ---- report


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two sessions; in the later one a run failed."""
    folder = tmp_path / "data"
    old = Session.create(folder / "20261120-080000-smoke", plan(CELL))
    put(old, old.plan.runs[0], record())
    new = Session.create(folder / "20261121-080000-smoke", plan(CELL, CELL, CELL))
    first, second, third = new.plan.runs
    put(new, first, record(latencies=(latency([1000, 2000, 123_456]),)))
    put(new, second, record(latencies=(latency([3000]),)))
    put(new, third, record(outcome="failed", stopped=STOP, load=None, latencies=()))
    return folder


def test_a_report_for_machines_says_what_the_tables_say(telar: Telar, data: Path) -> None:
    (summary,) = json.loads(telar("report", "--data", data, "--json").out)
    assert (summary["runs"], summary["failed_runs"], summary["iterations"]) == (3, 1, 998)
    said = telar("report", "--data", data)
    assert said.code == 0
    for metric, digits in (("p50", 2), ("p99", 2), ("failures", 0), ("dropped", 0)):
        assert f" {summary['metrics'][metric]:,.{digits}f} " in said.out
    assert summary["cell"]["variant"] in said.out
    assert "MariaDB 11.4.3" in said.out


def test_a_report_is_of_the_last_session_unless_another_is_named(telar: Telar, data: Path) -> None:
    def runs(*arguments: str) -> Any:
        return json.loads(telar("report", *arguments, "--data", data, "--json").out)[0]["runs"]

    assert runs() == 3
    assert runs("20261120-080000-smoke") == 1


def test_a_report_is_written_beside_its_records(telar: Telar, data: Path) -> None:
    telar("report", "--data", data)
    folder = data / "20261121-080000-smoke"
    assert CELL.variant in (folder / "report.md").read_text(encoding="utf-8")
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")


# ---- doctor


@pytest.mark.thorough
def test_the_doctor_tells_machines_what_it_tells_people(telar: Telar) -> None:
    said, machine = telar("doctor"), telar("doctor", "--json")
    assert said.code == machine.code
    found = json.loads(machine.out)
    assert found["catalogue"]["variants"] == len(CATALOG.variants)
    for component in found["components"]:
        assert component["name"] in said.out
        assert component["version"] in said.out
        assert (component["state"] == "found") == bool(component["where"])
    assert f"the catalogue holds: {len(CATALOG.variants)} variants" in said.out

"""`telar bisect` and `attribute`: what they ask, and what they make of answers. Sessions stand in for real
ones.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from telar.analyse.verdicts import Compared, Verdict
from telar.cli import comparing
from telar.cli.comparing import Measured
from telar.plan.cells import Cell, Plan
from telar.store import evidence
from telar.store.files import Session

from .conftest import Telar

ONE = ("--engine", "embedded", "--only", "spring-mysql-blocking-virtual")


class Machine:
    """In place of measuring: a cell's cost is what the test says, and known within 1 % by each metric, unless
    the test says another error.
    """

    def __init__(self, folder: Path) -> None:
        self.session = folder / "20261125-040000-search"
        self.cost: Callable[[Cell], float] = lambda cell: 1.0
        self.errors = {"service-cpu-relative": 0.01}
        self.matters: float | None = 0.05
        self.asked: list[tuple[Cell, Cell]] = []

    def __call__(
        self,
        c: object,
        name: str,
        plan: Plan,
        designed: object,
        kept: Path,
        *,
        verbose: bool,
        enough: Callable[[list[Compared]], bool],
    ) -> Measured:
        cells: dict[int, dict[str, Cell]] = {}
        for run in plan.runs:
            assert run.pair
            cells.setdefault(run.pair.fork, {})[run.pair.side] = run.cell
        pairs = {(own["a"].name, own["b"].name): (own["a"], own["b"]) for own in cells.values()}
        self.asked += pairs.values()
        found = [self.compared(a, b) for a, b in pairs.values()]
        enough(found)
        return Measured(session=Session(self.session), records=[], compared=found, minutes=1.0)

    def compared(self, base: Cell, head: Cell) -> Compared:
        effect = self.cost(head) / self.cost(base) - 1
        given: dict[str, Any] = {
            "word": "undecided",
            "tier": "gate",
            "base": 1.0,
            "head": 1 + effect,
            "effect": effect,
            "low": effect - 0.02,
            "high": effect + 0.02,
            "matters": self.matters,
            "smallest": 0.03,
            "p": 0.5,
            "q": 0.5,
        }
        return Compared(
            base=base,
            head=head,
            forks=2,
            pairs=8,
            moved=0,
            left_out=0,
            refused=(),
            verdicts=tuple(Verdict(metric=m, error=e, **given) for m, e in self.errors.items()),
            beside=(),
        )


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Machine:
    fake = Machine(tmp_path)
    monkeypatch.setattr(comparing, "measure", fake)
    return fake


def test_the_first_slow_version_of_a_driver_is_named(telar: Telar, machine: Machine) -> None:
    slow = {"9.0.0", "9.1.0", "9.7.0"}
    machine.cost = lambda cell: 1.2 if cell.drivers["mysql"] in slow else 1.0
    said = telar("bisect", "driver=mysql=8.0.33", "driver=mysql=9.7.0", *ONE, "--json")
    assert said.code == 0
    found = json.loads(said.out)
    assert (found["first_bad"], found["metric"]) == ("driver=mysql=9.0.0", "service-cpu-relative")
    assert found["sure"] > 0.95
    assert len(machine.asked) <= 1 + math.ceil(math.log2(5))
    assert all(base.drivers["mysql"] == "8.0.33" for base, _ in machine.asked)
    page = evidence.read(machine.session / evidence.FILE)
    assert (page.kind, page.word, page.base) == ("search", "found", "driver=mysql=8.0.33")
    assert "driver=mysql=9.0.0 is the first bad one" in page.headline
    assert {f.name: f.word for f in page.figures}["driver=mysql=9.0.0"] == "bad"
    assert page.figures[-1].effect == pytest.approx(0.2)


@pytest.mark.thorough
def test_the_metric_is_the_one_that_tells_the_ends_apart_unless_it_is_said(
    telar: Telar, machine: Machine
) -> None:
    machine.cost = lambda cell: 1.2 if cell.jdk == "27" else 1.0
    machine.errors = {"p99": 0.05, "p50": 0.01, "p95": 0.02}
    ends = ("bisect", "jdk=21", "jdk=27", *ONE, "--json")
    assert json.loads(telar(*ends).out)["metric"] == "p50"
    assert json.loads(telar(*ends, "--metric", "p99").out)["metric"] == "p99"
    machine.matters = None
    said = telar(*ends)
    assert (said.code, "no metric that matters can be estimated" in said.err) == (5, True)


def test_where_the_ends_are_alike_there_is_nothing_to_search_for(telar: Telar, machine: Machine) -> None:
    said = telar("bisect", "jdk=21", "jdk=27", *ONE)
    assert (said.code, "too little to search for" in said.err) == (5, True)
    assert len(machine.asked) == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("jdk=21", "driver=mysql=9.7.0"), "not on one axis"),
        (("jdk=27", "jdk=21"), "doesn't come after"),
        (("flags=-Xss1m", "flags=-Xss2m"), "no axis 'flags'"),
        (("jdk=21", "jdk=8"), "no version of the JDK '8'"),
    ],
)
def test_ends_that_make_no_row_are_refused(
    telar: Telar, machine: Machine, words: tuple[str, ...], said: str
) -> None:
    found = telar("bisect", *words, *ONE)
    assert (found.code, said in found.err) == (2, True), found.err


def test_a_search_is_of_one_variant(telar: Telar, machine: Machine) -> None:
    said = telar("bisect", "jdk=21", "jdk=27", "--engine", "embedded")
    assert (said.code, "say one with --only" in said.err) == (2, True)


SIDES = (
    "--base",
    "jdk=21",
    "--base",
    "driver=mysql=8.0.33",
    "--head",
    "jdk=25",
    "--head",
    "driver=mysql=9.7.0",
)


def test_each_factor_is_asked_alone_and_all_together(telar: Telar, machine: Machine) -> None:
    machine.cost = lambda cell: 1.1 if cell.drivers["mysql"] == "9.7.0" else 1.0
    said = telar("attribute", *SIDES, *ONE, "--json")
    assert said.code == 0, said.err
    assert {(h.jdk, h.drivers["mysql"]) for _, h in machine.asked} == {
        ("25", "8.0.33"),
        ("21", "9.7.0"),
        ("25", "9.7.0"),
    }
    (found,) = json.loads(said.out).values()
    parts = found["parts"]
    assert found["metric"] == "service-cpu-relative"
    assert [p["name"] for p in parts] == ["driver mysql", "jdk", "interaction", "all together"]
    assert parts[0]["effect"] == pytest.approx(0.1)
    assert parts[2]["effect"] == pytest.approx(0, abs=1e-9)


def test_the_factors_are_told_as_a_table(telar: Telar, machine: Machine) -> None:
    machine.cost = lambda cell: 1.1 if cell.jdk == "25" else 1.0
    said = telar("attribute", *SIDES, *ONE)
    assert said.code == 0
    assert "jdk           +10.0%" in said.out


@pytest.mark.thorough
def test_factors_are_asked_of_the_metric_that_all_together_move_the_surest(
    telar: Telar, machine: Machine
) -> None:
    machine.cost = lambda cell: 1.1 if cell.jdk == "25" else 1.0
    machine.errors = {"p99": 0.05, "p50": 0.01}
    said = [telar("attribute", *SIDES, *ONE, "--json", *more) for more in ((), ("--metric", "p99"))]
    found = [json.loads(each.out)["spring-mysql-blocking-virtual"] for each in said]
    assert [each["metric"] for each in found] == ["p50", "p99"]
    machine.matters = None
    nothing = telar("attribute", *SIDES, *ONE)
    assert (nothing.code, "no metric that matters can be estimated" in nothing.err) == (5, True)


def test_one_factor_needs_no_attribution(telar: Telar, machine: Machine) -> None:
    said = telar("attribute", "--base", "jdk=21", "--head", "jdk=25", *ONE)
    assert (said.code, "the sides differ in jdk alone" in said.err) == (2, True)

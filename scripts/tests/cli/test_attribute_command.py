"""What a verdict says to do about several bumps is a command that telar takes."""

from __future__ import annotations

import shlex

import msgspec

from telar.cli import answer
from telar.cli.attribute import attribute
from telar.plan.cells import Pair, Plan

from ..store.records import CELL, plan


def of_pairs() -> Plan:
    made = plan(CELL, CELL)
    sides = (Pair(fork=1, window=1, side="a"), Pair(fork=1, window=1, side="b"))
    runs = (msgspec.structs.replace(run, pair=pair) for run, pair in zip(made.runs, sides, strict=True))
    return msgspec.structs.replace(made, suite="pull-request", runs=tuple(runs))


def test_the_command_of_a_comparison_is_one_of_an_attribution_too() -> None:
    said = answer.command(of_pairs(), ("main",), ("HEAD", "driver=mysql=9.7.0"))
    assert said.startswith("./telar ab ")
    _, _, *words = shlex.split(said.replace("./telar ab", "./telar attribute", 1))
    asked = attribute.make_context("attribute", words).params
    assert (asked["base_words"], asked["head_words"]) == (("main",), ("HEAD", "driver=mysql=9.7.0"))
    assert list(asked["only"]) == [CELL.label]

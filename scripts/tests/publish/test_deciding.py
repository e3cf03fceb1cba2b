"""What is said of a comparison that left something open."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from telar.catalog.load import load
from telar.publish.deciding import lines, worth
from telar.publish.verdict import markdown

from .test_verdict import STILL, compared, comparison, verdict

CATALOG = load(Path(__file__).parents[3])
OPEN = verdict(word="undecided", effect=0.04, low=-0.02, high=0.1, smallest=0.08)
COMMAND = "./telar ab --base main"


def said(*found: object, minutes: float = 10.0) -> list[str]:
    return list(lines(CATALOG, found, COMMAND, minutes))  # type: ignore[arg-type]


def test_a_budget_would_decide_what_is_nearly_seen() -> None:
    # (log 1.08 / log 1.04)² = 3.85 times ten minutes
    assert said(compared(OPEN, STILL)) == [f"What would decide p50: {COMMAND} --budget 40m"]
    assert said(compared(OPEN, STILL), compared(OPEN), minutes=20.0) == [
        f"What would decide p50: {COMMAND} --budget 40m"
    ]


def test_of_several_the_longest_budget_that_is_worth_the_wait_is_said_and_the_others_are_named() -> None:
    quick = verdict(metric="allocated", word="undecided", effect=0.07, smallest=0.08)
    never = verdict(metric="p99", word="undecided", effect=0.001, smallest=0.5, error=0.2, matters=0.15)
    assert said(compared(quick, OPEN, never)) == [
        f"What would decide allocated per request, p50: {COMMAND} --budget 40m",
        "It would take more than 2 hours of this comparison to decide p99.",
    ]


def test_a_calibration_would_decide_what_has_a_noise_that_is_not_known() -> None:
    unknown = verdict(
        word="undecided", tier="unknown", low=None, high=None, error=None, smallest=None, p=None
    )
    (line,) = said(compared(unknown))
    assert line.startswith(
        "What would decide p50, whose noise isn't known here: ./telar calibrate pull-request "
    )
    assert "--only spring-mysql-blocking-virtual" in line


def test_where_nothing_is_open_nothing_is_said() -> None:
    assert said(compared(verdict(), STILL)) == []
    counted = verdict(metric="failures", tier="counted", word="undecided", effect=None, error=None)
    assert said(compared(counted, STILL)) == []


def test_where_so_few_pairs_can_see_nothing_it_is_said_what_would() -> None:
    counted = verdict(metric="failures", tier="counted", word="same", effect=None, error=None)
    blind = msgspec.structs.replace(compared(counted), beside=(OPEN,))
    assert said(blind) == [f"What would decide it: more pairs: {COMMAND} --budget 20m"]
    guessed = msgspec.structs.replace(blind, beside=(msgspec.structs.replace(OPEN, tier="unknown"),))
    (line,) = said(guessed)
    assert line.startswith("What would decide it, whose noise isn't known here: ./telar calibrate ")


@pytest.mark.parametrize(("pairs", "count"), [(0, 1), (1, 1), (2, 0)])
def test_a_disturbance_is_named_where_it_has_left_hardly_a_pair(pairs: int, count: int) -> None:
    found = list(worth((compared(STILL, pairs=pairs, left_out=3, refused=("foreign (5)", "status (1)")),)))
    assert len(found) == count
    assert all(line.startswith("In 5 windows something else used the machine.") for line in found)


def test_the_comment_on_a_pull_request_has_the_command_as_code() -> None:
    text = markdown(CATALOG, comparison(compared(OPEN, STILL)))
    assert "What would decide p50: `./telar ab --base main --budget 55m`" in text
    assert "What would decide" not in markdown(CATALOG, comparison(compared(verdict(), OPEN)))


def test_in_markdown_what_has_no_interval_is_a_line_and_not_a_table_of_dashes() -> None:
    unknown = {"low": None, "high": None, "error": None, "smallest": None, "p": None, "matters": None}
    bare = verdict(metric="gc-count", word="undecided", tier="unknown", base=3.0, head=5.0, **unknown)
    text = markdown(CATALOG, comparison(compared(STILL, beside=(bare,) * 29)))
    assert "29 without an interval" in text
    assert text.count("| – |") == 0

"""The search for the highest rate that is held: what it tries, and what it takes for held."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from telar.catalog.load import load
from telar.catalog.workload import SearchFile
from telar.run.http.search import Search, holds

from ..collect.test_metrics import FOUR, results

RULES = SearchFile(start=100, most=3200, step=2, refine=3, seconds=8, p99_ms=25, matters=0.05)
CATALOG = load(Path(__file__).parents[3])


def tried(limit: int, rules: SearchFile = RULES) -> list[int]:
    """The rates that are tried of a service that holds up to the limit."""
    search, found = Search(rules), list[int]()
    while (rate := search.next) is not None:
        found.append(rate)
        search.tried(rate, held=rate <= limit)
    return found


def test_it_goes_up_in_steps_and_halves_what_is_left() -> None:
    assert tried(1000) == [100, 200, 400, 800, 1600, 1131, 951, 1037]
    assert tried(800) == [100, 200, 400, 800, 1600, 1131, 951, 872]


def test_it_ends_where_the_first_rate_is_not_held_or_the_last_one_is() -> None:
    assert tried(99) == [100]
    assert tried(10_000) == [100, 200, 400, 800, 1600, 3200]
    assert tried(150, msgspec.structs.replace(RULES, refine=0)) == [100, 200]
    assert tried(10, msgspec.structs.replace(RULES, start=10, most=12, step=1.05)) == [10, 11]


@pytest.mark.parametrize("limit", range(100, 3200, 37))
def test_what_it_finds_is_as_near_as_the_rules_say(limit: int) -> None:
    held = max(rate for rate in tried(limit) if rate <= limit)
    assert limit / held < 2 ** (1 / 8) * 1.01  # a step of two, halved three times


def test_a_rate_is_held_when_all_is_answered_and_fast_enough() -> None:
    assert holds(results(FOUR), RULES)
    assert not holds(results(FOUR), msgspec.structs.replace(RULES, p99_ms=5))
    assert not holds(results(FOUR, dropped_at=[1001.0]), RULES)
    failed = results(FOUR)
    failed.failures["get", "hold-1", "server", "timeout"] += 1
    assert not holds(failed, RULES)


def test_the_searching_workload_is_as_long_as_it_says_about() -> None:
    workload = CATALOG.workloads["movies-search"]
    search = workload.file.search
    assert search
    steps = len(tried(2000, search))
    assert workload.duration == pytest.approx(
        steps * (search.seconds + 4), rel=0.3
    )  # k6's start and its users
    assert workload.file.vus.pre_allocated >= 2000 * search.p99_ms / 1000

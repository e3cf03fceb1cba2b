"""A search with noise: it finds the first bad one as often as it says."""

from __future__ import annotations

import math
import random

import pytest

from telar.analyse import bisection
from telar.analyse.bisection import Answer


@pytest.mark.parametrize("first", range(12))
def test_without_noise_the_first_bad_one_is_found_in_four_steps(first: int) -> None:
    def ask(number: int) -> Answer:
        return Answer(candidate=number, side="bad" if number >= first else "good", nats=9.0)

    found, asked = bisection.first_bad(12, ask)
    assert found == first
    assert len(asked) <= 4


def test_a_candidate_halfway_tells_nothing_and_one_at_an_end_the_more_the_smaller_the_error() -> None:
    assert bisection.nats(0.05, 0.02, 0.10) == pytest.approx(0)
    assert bisection.nats(0.10, 0.02, 0.10) == pytest.approx(12.5)
    assert bisection.nats(0.00, 0.02, 0.10) == pytest.approx(-12.5)
    assert bisection.nats(-0.10, 0.02, -0.10) == pytest.approx(12.5)
    assert bisection.nats(0.1, 0.0, 0.1) == math.inf


def test_the_search_goes_wrong_no_more_often_than_it_says() -> None:
    """Pairs come in with noise as large as the effect, until a candidate is told."""
    dice, wrong, searches, miss = random.Random(1), 0, 300, 0.05
    whole, noise, enough = 0.10, 0.10, bisection.needed(12, miss)
    for _ in range(searches):
        truth = dice.randrange(12)

        def ask(number: int, truth: int = truth) -> Answer:
            values: list[float] = []
            while True:
                values.append(dice.gauss(whole if number >= truth else 0.0, noise))
                mean = sum(values) / len(values)
                found = bisection.nats(mean, noise / math.sqrt(len(values)), whole)
                if abs(found) >= enough:
                    return Answer(candidate=number, side="bad" if found > 0 else "good", nats=found)

        wrong += bisection.first_bad(12, ask)[0] != truth
    assert wrong / searches <= miss

"""Histograms against the plain list of values that went in."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telar.analyse.histogram import HIGHEST, encode, merged, of, percentile_ms

# Microseconds: mostly a service's, some of a service in trouble.
MICROSECONDS = st.one_of(st.integers(1, 20_000), st.integers(1, HIGHEST))
SAMPLES = st.lists(MICROSECONDS, min_size=1, max_size=300)
PERCENTILES = st.sampled_from([1.0, 50.0, 90.0, 95.0, 99.0, 99.9, 100.0])

fast = settings(max_examples=100, deadline=None)


def brute(values: list[int], percentile: float) -> int:
    """The least value that so many percent stayed under or met."""
    rank = ceil(Fraction(str(percentile)) * len(values) / 100)
    return sorted(values)[rank - 1]


@fast
@given(SAMPLES, PERCENTILES)
def test_a_percentile_is_the_sorted_lists_within_the_precision(values: list[int], percentile: float) -> None:
    exact = brute(values, percentile)
    found = round(percentile_ms(of(values), percentile) * 1000)
    # Rounded up to the end of its bucket, which is at most a thousandth wide.
    assert exact <= found <= exact * 1.001


@fast
@given(st.lists(st.lists(MICROSECONDS, max_size=100), min_size=1, max_size=5))
def test_merging_loses_nothing(parts: list[list[int]]) -> None:
    together = of(v for part in parts for v in part)
    apart = merged(encode(of(part)) for part in parts)
    assert apart.total_count == sum(map(len, parts))
    assert encode(apart) == encode(together)  # which is every bucket's count


@pytest.mark.parametrize("count", [1, 2, 100, 160, 600, 1000])
def test_never_more_requests_lie_above_a_percentile_than_it_says(count: int) -> None:
    values = list(range(1, count + 1))  # below 2 ms every microsecond has a bucket of its own
    for percentile in (50.0, 95.0, 99.0, 99.9):
        found = percentile_ms(of(values), percentile) * 1000
        above = sum(v > found + 0.5 for v in values)
        assert above <= count * (100 - percentile) / 100 + 1e-9


def test_what_is_beyond_a_minute_counts_as_a_minute_and_nothing_is_lost() -> None:
    h = of([0.2, 3e9, 59_999_999.6])
    assert h.total_count == 3
    assert percentile_ms(h, 100) == pytest.approx(60_000, rel=0.001)
    assert percentile_ms(h, 1) == 0.001


def test_of_nothing_every_percentile_is_zero() -> None:
    assert percentile_ms(of([]), 99) == 0
    assert percentile_ms(merged([]), 99) == 0
    assert percentile_ms(merged([encode(of([]))]), 99) == 0


def test_an_encoded_histogram_is_short_ascii() -> None:
    text = encode(of(range(1, 100_000, 7)))
    assert text.isascii()
    assert len(text) < 10_000

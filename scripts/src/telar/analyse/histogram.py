"""Latency histograms: HdrHistogram, microseconds, up to a minute, 3 significant digits (≤ 0.1 % error).

Percentiles are computed from histograms, and histograms are merged; percentiles are never averaged.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil

from hdrh.histogram import HdrHistogram

LOWEST, HIGHEST, DIGITS = 1, 60_000_000, 3


def of(microseconds: Iterable[float]) -> HdrHistogram:
    """A histogram of latencies in microseconds; what is over a minute counts as a minute."""
    histogram = HdrHistogram(LOWEST, HIGHEST, DIGITS)
    for value in microseconds:
        histogram.record_value(min(max(round(value), LOWEST), HIGHEST))
    return histogram


def encode(histogram: HdrHistogram) -> str:
    encoded: bytes = histogram.encode()
    return encoded.decode("ascii")


def merged(encoded: Iterable[str]) -> HdrHistogram:
    """One histogram of all that the encoded ones hold."""
    total = HdrHistogram(LOWEST, HIGHEST, DIGITS)
    for text in encoded:
        total.add(HdrHistogram.decode(text.encode("ascii")))
    return total


def percentile_ms(histogram: HdrHistogram, percentile: float) -> float:
    """The latency in milliseconds that `percentile` percent of the requests stayed under or met."""
    if not histogram.total_count:
        return 0.0
    # The library takes the nearest rank, which may be one too low: one request too many above it.
    rank = ceil(round(percentile * histogram.total_count / 100, 6))
    value = histogram.get_value_at_percentile(100 * rank / histogram.total_count)
    return float(value) / 1000

"""Whether the score of a fork of a benchmark can be believed.

JMH's error bar is the spread of the iterations within one JVM. It doesn't say what another JVM would score
(the gate *repeats* asks for several), nor whether this one had come to rest.
"""

from __future__ import annotations

from statistics import fmean

from telar.catalog.types import Catalog
from telar.gates.evidence import gate
from telar.store.record import Benchmark, Gate, Record

HALVES = 4  # iterations, of which two halves can be compared


def benchmark_of(record: Record) -> Benchmark:
    """Of a completed run of the kind jmh, which has one (store/sound.py)."""
    assert record.benchmark is not None
    return record.benchmark


def steady(record: Record, catalog: Catalog) -> Gate:
    """The second half of the measured iterations scored as the first did: the JVM had come to rest."""
    fork, limit = benchmark_of(record), catalog.file.gate.score.moved
    expected = f"halves within {limit:.0%} of each other"
    count = len(fork.iterations)
    if count < HALVES:
        advice = f"whether the JVM had come to rest is unknown: measure {HALVES} iterations or more"
        return gate("steady", "warn", f"{count} measured", expected=expected, advice=advice)
    first, second = fmean(fork.iterations[: count // 2]), fmean(fork.iterations[(count + 1) // 2 :])
    moved = second / first - 1 if first else 0.0
    return gate(
        "steady",
        "fail" if abs(moved) > limit else "pass",
        f"the second half {moved:+.1%}, after {len(fork.warmup)} iterations of warm-up",
        expected=expected,
        advice="the JVM still compiled, or the machine changed: warm up longer",
    )


def error(record: Record, catalog: Catalog) -> Gate:
    """JMH's error bar is narrow beside the score."""
    fork, limit = benchmark_of(record), catalog.file.gate.score.error
    expected = f"± {limit:.0%} at most"
    if fork.error is None or not fork.score:
        advice = "one iteration has no spread: measure several"
        return gate("error", "warn", "not known", expected=expected, advice=advice)
    share = fork.error / abs(fork.score)
    return gate(
        "error",
        "warn" if share > limit else "pass",
        f"± {share:.1%} over {len(fork.iterations)} iterations",
        expected=expected,
        advice="the iterations scatter: more or longer ones, on a quieter machine",
    )

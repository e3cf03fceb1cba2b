"""Whether a fork's score can be believed, and a benchmark's forks together. Pure: numbers in, verdicts out.

JMH's error bar is the spread of the iterations within one JVM. It doesn't say what another JVM would score,
nor whether this one had come to rest: both are asked here.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

import msgspec

from telar.collect.jmh import Fork
from telar.gates.evidence import gate
from telar.store.record import Gate

HALVES = 4  # iterations, of which two halves can be compared


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """Thresholds."""

    moved: float = 0.05  # share by which the halves of the measured iterations may differ
    error: float = 0.10  # of the score: half of JMH's 99.9 % confidence interval
    forks: int = 3  # as the gate *repeats* asks of every arm


def planned(fork: Fork, benchmark: str, params: dict[str, str]) -> Gate:
    """The benchmark and the parameters are those that were asked for."""
    asked, got = _named(benchmark, params), _named(fork.benchmark, fork.params)
    advice = "the artefact has another benchmark of that name, or none: build it again"
    verdict = "pass" if asked == got else "fail"
    return gate("planned", verdict, got, expected=asked, advice=advice)  # type: ignore[arg-type]


def steady(fork: Fork, rules: Rules) -> Gate:
    """The second half of the measured iterations scored as the first did: the JVM had come to rest."""
    expected = f"halves within {rules.moved:.0%} of each other"
    count = len(fork.iterations)
    if count < HALVES:
        advice = f"whether the JVM had come to rest can't be told: measure {HALVES} iterations or more"
        return gate("steady", "warn", f"{count} measured", expected=expected, advice=advice)
    first, second = fmean(fork.iterations[: count // 2]), fmean(fork.iterations[(count + 1) // 2 :])
    moved = second / first - 1 if first else 0.0
    return gate(
        "steady",
        "fail" if abs(moved) > rules.moved else "pass",
        f"the second half {moved:+.1%}, after {len(fork.warmup)} iterations of warm-up",
        expected=expected,
        advice="the JVM still compiled, or the machine changed: warm up longer",
    )


def error(fork: Fork, rules: Rules) -> Gate:
    """JMH's error bar is narrow beside the score."""
    expected = f"± {rules.error:.0%} at most"
    if fork.error is None or not fork.score:
        advice = "one iteration has no spread: measure several"
        return gate("error", "warn", "not known", expected=expected, advice=advice)
    share = fork.error / abs(fork.score)
    return gate(
        "error",
        "warn" if share > rules.error else "pass",
        f"± {share:.1%} over {len(fork.iterations)} iterations",
        expected=expected,
        advice="the iterations scatter: more or longer ones, on a quieter machine",
    )


def forks(found: Sequence[Fork], rules: Rules) -> Gate:
    """Enough fresh JVMs: what one compiled for good is in all of its iterations."""
    return gate(
        "forks",
        "fail" if len(found) < rules.forks else "pass",
        f"{len(found)}",
        expected=f"at least {rules.forks}",
        advice="one JVM is an anecdote: its iterations are alike, and another JVM's may differ",
    )


def _named(benchmark: str, params: dict[str, str]) -> str:
    return " ".join([benchmark, *(f"{name}={value}" for name, value in sorted(params.items()))])

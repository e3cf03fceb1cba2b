"""The gates of JMH's forks: each passes a sound fork and finds its own fault."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from telar.collect.jmh import Fork
from telar.gates.jmh import Rules, error, forks, planned, steady

RULES = Rules(moved=0.05, error=0.1, forks=3)
SOUND = Fork(
    jmh="1.37",
    benchmark="org.acme.Parse.small",
    mode="avgt",
    unit="ms/op",
    params={"size": "10", "depth": "2"},
    warmup=(14.0, 10.2),
    iterations=(10.0, 10.1, 9.9, 10.0, 10.1),
    score=10.02,
    error=0.3,
    secondary={},
    invoker="/opt/jdk/bin/java",
    options="",
)


def with_(**changes: Any) -> Fork:
    return msgspec.structs.replace(SOUND, **changes)


def test_a_sound_fork_passes_every_gate() -> None:
    found = (
        planned(SOUND, "org.acme.Parse.small", {"depth": "2", "size": "10"}),
        steady(SOUND, RULES),
        error(SOUND, RULES),
        forks([SOUND] * 3, RULES),
    )
    assert [(gate.name, gate.verdict, gate.advice) for gate in found] == [
        ("planned", "pass", ""),
        ("steady", "pass", ""),
        ("error", "pass", ""),
        ("forks", "pass", ""),
    ]


@pytest.mark.parametrize(
    ("benchmark", "params"),
    [("org.acme.Parse.large", SOUND.params), (SOUND.benchmark, {"size": "11", "depth": "2"})],
)
def test_another_benchmark_or_parameter_is_not_the_planned_one(
    benchmark: str, params: dict[str, str]
) -> None:
    found = planned(SOUND, benchmark, params)
    assert found.verdict == "fail"
    assert found.observed == "org.acme.Parse.small depth=2 size=10"


@pytest.mark.parametrize("iterations", [(12.0, 11.0, 10.0, 10.0), (10.0, 10.0, 10.0, 11.0, 11.0)])
def test_halves_that_differ_are_not_steady(iterations: tuple[float, ...]) -> None:
    assert steady(with_(iterations=iterations), RULES).verdict == "fail"


def test_the_middle_of_an_odd_number_is_in_neither_half() -> None:
    assert steady(with_(iterations=(10.0, 10.0, 99.0, 10.0, 10.0)), RULES).verdict == "pass"


def test_too_few_iterations_leave_it_open_whether_the_jvm_was_at_rest() -> None:
    assert steady(with_(iterations=(10.0, 20.0, 30.0)), RULES).verdict == "warn"


@pytest.mark.parametrize(("half", "verdict"), [(1.0, "pass"), (1.1, "warn"), (None, "warn")])
def test_a_wide_error_bar_or_none_is_a_warning(half: float | None, verdict: str) -> None:
    assert error(with_(error=half), RULES).verdict == verdict


@pytest.mark.parametrize(("count", "verdict"), [(2, "fail"), (3, "pass")])
def test_a_score_needs_several_jvms(count: int, verdict: str) -> None:
    assert forks([SOUND] * count, RULES).verdict == verdict

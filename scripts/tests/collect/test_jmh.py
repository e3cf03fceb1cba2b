"""A fork, from JMH's JSON and its log."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.catalog.load import load
from telar.collect.jmh import fork, metrics
from telar.store.record import Benchmark, Profiled, Ruler

JSON = (Path(__file__).parent / "samples" / "jmh-1.37-fork.json").read_bytes()  # 2 + 3 iterations on JDK 25
LOG = """\
# VM invoker: /opt/jdk/bin/java
# VM options: -showversion -XX:+PrintFlagsFinal

# Warmup Iteration   1: 16.906 ms/op
# Warmup Iteration   2: 11.598 ms/op
Iteration   1: 13.284 ms/op
"""


def changed(**changes: Any) -> bytes:
    """The sample with its one result changed; names of the primary metric's parts are taken there."""
    (result,) = json.loads(JSON)
    for name, value in changes.items():
        (result if name in result else result["primaryMetric"])[name] = value
    return json.dumps([result]).encode()


def test_a_fork_has_the_score_of_each_iteration() -> None:
    found = fork(JSON, LOG)
    assert (found.benchmark, found.params) == (
        "dev.telar.loom.LoomVsCoroutines.loom",
        {"delay": "10", "repeat": "1000"},
    )
    assert (found.jmh, found.mode, found.unit) == ("1.37", "avgt", "ms/op")
    assert found.iterations == (13.283530105263157, 12.471872634146342, 12.376345609756097)
    assert found.score == pytest.approx(sum(found.iterations) / 3)
    assert found.error == pytest.approx(9.094, abs=0.001)


def test_the_warm_up_and_the_jvm_are_those_of_the_log() -> None:
    found = fork(JSON, LOG)
    assert found.warmup == (16.906, 11.598)
    assert (found.invoker, found.options) == ("/opt/jdk/bin/java", "-showversion -XX:+PrintFlagsFinal")


@pytest.mark.parametrize(("written", "score"), [("≈ 10⁻⁴", 1e-4), ("≈ 10⁻¹²", 1e-12), ("0.001", 0.001)])
def test_a_tiny_score_of_the_warm_up_is_read_as_jmh_prints_it(written: str, score: float) -> None:
    assert fork(JSON, f"# Warmup Iteration   1: {written} ms/op\n").warmup == (pytest.approx(score),)


def test_a_profiler_has_its_iterations_and_one_that_only_writes_a_file_no_value() -> None:
    secondary = fork(JSON, LOG).secondary
    assert "jfr" not in secondary  # "NaN"
    assert secondary["gc.count"] == Profiled(score=1.0, unit="counts", iterations=(1.0, 0.0, 0.0))
    assert len(secondary["gc.alloc.rate.norm"].iterations) == 3


def test_an_older_jmh_marks_its_profilers_metrics() -> None:
    older = {"·gc.count": {"score": 2.0, "scoreUnit": "counts"}}
    assert fork(changed(secondaryMetrics=older), LOG).secondary == {
        "gc.count": Profiled(score=2.0, unit="counts", iterations=())
    }


def test_one_iteration_has_no_error() -> None:
    found: Benchmark = fork(changed(scoreError="NaN", rawData=[[13.0]], score=13.0), LOG)
    assert found.error is None


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"[]", "holds 0 results"),
        (b"[{", "isn't JMH's JSON"),
        (b"\xff", "isn't JMH's JSON"),
        (changed(rawData=[[1.0], [2.0]]), "2 forks"),
        (changed(score="NaN"), "score of 'NaN'"),
        (changed(rawData=[[1.0, "NaN"]]), "1 forks with a score"),
    ],
)
def test_what_is_no_single_fork_is_refused(content: bytes, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        fork(content, LOG)


RULER = Ruler(work="w", before=0.02, after=0.02)
CATALOG = load(Path(__file__).parents[3])


def values(found: Benchmark) -> dict[str, float]:
    return {name: metric.value for name, metric in metrics(CATALOG, found, RULER).items()}


def test_the_metrics_of_a_fork_are_its_score_its_error_and_what_the_gc_profiler_saw() -> None:
    found = fork(JSON, LOG)
    made = values(found)
    assert made["score"] == found.score
    assert made["score-error"] == found.error
    assert made["allocated-op"] == found.secondary["gc.alloc.rate.norm"].score / 1024
    assert made["gc-count"] == found.secondary["gc.count"].score
    assert made["gc-pause"] == found.secondary["gc.time"].score
    assert made["speed"] == 1.0
    for name, metric in metrics(CATALOG, found, RULER).items():
        assert metric.unit == CATALOG.file.metric[name].unit


@pytest.mark.parametrize(("unit", "score"), [("s/op", 10_000), ("us/op", 0.01), ("ns/op", 0.00001)])
def test_a_score_is_in_milliseconds_whatever_the_unit_of_the_benchmark(unit: str, score: float) -> None:
    found = msgspec.structs.replace(fork(JSON, LOG), unit=unit, score=10.0)
    assert values(found)["score"] == pytest.approx(score)


def test_a_throughput_is_no_time_and_what_no_profiler_saw_is_left_out() -> None:
    found = msgspec.structs.replace(fork(JSON, LOG), unit="ops/ms", error=None, secondary={})
    assert values(found) == {"speed": 1.0}

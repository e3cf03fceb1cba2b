"""One fork: how JMH is asked for it, and what a real one leaves."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.errors import RunError
from telar.run.jmh.fork import Iterations, Launch, arguments, measure
from telar.tools import components, shell
from telar.tools.components.maven import environment

APPS = Path(__file__).parents[4] / "apps"
PACKAGE = "dev.telar.loom"


def launch(**changes: Any) -> Launch:
    plain = Launch(
        home=Path("/opt/jdk"),
        jar=Path("/opt/run/loom.jar"),
        benchmark=f"{PACKAGE}.LoomVsCoroutines.loom",
        params={"repeat": "10", "delay": "0"},
        flags=("-Xmx500m", "-XX:+UseG1GC"),
        warmup=Iterations(count=2, seconds=0.5),
        measured=Iterations(count=4, seconds=1),
        cpus="0",
    )
    return msgspec.structs.replace(plain, **changes)


def test_jmh_is_asked_for_one_fork_of_one_benchmark_with_one_choice_of_parameters() -> None:
    assert arguments(launch(), Path("/there")) == [
        r"^dev\.telar\.loom\.LoomVsCoroutines\.loom$", "-f", "1", "-foe", "true",
        "-wi", "2", "-w", "500ms", "-i", "4", "-r", "1000ms",
        "-prof", "gc", "-rf", "json", "-rff", "/there/jmh.json",
        "-jvmArgs", "-showversion -XX:+PrintFlagsFinal -Xmx500m -XX:+UseG1GC",
        "-p", "delay=0", "-p", "repeat=10",
    ]  # fmt: skip


def test_jfr_records_only_where_it_is_asked_for() -> None:
    assert "jfr:dir=/there/jfr" in arguments(launch(recorded=True), Path("/there"))
    assert not any("jfr" in part for part in arguments(launch(), Path("/there")))


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Launch:
    """The project's own benchmarks, built from a copy, on the JDK that compiles."""
    here = tmp_path_factory.mktemp("apps")
    shutil.copy(APPS / "pom.xml", here)
    shutil.copytree(APPS / "loom", here / "loom", ignore=shutil.ignore_patterns("target"))
    maven, jdk = components.ensure("maven", print), components.ensure("jdk", print)
    shell.run(
        [maven.path, "-B", "-q", "-ntp", "-Dmaven.test.skip=true", "-Dspotless.check.skip=true",
         "-f", here / "loom/kotlin/pom.xml", "package"],
        env=environment(jdk.path),
        timeout=600,
    )  # fmt: skip
    return launch(home=jdk.path, jar=here / "loom/kotlin/target/run/loom.jar")


BENCHMARKS = (
    "ThreadVsLoom.traditionalThreads",
    "ThreadVsLoom.virtualThreads",
    "LoomVsCoroutines.loom",
    "LoomVsCoroutines.coroutines",
    "LoomVsCoroutines.hybrid",
    "StructuredConcurrency.structured",
)


@pytest.mark.embedded
@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_fork_of_each_benchmark_leaves_its_iterations_and_evidence(
    built: Launch, name: str, tmp_path: Path
) -> None:
    wanted = msgspec.structs.replace(built, benchmark=f"{PACKAGE}.{name}", recorded=name == BENCHMARKS[0])
    found = measure(wanted, tmp_path / "fork")
    assert (found.fork.benchmark, found.fork.params) == (wanted.benchmark, wanted.params)
    assert len(found.fork.warmup) == 2
    assert len(found.fork.iterations) == 4
    assert min(found.fork.iterations) > 0
    assert found.fork.secondary["gc.alloc.rate.norm"].score > 100  # bytes for ten tasks
    assert found.java.flags["MaxHeapSize"] == str(500 * 2**20)
    assert ("--enable-preview" in found.java.command) == (name == BENCHMARKS[-1])
    assert found.watched.limits
    assert found.watched.limits.cpus == "0"
    used = [seconds for seconds in found.watched.series.values["app.cpu_seconds"] if seconds is not None]
    busy = [seconds for seconds in found.watched.series.values["host.busy_seconds"] if seconds is not None]
    assert 1 < used[-1] - used[0] <= busy[-1] - busy[0] + 1
    assert (found.jfr_bytes is not None) == wanted.recorded
    assert found.jfr_bytes is None or found.jfr_bytes > 10_000


@pytest.mark.embedded
def test_a_benchmark_that_is_not_there_is_an_error_that_names_it(built: Launch, tmp_path: Path) -> None:
    missing = msgspec.structs.replace(built, benchmark=f"{PACKAGE}.LoomVsCoroutines.fibers")
    with pytest.raises(RunError, match="fibers"):
        measure(missing, tmp_path / "fork")


@pytest.mark.embedded
def test_a_parameter_that_the_benchmark_does_not_have_is_an_error(built: Launch, tmp_path: Path) -> None:
    unknown = msgspec.structs.replace(built, params={**built.params, "size": "3"})
    with pytest.raises(RunError, match=r"delay=0 repeat=10, not .* size=3"):
        measure(unknown, tmp_path / "fork")

"""One fork: JMH starts a fresh JVM and measures in it, while the machine is watched as in every run."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from telar.build import maven
from telar.collect import jmh
from telar.collect.host import thread_clock
from telar.errors import RunError
from telar.run import java
from telar.run.ended import Watched, watch
from telar.store.record import Benchmark, Java

# Beside the iterations: two JVMs start, and an iteration goes on until the operation that it is in is done.
PATIENCE = 300.0


class Iterations(msgspec.Struct, frozen=True, kw_only=True):
    count: int
    seconds: float  # of each


HINTS = "CompileCommandFile"


class Launch(msgspec.Struct, frozen=True, kw_only=True):
    """All that a fork needs."""

    home: Path  # JAVA_HOME of the JVM that measures
    jar: Path  # with JMH's main class; its libraries beside it
    benchmark: str  # its whole name
    params: dict[str, str]
    flags: tuple[str, ...]  # of the JVM that measures
    warmup: Iterations
    measured: Iterations
    cpus: str
    recorded: bool = False  # by JFR too, for the size of its file; what it costs is in the score then


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """What a fork left."""

    fork: Benchmark
    java: Java
    watched: Watched
    jfr_bytes: int | None  # of the recording; None where none was asked for


def arguments(launch: Launch, folder: Path) -> list[str]:
    """JMH's own, after `-jar`. One fork, whatever the benchmark's annotation says."""
    options = [f"^{re.escape(launch.benchmark)}$", "-f", "1", "-foe", "true"]
    options += ["-wi", str(launch.warmup.count), "-w", f"{launch.warmup.seconds * 1000:.0f}ms"]
    options += ["-i", str(launch.measured.count), "-r", f"{launch.measured.seconds * 1000:.0f}ms"]
    options += ["-prof", "gc", "-rf", "json", "-rff", str(_json(folder))]
    options += ["-prof", f"jfr:dir={_recordings(folder)}"] if launch.recorded else []
    # Not `-jvmArgsAppend`, in whose place a benchmark's own annotation would lose what it adds.
    options += ["-jvmArgs", " ".join(("-showversion", "-XX:+PrintFlagsFinal", *launch.flags))]
    for name, value in sorted(launch.params.items()):
        options += ["-p", f"{name}={value}"]
    return options


def measure(launch: Launch, folder: Path) -> Measured:
    """Runs the fork to its end. Raises RunError when JMH fails, or gives no score."""
    folder.mkdir(parents=True)
    iterations = (launch.warmup, launch.measured)
    log = folder / "jmh.log"
    watched = watch(
        [launch.home / "bin" / "java", "-jar", launch.jar, *arguments(launch, folder)],
        log,
        cpus=launch.cpus,
        patience=sum(i.count * i.seconds for i in iterations) + PATIENCE,
        name=f"JMH in {launch.benchmark}",
    )
    said = log.read_text(encoding="utf-8", errors="replace")
    found = _read(folder, said)
    _require_planned(launch, found)
    return Measured(
        fork=found,
        java=_java(launch, found, said),
        watched=watched,
        jfr_bytes=_size(folder) if launch.recorded else None,
    )


def _read(folder: Path, log: str) -> Benchmark:
    path = _json(folder)
    try:
        return jmh.fork(path.read_bytes(), log)
    except OSError as error:
        raise RunError(f"{path}: JMH left no results: {error.strerror}") from error
    except ValueError as error:
        raise RunError(f"{path}: {error}", hint="does the artefact have that benchmark?") from error


def _require_planned(launch: Launch, found: Benchmark) -> None:
    """JMH passes over a parameter that the benchmark doesn't have: the score is of something else then."""
    asked, got = _named(launch.benchmark, launch.params), _named(found.benchmark, found.params)
    if asked != got:
        raise RunError(f"JMH measured {got}, not {asked}", hint="does the benchmark have those parameters?")


def _named(benchmark: str, params: dict[str, str]) -> str:
    return " ".join([benchmark, *(f"{name}={value}" for name, value in sorted(params.items()))])


def _java(launch: Launch, fork: Benchmark, log: str) -> Java:
    """The JVM that measured, as it and JMH say."""
    return Java(
        version=java.version(log),
        vendor=java.vendor(log),
        # JMH hands each fork the same hints for the compiler, in a file of another name each time.
        flags={name: value for name, value in java.flags(log).items() if name != HINTS},
        command=(fork.invoker, *fork.options.split()),
        class_path=maven.jars(launch.jar.parent),
        class_path_source="artifact",
        picked_up=java.picked_up(log),
        thread_clock=thread_clock(),
    )


def _json(folder: Path) -> Path:
    return folder / "jmh.json"


def _recordings(folder: Path) -> Path:
    return folder / "jfr"


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in _recordings(folder).rglob("*.jfr"))

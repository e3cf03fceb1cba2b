"""One fork: JMH starts a fresh JVM and measures in it, while the machine is watched as in every run."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from telar.build import maven
from telar.collect import jmh
from telar.collect.host import ProcessTree, thread_clock
from telar.collect.sampler import Sampler
from telar.errors import RunError
from telar.run import java, limits, machine, ruler
from telar.run.clock import Clock
from telar.run.room import require_room
from telar.store.record import Benchmark, Java, Limits, Ruler, Series
from telar.tools import shell

POLL = 0.2
GRACE = 5.0
# Beside the iterations: two JVMs start, and an iteration goes on until the operation that it is in is done.
PATIENCE = 300.0


class Iterations(msgspec.Struct, frozen=True, kw_only=True):
    count: int
    seconds: float  # of each


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
    series: Series  # of the machine, JMH (`app`) and Telar (`runner`), at 1 Hz from start to end
    limits: Limits | None
    ruler: Ruler
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


def measure(launch: Launch, folder: Path, progress: Callable[[str], None]) -> Measured:
    """Runs the fork to its end. Raises RunError when JMH fails, or gives no score."""
    folder.mkdir(parents=True)
    clock, sampler = Clock(), Sampler()
    before = ruler.measure()
    progress("fork")
    start = time.time()
    process = shell.spawn(
        [launch.home / "bin" / "java", "-jar", launch.jar, *arguments(launch, folder)],
        log=folder / "jmh.log",
        env={"JAVA_TOOL_OPTIONS": "", "JDK_JAVA_OPTIONS": ""},
        cpuset=launch.cpus,
    )
    try:
        machine.protect(process.pid)
        sampler.add("app", ProcessTree(process.pid))
        sampler.start()
        allowed = _wait(process, launch)
        sampler.sample()
    finally:
        process.stop(GRACE)
        sampler.stop()
    end = time.time()
    progress("collect")
    require_room(folder, None)
    clock.require_unmoved()
    log = (folder / "jmh.log").read_text(encoding="utf-8", errors="replace")
    found = _read(folder, log)
    _require_planned(launch, found)
    begun, values = sampler.timeline().series(start, end)
    return Measured(
        fork=found,
        java=_java(launch, found, log),
        series=Series(start=begun, step=1.0, values=dict(values)),
        limits=allowed,
        ruler=Ruler(work=ruler.work(), before=before, after=ruler.measure()),
        jfr_bytes=_size(folder) if launch.recorded else None,
    )


def _wait(process: shell.Process, launch: Launch) -> Limits | None:
    """Until JMH has ended; what the kernel let it use."""
    iterations = (launch.warmup, launch.measured)
    until = time.monotonic() + sum(i.count * i.seconds for i in iterations) + PATIENCE
    allowed = None
    while (code := process.poll()) is None:
        if time.monotonic() > until:
            raise RunError(f"JMH still ran {PATIENCE:g} s after {launch.benchmark} should have ended")
        allowed = limits.limits(process.pid) or allowed
        time.sleep(POLL)
    if code:
        raise RunError(
            f"JMH ended with {shell.exit_words(code)} in {launch.benchmark}",
            hint=f"its last lines:\n{_tail(process)}",
        )
    return allowed


def _tail(process: shell.Process) -> str:
    return shell.last_lines(java.without_preamble(process.log.read_text(errors="replace")))


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
        flags=java.flags(log),
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

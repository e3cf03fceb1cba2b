"""Windows under async-profiler, on two warm stacks in turns: no gate looks at them, and they are in no
metric.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import time
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from telar.analyse.methods import Profile
from telar.analyse.threads import Sample
from telar.analyse.why import PER_ALLOCATION
from telar.collect import profile
from telar.errors import RunError, TelarError
from telar.plan.cells import PlannedRun
from telar.run.commands import command_line
from telar.run.http.cell import CellRun
from telar.run.http.scheduler import watched
from telar.store.record import Record
from telar.tools import agent, components

ORDER = ("a", "b", "b", "a")  # what drifts falls on both sides alike
# Of processor time: a timer of each thread that advances with the kernel's ticks, four milliseconds on many;
# and a finer one, which is set at each switch of a thread: that cost a service on a virtual machine a fifth
# of its own processor time (scripts/measure/profiler_cost.py). Where the kernel refuses it, the ticks remain.
TICKS, FINE = "ctimer", "cpu-clock"
TICK, ENOUGH = 4.0, 500  # milliseconds; samples in a window, from which on those of the ticks will do
INTERVAL = "1ms"  # between two samples of processor time
_OTHERS = ("org/springframework/boot/loader", "META-INF", "BOOT-INF")  # in a jar beside its own classes
NO_SURPRISE = os.O_NOFOLLOW | os.O_NONBLOCK  # no link is followed, no pipe waited for
LARGEST = 200 * 1024**2  # bytes of a window's profile
SHADED = 100  # packages: a jar of more is an application's with all its libraries


class Sampled(msgspec.Struct, frozen=True, kw_only=True):
    """One window: what was measured in it as in any other, and its profile."""

    side: str
    record: Record
    profile: Profile
    file: Path  # the profile as async-profiler wrote it
    scheduler: tuple[Sample, ...] = ()  # of virtual threads; none of a JVM that doesn't say


class Session(msgspec.Struct, frozen=True, kw_only=True):
    """Of one fork."""

    windows: tuple[Sampled, ...]
    clock: str
    packages: frozenset[str]  # of the application's own classes; empty where its jar doesn't tell
    seconds: float  # that all of it took


def sample(
    sides: Mapping[str, object],
    loads: Mapping[str, PlannedRun],
    kept: Path,
    *,
    order: Sequence[str] = ORDER,
    clock: str = TICKS,
) -> Session:
    """One window after the other, as `order` names the sides. `loads`: side -> the window whose load it gets
    again. `clock`: TICKS or FINE. The files are moved to `kept`.

    Raises RunError where a window fails, MissingToolError without async-profiler, TelarError where the JVM
    doesn't take it.
    """
    started = time.monotonic()
    library = components.ensure("async-profiler", lambda _: None).path
    placed: dict[str, Path] = {}
    times, used = Counter[str](), list[str]()
    done, packages = [], frozenset[str]()
    for side in order:
        run = sides[side]
        if not isinstance(run, CellRun):
            raise RunError("only services under load are profiled, and this is none")
        if side not in placed:  # once: a JVM has it open from then on, and must not find another one
            placed[side] = _place(library, run.stack.folder)
        packages |= own_packages(run.stack.services["app"].pid)
        times[side] += 1
        file = kept / f"{side}-{times[side]}.jfr"
        done.append(_window(side, run, loads[side], placed[side], file, clock, used))
    return Session(windows=tuple(done), clock=used[-1], packages=packages, seconds=time.monotonic() - started)


def clock_for(windows: Sequence[Record]) -> str:
    """The cheaper one where it has samples enough, by what the service needed in windows without one."""
    known = [r for r in windows if r.load and "app-cpu" in r.metrics]
    cpu = [r.metrics["app-cpu"].value * sum(r.load.requests.values()) for r in known if r.load]
    return TICKS if cpu and min(cpu) >= ENOUGH * TICK else FINE


def _window(
    side: str, run: CellRun, planned: PlannedRun, library: Path, kept: Path, clock: str, used: list[str]
) -> Sampled:
    folder, pid = run.stack.folder, run.stack.services["app"].pid
    written = folder / kept.name
    scheduler: list[Sample] = []
    record = run.extra_window(planned, during=_both(pid, library, written, clock, used, scheduler))
    if record.stopped:
        raise RunError(f"a profiled window failed: {record.stopped.error}", hint=record.stopped.hint)
    assert record.load, "a window that didn't stop has it"
    assert record.series, "and this"
    _take(written, kept)
    start = record.series.start
    found = profile.read(kept, start, start + record.load.seconds)
    return Sampled(
        side=side,
        record=record,
        profile=found,
        file=kept,
        scheduler=tuple(scheduler),
    )


def _place(library: Path, folder: Path) -> Path:
    """Copies it into a run's folder: a container has that, and not the cache. The folder is the service's,
    which may have put anything there.
    """
    own = folder / library.name
    own.unlink(missing_ok=True)
    number = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o755)
    with os.fdopen(number, "wb") as file:
        file.write(library.read_bytes())
        os.fchmod(file.fileno(), 0o755)  # whatever the umask: a container's user reads it
    return own


def _take(written: Path, kept: Path) -> None:
    """Copies what the profiler wrote out of the service's folder. Raises RunError where that isn't a file."""
    try:
        file = open(written, "rb", opener=lambda path, how: os.open(path, how | NO_SURPRISE))  # noqa: SIM115
    except OSError as error:
        raise RunError(f"{written}: async-profiler left no profile: {error.strerror}") from error
    with file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
            raise RunError(f"{written}: isn't a profile of a size that async-profiler writes")
        kept.parent.mkdir(parents=True, exist_ok=True)
        with kept.open("wb") as sink:
            shutil.copyfileobj(file, sink)
    written.unlink(missing_ok=True)


@contextlib.contextmanager
def _both(
    pid: int, library: Path, target: Path, clock: str, used: list[str], scheduler: list[Sample]
) -> Iterator[None]:
    with (
        _sampling(pid, library, target, clock, used),
        watched(pid) as seen,
    ):  # the profiler came by jcmd: the door is open
        yield
    scheduler.extend(seen)


@contextlib.contextmanager
def _sampling(pid: int, library: Path, target: Path, clock: str, used: list[str]) -> Iterator[None]:
    """The profiler is at work meanwhile; `used` gets the clock that it has."""

    def start(event: str) -> None:
        options = f"start,event={event},interval={INTERVAL},alloc={PER_ALLOCATION},jfr,file={target}"
        agent.order(pid, library, options)
        used.append(event)

    try:
        start(clock)
    except TelarError:
        if clock == TICKS:
            raise
        start(TICKS)
    try:
        yield
    finally:
        agent.order(pid, library, f"stop,file={target}")


def own_packages(pid: int) -> frozenset[str]:
    """The packages of the application's own classes, by the jar that its process was started with."""
    found = {package for jar in own_jars(pid) for package in _packages(jar)}
    return frozenset(found) if len(found) <= SHADED else frozenset()


def own_jars(pid: int) -> list[Path]:
    """Those that may hold the application's own classes, as this machine sees them."""
    words = command_line(pid)
    if "-jar" not in words[:-1]:
        return []
    jar = Path(f"/proc/{pid}/root") / words[words.index("-jar") + 1].lstrip("/")
    return [jar, *sorted(jar.parent.glob("app/*.jar"))]  # Quarkus' own has only a manifest


def _packages(jar: Path) -> set[str]:
    try:
        with zipfile.ZipFile(jar) as content:
            names = [n.removeprefix("BOOT-INF/classes/") for n in content.namelist() if n.endswith(".class")]
    except (OSError, zipfile.BadZipFile):
        return set()
    folders = {name.rpartition("/")[0] for name in names}
    return {folder.replace("/", ".") for folder in folders if folder and not folder.startswith(_OTHERS)}

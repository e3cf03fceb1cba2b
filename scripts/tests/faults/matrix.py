"""The fault matrix: what is done to a run, when, and what must come of it. One row, one test."""

from __future__ import annotations

import shutil
import signal as signals
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from typing import Literal

import pytest

from telar.catalog.suite import EngineName
from telar.run.java import CRASH

from .place import LOCKED, Place, Telar, docker, until

PROCESS = {"app": "java", "database": "mariadbd", "k6": "k6"}
SERVICE = {"app": "app", "database": "mysql", "k6": "k6", "VictoriaMetrics": "victoriametrics"}
KILLED = r"ended with exit code -9 \(SIGKILL\)"
KILLED_INSIDE = r"ended with exit code 137 \(SIGKILL\)"
# A JVM ends itself once its report is written: as a container's first process in another way than elsewhere.
CRASHED = r"the app of [a-z-]+ ended with exit code -6 \(SIGABRT\)"
CRASHED_INSIDE = r"the app of [a-z-]+ ended with exit code 139 \(SIGSEGV\)"

Fault = Callable[[Place, Telar], None]


@dataclass(frozen=True, kw_only=True)
class Row:
    fault: str
    stage: str
    engine: EngineName = "embedded"
    do: Fault
    # cut short: no record, `--resume` makes the run; failed: a record that says why; completed: a whole one
    outcome: Literal["cut short", "failed", "completed"]
    says: str = ""  # a pattern: in the record's error, or in what telar printed where there is none
    phases: tuple[str, ...] = ()  # that the record may name; a fault in a short phase shows in the next
    code: int  # of the program
    leaves: str = ""  # files below the data folder, as a pattern
    silent: str = ""  # a component that is dead before it can have printed anything
    around: Callable[[Place], AbstractContextManager[object]] = nullcontext

    @property
    def name(self) -> str:
        return f"{self.fault}, {self.stage}, {self.engine}"


# ---- when


def at(stage: str, telar: Telar, place: Place) -> None:
    """Returns as soon as the run is there; in the window, once there is load."""
    telar.phase(stage)
    if stage == "window":
        until(lambda: place.file("*/logs/*/window.csv").stat().st_size > 5000 or None)


# ---- what


def signal(component: str, stage: str, number: str, engine: EngineName) -> Fault:
    def embedded(place: Place, telar: Telar) -> None:
        at(stage, telar, place)
        victim = place.process(PROCESS[component])
        if stage == component:
            place.file(f"*/logs/*/{component}.log")  # it has said something, which the record must have
        victim.send_signal(getattr(signals, f"SIG{number}"))

    def compose(place: Place, telar: Telar) -> None:
        at(stage, telar, place)
        docker("kill", f"--signal={number}", place.container(SERVICE[component]))

    return embedded if engine == "embedded" else compose


def kill_telar(stage: str) -> Fault:
    def do(place: Place, telar: Telar) -> None:
        at(stage, telar, place)
        telar.kill()

    return do


def kill_telar_preparing(place: Place, telar: Telar) -> None:
    assert telar.wait_for_line("making the seeded template")
    place.process(PROCESS["database"])
    telar.kill()


def kill_reaper(place: Place, telar: Telar) -> None:
    at("warm-up", telar, place)
    reaper = [p for p in place.processes() if "telar.run.reaper" in p.cmdline()]
    assert len(reaper) == 1
    reaper[0].kill()


def pause_database(place: Place, telar: Telar) -> None:
    at("window", telar, place)
    database = place.process(PROCESS["database"])
    database.suspend()
    with pytest.raises(AssertionError, match="in vain"):  # three seconds, more than a request's timeout
        until(lambda: telar.code, timeout=3)
    database.resume()


def set_clock(stage: str, seconds: float) -> Fault:
    def do(place: Place, telar: Telar) -> None:
        at(stage, telar, place)
        place.clock.write_text(str(seconds))

    return do


def fill_disk(place: Place, telar: Telar) -> None:
    at("window", telar, place)
    # The run writes, too: how much is free can't be known beforehand.
    with (place.data / "filler").open("wb", buffering=0) as file, suppress(OSError):
        while True:
            file.write(bytes(1 << 20))


def start_another(place: Place, telar: Telar) -> None:
    at("warm-up", telar, place)
    second = place.start_at_once("run", "faults")
    assert (second.wait(), LOCKED in second.output) == (6, True), second.output


def nothing(place: Place, telar: Telar) -> None:
    """The fault is in the place."""


# ---- where


@contextmanager
def without_templates(place: Place) -> Iterator[None]:
    shutil.rmtree(place.checkout.root / ".telar" / "templates")
    yield


@contextmanager
def own_clock(place: Place) -> Iterator[None]:
    yield
    place.clock.unlink()


@contextmanager
def small_disk(place: Place) -> Iterator[None]:
    """The sessions on a disk of their own, with little more than what a run must find free."""
    aside = place.data.with_name("aside")
    place.data.rename(aside)
    place.data.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1280m", "tmpfs", str(place.data)]
    if subprocess.run(mount, check=False).returncode:
        pytest.skip("NOT TESTED: only root can mount a small disk")
    shutil.copytree(aside, place.data, dirs_exist_ok=True)
    yield
    (place.data / "filler").unlink()


@contextmanager
def little_memory(place: Place) -> Iterator[None]:
    """Less for the app's container than its heap, which it touches at once."""
    file = place.checkout.root / "telar.toml"
    before = file.read_text()
    file.write_text(before.replace('app_memory = "1g"', 'app_memory = "300m"'))
    yield
    file.write_text(before)


def _killed_telar(stage: str, engine: EngineName = "embedded") -> Row:
    return Row(
        fault="kill -9 of telar",
        stage=stage,
        engine=engine,
        do=kill_telar(stage),
        outcome="cut short",
        code=-9,
    )


def _killed(
    component: str, stage: str, engine: EngineName = "embedded", *, or_in: tuple[str, ...] = ()
) -> Row:
    killed = KILLED if engine == "embedded" else KILLED_INSIDE
    return Row(
        fault=f"kill -9 of {component}",
        stage=stage,
        engine=engine,
        do=signal(component, stage, "KILL", engine),
        outcome="failed",
        says=f"{component} (of [a-z-]+ )?{killed}",
        phases=(stage, *or_in),
        code=5,
    )


def _crashed(engine: EngineName, says: str) -> Row:
    return Row(
        fault="crash of the app's JVM (SIGSEGV)",
        stage="window",
        engine=engine,
        do=signal("app", "window", "SEGV", engine),
        outcome="failed",
        says=says,
        phases=("window",),
        code=5,
        leaves=f"*/logs/002*/{CRASH}",
    )


ROWS = (
    Row(
        fault="kill -9 of telar",
        stage="preparing",
        do=kill_telar_preparing,
        outcome="cut short",
        code=-9,
        around=without_templates,
    ),
    *(
        _killed_telar(stage)
        for stage in ("database", "start", "contract", "warm-up", "window", "collect", "stop")
    ),
    _killed("app", "start"),
    _killed("app", "contract", or_in=("warm-up",)),
    _killed("app", "warm-up"),
    _killed("app", "window"),
    _killed("app", "collect"),
    _crashed("embedded", CRASHED),
    _killed("database", "database", or_in=("start",)),
    _killed("database", "start"),
    _killed("database", "contract", or_in=("warm-up",)),
    _killed("database", "warm-up"),
    _killed("database", "reset", or_in=("window",)),
    _killed("database", "window"),
    _killed("database", "collect"),
    _killed("k6", "warm-up"),
    _killed("k6", "window"),
    Row(
        fault="database stopped (SIGSTOP) for good",
        stage="window",
        do=signal("database", "window", "STOP", "embedded"),
        outcome="failed",
        says="the database at 127.0.0.1:13306 .*timed out",
        phases=("window", "collect"),  # in k6's setup, or after it
        code=5,
    ),
    Row(
        fault="database stopped (SIGSTOP) for 3 s",
        stage="window",
        do=pause_database,
        outcome="completed",
        code=0,
    ),
    Row(
        fault="app stopped (SIGSTOP) for good",
        stage="window",
        do=signal("app", "window", "STOP", "embedded"),
        outcome="completed",
        code=0,
    ),
    Row(
        fault="clock set forward by 5 s",
        stage="window",
        do=set_clock("window", 5),
        outcome="failed",
        says=r"the clock of this machine was set by \+5.0 s",
        phases=("window",),
        code=5,
        around=own_clock,
    ),
    Row(
        fault="clock set back by an hour",
        stage="warm-up",
        do=set_clock("warm-up", -3600),
        outcome="failed",
        says=r"the clock of this machine was set by -3600.0 s",
        phases=("warm-up", "window"),
        code=5,
        around=own_clock,
    ),
    Row(
        fault="disk full",
        stage="window",
        do=fill_disk,
        outcome="cut short",
        says="the disk is full",
        code=6,
        around=small_disk,
    ),
    Row(
        fault="a second telar run",
        stage="warm-up",
        do=start_another,
        outcome="completed",
        code=0,
    ),
    Row(
        fault="kill -9 of the reaper",
        stage="warm-up",
        do=kill_reaper,
        outcome="completed",
        code=0,
    ),
    *(_killed_telar(stage, "compose") for stage in ("database", "start", "window")),
    _killed("app", "window", "compose"),
    _crashed("compose", CRASHED_INSIDE),
    _killed("database", "window", "compose"),
    _killed("k6", "window", "compose"),
    Row(
        fault="app out of memory inside its limit",
        stage="start",
        engine="compose",
        do=nothing,
        outcome="failed",
        says=r"the app .* was killed for memory inside its limit of 300 MiB, exit code 137 \(SIGKILL\)",
        phases=("start",),
        code=5,
        silent="app",  # the JVM touches its heap first of all
        around=little_memory,
    ),
    Row(
        fault="database stopped (SIGSTOP) for good",
        stage="window",
        engine="compose",
        do=signal("database", "window", "STOP", "compose"),
        outcome="failed",
        says="the database at 127.0.0.1:13306 .*timed out",
        phases=("window", "collect"),  # in k6's setup, or after it
        code=5,
    ),
    Row(
        fault="kill -9 of VictoriaMetrics",
        stage="window",
        engine="compose",
        do=signal("VictoriaMetrics", "window", "KILL", "compose"),
        outcome="completed",
        says=rf"telemetry was lost: victoriametrics {KILLED_INSIDE}",
        code=0,
    ),
)

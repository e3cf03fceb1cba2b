"""What a run's record is made of. The rest of a cell's life is tested with real services (tests/runs)."""

from __future__ import annotations

import os
import time
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import psutil
import pytest

from telar.catalog.load import load
from telar.collect import k6
from telar.collect.sampler import Timeline
from telar.plan.cells import Pair
from telar.run import cell, quiet
from telar.run.load import stages_of
from telar.store.files import Session
from telar.store.record import Failure, Gate, Record, Warmup

from ..store.records import CELL, plan, record

ROOT = Path(__file__).parents[3]
SHORT = load(ROOT).workloads["movies-short"]
RESULTS = k6.read(ROOT / "scripts" / "tests" / "collect" / "k6-2.2-results.csv")
STAGES = stages_of(SHORT)


def test_load_is_what_was_asked_and_what_was_done() -> None:
    load_ = cell._load_of(SHORT, RESULTS, STAGES, seed=1001)
    assert (load_.scheduled, load_.iterations, load_.dropped) == (2000, 14, 6)
    assert load_.requests == {"get": 7, "list": 7}
    assert (load_.seed, load_.stages) == (1001, STAGES)
    assert load_.seconds == RESULTS.end - RESULTS.start


def test_every_failure_is_kept_in_an_order_that_stays() -> None:
    kept = cell._failures_of(RESULTS)
    assert sum(f.count for f in kept) == sum(RESULTS.failures.values()) == 11
    assert kept == tuple(sorted(kept, key=lambda f: (f.endpoint, f.stage, f.side, f.kind)))
    assert Failure(endpoint="get", stage="hold", side="server", kind="timeout", count=3) in kept
    assert Counter(f.side for f in kept) == {"server": 8}


def test_series_of_the_machine_and_of_the_load_share_their_seconds() -> None:
    timeline = Timeline([(RESULTS.start + n, {"app.rss": float(n)}) for n in range(10)], [])
    series = cell._series_of(timeline, RESULTS, STAGES)
    assert (series.start, series.step) == (RESULTS.start, 1.0)
    assert {len(values) for values in series.values.values()} == {int(RESULTS.end - RESULTS.start) + 1}
    assert series.values["app.rss"] == (0.0, 1.0, 2.0, 3.0, 4.0)
    assert set(series.values) == {
        "app.rss",
        "load.answered",
        "load.failed",
        "load.late_ms",
        "load.offered",
        "load.p50_ms",
        "load.p99_ms",
        "load.waited_seconds",
    }


def test_a_processs_command_line_is_what_the_kernel_has() -> None:
    assert list(cell._command_line(os.getpid())) == psutil.Process().cmdline()


# ---- a window that is measured again

CATALOG = load(ROOT)
STEADY = Warmup(requests=1, seconds=1.0, steady=True)


class Scripted(cell.CellRun):
    """Its windows fail the gates that the test says; its services are none."""

    def script(self, *windows: str) -> None:
        self.windows, self.measured = list(windows), 0
        self.pauses: list[int] = []  # before which windows

    def _up(self) -> None:
        self._up_fields = {"warmup": STEADY}

    def _watch(self) -> None: ...

    def _sit_out(self) -> None:
        self.pauses.append(self.measured + 1)

    _sit_out_really = cell.CellRun._sit_out

    def _window(self) -> None:
        self.measured += 1

    def _record(self) -> Record:
        failed = self.windows[self.measured - 1].split()
        gates = tuple(Gate(name=name, verdict="fail", observed="", expected="") for name in failed)
        own: dict[str, Any] = {
            "run_id": self._run_id,
            "session": self._session,
            "gates": gates,
            "validity": "invalid",
        }
        return record(**{**own, **self._fields})


class Scripts:
    def __init__(self, folder: Path) -> None:
        self.session = Session.create(folder / "20261121-071806-smoke", plan(CELL))

    def run(self, *windows: str) -> Scripted:
        made = Scripted(
            CATALOG,
            None,  # type: ignore[arg-type]  # no service is started
            self.session.plan,
            self.session.plan.runs[0],
            session=self.session.id,
            folder=self.session.folder / "logs",
            progress=print,
            supersede=self.session.supersede,
        )
        made.script(*windows)
        return made

    @property
    def kept(self) -> dict[str, list[str]]:
        """Run id → the gates that failed, of what was superseded."""
        found = list(self.session.superseded())
        assert all(isinstance(each, Record) for each in found)
        return {r.run_id: [g.name for g in r.gates] for r in found if isinstance(r, Record)}


@pytest.fixture
def scripts(tmp_path: Path) -> Scripts:
    return Scripts(tmp_path)


def test_a_window_spoilt_by_what_passes_is_measured_again_and_all_are_kept(scripts: Scripts) -> None:
    run = scripts.run("speed", "warm foreign little", "", "never")
    found = run.execute()
    assert (run.measured, found.gates) == (3, ())
    assert [list(s.gates) for s in found.superseded] == [["speed"], ["warm", "foreign", "little"]]
    assert scripts.kept == {s.run_id: list(s.gates) for s in found.superseded}
    assert found.run_id not in scripts.kept


def test_a_pairs_window_is_not_measured_again_for_the_machines_speed_alone(scripts: Scripts) -> None:
    run = scripts.run("speed warm", "speed", "never")
    planned = msgspec.structs.replace(scripts.session.plan.runs[0], pair=Pair(fork=1, window=1, side="a"))
    run.begin()
    found = run.window(planned)
    assert [g.name for g in found.gates] == ["speed"]
    assert [list(s.gates) for s in found.superseded] == [["speed", "warm"]]


@pytest.mark.parametrize("failed", ["status", "speed status", "little", "client telemetry"])
def test_what_would_be_wrong_again_is_not_measured_again(scripts: Scripts, failed: str) -> None:
    run = scripts.run(failed, "never")
    assert [g.name for g in run.execute().gates] == failed.split()
    assert (run.measured, scripts.kept) == (1, {})


def test_a_machine_that_stays_as_it_is_ends_it(scripts: Scripts) -> None:
    run, times = scripts.run(*["speed"] * 9), CATALOG.file.again.times
    found = run.execute()
    assert (run.measured, len(found.superseded), [g.name for g in found.gates]) == (
        times + 1,
        times,
        ["speed"],
    )


def test_a_machine_that_others_use_is_given_time(scripts: Scripts) -> None:
    run = scripts.run("foreign", "speed", "foreign warm", "")
    run.execute()
    assert run.pauses == [2, 4]


@pytest.mark.parametrize(("stolen", "pauses"), [([0.0], 1), ([9.0, 9.0, 0.5, 9.0], 3), ([9.0] * 99, 15)])
def test_a_pause_lasts_until_the_host_takes_nothing_or_patience_ends(
    scripts: Scripts, monkeypatch: pytest.MonkeyPatch, stolen: list[float], pauses: int
) -> None:
    slept, now = [], [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds
        slept.append(seconds)

    monkeypatch.setattr(cell, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep, time=time.time))
    monkeypatch.setattr(quiet, "stolen_per_30", lambda: stolen.pop(0))
    run = scripts.run("")
    monkeypatch.setattr(run, "_check_alive", lambda *_: None)
    run._sit_out_really()
    assert sum(slept) == pytest.approx(pauses * CATALOG.file.again.wait, abs=pauses)


def test_each_window_of_a_fork_has_its_own_count(scripts: Scripts) -> None:
    run = scripts.run("speed", "", "", "warm", "")
    planned = scripts.session.plan.runs[0]
    run.begin()
    assert [[s.gates for s in run.window(planned).superseded] for _ in range(3)] == [
        [("speed",)],
        [],
        [("warm",)],
    ]


@pytest.mark.parametrize(
    ("failed", "measured"), [("warm", 1), ("speed warm", 1), ("speed", 2), ("foreign", 2)]
)
def test_of_a_service_that_never_was_steady_only_what_the_machine_did_is_measured_again(
    scripts: Scripts, monkeypatch: pytest.MonkeyPatch, failed: str, measured: int
) -> None:
    run = scripts.run(failed, "")
    restless = Warmup(requests=1, seconds=1.0, steady=None)

    def up() -> None:
        run._fields = run._up_fields = {"warmup": restless}

    monkeypatch.setattr(run, "_up", up)
    run.execute()
    assert run.measured == measured

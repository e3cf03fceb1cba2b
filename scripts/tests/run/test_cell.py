"""A run's windows, and which of them are measured again. Real services are in tests/runs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from telar.catalog.load import load
from telar.plan.cells import Pair, PlannedRun
from telar.run import quiet, ruler
from telar.run.http import again, cell, evidence
from telar.run.http.hooks import Hooks
from telar.store.files import Session
from telar.store.record import Gate, Record, Warmup

from ..store.records import CELL, plan, record

ROOT = Path(__file__).parents[3]
CATALOG = load(ROOT)
STEADY = Warmup(requests=1, seconds=1.0, steady=True)
RESTLESS = Warmup(requests=1, seconds=1.0, steady=None)


class Services:
    """In place of real ones: its windows fail the gates that the test says."""

    database = system = data = client = guest = archive = None
    beside = stages = ()
    variant = CATALOG.variants[CELL.variant]

    def __init__(self, folder: Path, windows: tuple[str, ...], warmup: Warmup) -> None:
        self.folder, self.windows, self.warmup = folder, windows, warmup
        self.measured = 0
        self.few: list[bool] = []  # of each window
        self.pauses: list[int] = []  # before which windows
        self.watched: list[str] = []  # run ids
        self.closed = 0

    def start_app(self, run_id: str) -> None: ...

    def start_sampling(self) -> None: ...

    def check_alive(self, *names: str) -> None: ...

    def require_sound(self, error: Exception | None = None) -> None: ...

    def watch(self, run_id: str) -> None:
        self.watched.append(run_id)

    def close(self) -> None:
        self.closed += 1

    # ---- as driving does

    def warm_up(self, planned: object) -> Warmup:
        return self.warmup

    def window_seed(self, repetition: int) -> int:
        return repetition

    def window(self, repetition: int, *, few: bool) -> None:
        self.measured += 1
        self.few.append(few)

    # ---- as the record says and the gates judge

    def record_of(
        self, found: evidence.Evidence, stack: object, plan: object, planned: PlannedRun, **own: Any
    ) -> Record:
        return record(
            **own,
            warmup=found.warmup,
            superseded=found.superseded,
            timeline=found.phases,
            ruler=found.ruler,
        )

    def judge(self, record: Record, catalog: object) -> tuple[Gate, ...]:
        failed = self.windows[self.measured - 1].split()
        return tuple(Gate(name=name, verdict="fail", observed="", expected="") for name in failed)


class Scripts:
    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.session = Session.create(folder / "20261121-071806-smoke", plan(CELL))
        self._patch = monkeypatch

    def run(
        self, *windows: str, warmup: Warmup = STEADY, hooks: Hooks | None = None
    ) -> tuple[cell.CellRun, Services]:
        services = Services(self.session.folder / "logs", windows, warmup)

        def pause(_: again.Patience, check_alive: Callable[[], None]) -> None:
            check_alive()
            services.pauses.append(services.measured + 1)

        self._patch.setattr(cell, "Stack", lambda *_, **__: services)
        self._patch.setattr(cell, "Driving", lambda *_: services)
        self._patch.setattr(cell, "judge", services.judge)
        self._patch.setattr(ruler, "measure", lambda: 0.02)
        self._patch.setattr(again.Patience, "sit_out", pause)
        self._patch.setattr(evidence, "java_of", lambda _: None)
        self._patch.setattr(evidence, "window", lambda *_, **__: evidence.Window())
        self._patch.setattr(evidence, "record_of", services.record_of)
        made = cell.CellRun(
            CATALOG,
            None,  # type: ignore[arg-type]  # no service is started
            self.session.plan,
            self.session.plan.runs[0],
            session=self.session.id,
            folder=services.folder,
            progress=print,
            supersede=self.session.supersede,
            hooks=hooks,
        )
        return made, services

    @property
    def kept(self) -> dict[str, list[str]]:
        """Run id → the gates that failed, of what was superseded."""
        found = list(self.session.superseded())
        assert all(isinstance(each, Record) for each in found)
        return {r.run_id: [g.name for g in r.gates] for r in found if isinstance(r, Record)}


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scripts:
    return Scripts(tmp_path, monkeypatch)


def test_a_window_spoilt_by_what_passes_is_measured_again_and_all_are_kept(scripts: Scripts) -> None:
    run, services = scripts.run("speed", "warm foreign little", "", "never")
    found = run.execute()
    assert (services.measured, found.gates) == (3, ())
    assert [list(s.gates) for s in found.superseded] == [["speed"], ["warm", "foreign", "little"]]
    assert scripts.kept == {s.run_id: list(s.gates) for s in found.superseded}
    assert found.run_id not in scripts.kept


def test_a_pairs_window_is_not_measured_again_for_the_machines_speed_alone(scripts: Scripts) -> None:
    run, _ = scripts.run("speed warm", "speed", "never")
    planned = msgspec.structs.replace(scripts.session.plan.runs[0], pair=Pair(fork=1, window=1, side="a"))
    run.begin()
    found = run.window(planned)
    assert [g.name for g in found.gates] == ["speed"]
    assert [list(s.gates) for s in found.superseded] == [["speed", "warm"]]


@pytest.mark.parametrize("failed", ["status", "speed status", "little", "client telemetry"])
def test_what_would_be_wrong_again_is_not_measured_again(scripts: Scripts, failed: str) -> None:
    run, services = scripts.run(failed, "never")
    assert [g.name for g in run.execute().gates] == failed.split()
    assert (services.measured, scripts.kept) == (1, {})


def test_a_machine_that_stays_as_it_is_ends_it(scripts: Scripts) -> None:
    (run, services), times = scripts.run(*["speed"] * 9), CATALOG.file.again.times
    found = run.execute()
    assert (services.measured, len(found.superseded), [g.name for g in found.gates]) == (
        times + 1,
        times,
        ["speed"],
    )


def test_a_machine_that_others_use_is_given_time(scripts: Scripts) -> None:
    run, services = scripts.run("foreign", "speed", "foreign warm", "")
    run.execute()
    assert services.pauses == [2, 4]


@pytest.mark.parametrize(("stolen", "pauses"), [([0.0], 1), ([9.0, 9.0, 0.5, 9.0], 3), ([9.0] * 99, 15)])
def test_a_pause_lasts_until_the_host_takes_nothing_or_patience_ends(
    monkeypatch: pytest.MonkeyPatch, stolen: list[float], pauses: int
) -> None:
    slept, now = [], [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds
        slept.append(seconds)

    monkeypatch.setattr(again, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=sleep))
    monkeypatch.setattr(quiet, "stolen_per_30", lambda: stolen.pop(0))
    limit = CATALOG.file.gate.foreign.stolen_per_30
    again.Patience(CATALOG.file.again, limit).sit_out(lambda: None)
    assert sum(slept) == pytest.approx(pauses * CATALOG.file.again.wait, abs=pauses)


def test_each_window_of_a_fork_has_its_own_count(scripts: Scripts) -> None:
    run, _ = scripts.run("speed", "", "", "warm", "")
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
    scripts: Scripts, failed: str, measured: int
) -> None:
    run, services = scripts.run(failed, "", warmup=RESTLESS)
    run.execute()
    assert services.measured == measured


def test_what_a_hook_forgives_is_not_what_the_record_says(scripts: Scripts) -> None:
    class Forgiving(Hooks):
        def judged(self, record: Record) -> Record:
            gates = tuple(g for g in record.gates if g.name != "flags")
            return msgspec.structs.replace(record, gates=gates)

    run, services = scripts.run("flags speed", "flags", "never", hooks=Forgiving())
    found = run.execute()
    assert ([g.name for g in found.gates], services.measured) == (["flags"], 2)
    assert list(found.superseded[0].gates) == ["flags", "speed"]


def test_each_window_says_its_own_phases_after_those_that_all_begin_with(scripts: Scripts) -> None:
    run, services = scripts.run("", "foreign", "")
    planned = scripts.session.plan.runs[0]
    run.begin()
    first, second = run.window(planned), run.window(planned)
    up = ["start", "warm-up"]
    assert [p.name for p in first.timeline] == [*up, "reset", "window", "collect"]
    assert [p.name for p in second.timeline] == [*up, "pause", "reset", "window", "collect"]
    assert first.run_id == services.watched[0] != second.run_id == services.watched[-1]


def test_an_extra_window_is_measured_once_and_never_judged(scripts: Scripts) -> None:
    run, services = scripts.run("speed", "never")
    seen: list[int] = []

    @contextlib.contextmanager
    def during() -> Iterator[None]:
        seen.append(services.measured)
        yield
        seen.append(services.measured)

    run.begin()
    found = run.extra_window(scripts.session.plan.runs[0], during())
    assert (found.gates, found.validity, found.superseded) == ((), "invalid", ())
    assert found.ruler is None, "no gate asks for the machine's speed"
    assert (seen, services.measured, scripts.kept) == ([0, 1], 1, {})
    assert run.window(scripts.session.plan.runs[0]).ruler, "one does, of a window that is judged"
    assert services.few == [True, False]

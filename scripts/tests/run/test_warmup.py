"""Warming up in cycles: what k6 is asked for, and what is made of its rows while it writes them."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import floor
from pathlib import Path

import msgspec
import pytest

from telar.catalog.load import load
from telar.catalog.rules import SteadyFile
from telar.collect.k6 import Results
from telar.collect.sampler import Timeline, Values
from telar.run import warmup
from telar.store.record import Warmup, WarmupCycle

CATALOG = load(Path(__file__).parents[3])
RULES = SteadyFile(
    load=8,
    pause=2,
    vus=32,
    rehearsal=20,
    rehearsals=6,
    window=4,
    floor=40,
    ceiling=6,
    compiling=0.10,
    cpu=0.15,
    p50=0.25,
)
T0 = 1795245500.0
RATE = 2  # requests a second of load
HEADER = "metric_name,timestamp,metric_value,error,error_code,name,status,extra_tags,metadata\n"


class Machine:
    """A clock that only `wait` moves, k6 writing its rows, and a sampler reading once a second."""

    def __init__(self, results: Path, shares: list[float], *, ends: float = float("inf")) -> None:
        self._results, self._shares, self._ends = results, shares, T0 + ends
        self.now = T0 - 0.5
        self.samples: list[tuple[float, Values]] = [(T0 - 1, _used(0.0, 0.0))]
        self._app = self._compiler = 0.0
        results.write_text(HEADER)

    def time(self) -> float:
        return self.now

    def wait(self, seconds: float) -> bool:
        until = min(self.now + seconds, self._ends)
        for whole in range(floor(self.now) + 1, floor(until) + 1):
            self._second(float(whole))
        self.now = until
        return until < self._ends

    def timeline(self) -> Timeline:
        return Timeline(list(self.samples), [])

    def _second(self, end: float) -> None:
        """Of load: requests and a second's processor time; of pause: the compilers go on alone."""
        if end <= T0:
            return
        cycle, within = divmod(end - T0 - 1, RULES.load + RULES.pause)
        share = self._shares[min(int(cycle), len(self._shares) - 1)]
        if within < RULES.load:
            self._app += 1.0
            self._compiler += share
            with self._results.open("a") as file:
                file.writelines(
                    f"http_req_duration,{int((end - n * 0.25) * 1e6)},250.0,,,get,200,stage=cycle-1,\n"
                    for n in (1, 0)
                )
        self.samples.append((end, _used(self._app, self._compiler)))


def _used(app: float, compiler: float) -> Values:
    return {"app.cpu_seconds": app, "app.compiler_seconds": compiler}


@pytest.fixture
def warm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Warmup]:
    """The warm-up of a service whose compilers have these shares, cycle by cycle."""

    def run(*shares: float, rules: SteadyFile = RULES, ends: float = float("inf")) -> Warmup:
        machine = Machine(tmp_path / "warm-up.csv", list(shares), ends=ends)
        monkeypatch.setattr(warmup, "time", machine)
        return warmup.until_steady(rules, tmp_path / "warm-up.csv", machine.timeline, machine.wait)

    return run


def test_the_plan_is_a_load_and_a_pause_for_each_cycle_up_to_the_ceiling() -> None:
    workload = CATALOG.workloads["movies-constant"]
    plan = json.loads(warmup.cycles_plan(workload, RULES, 400, 7))
    assert [s["name"] for s in plan["stages"][:3]] == ["cycle-1", "pause-1", "cycle-2"]
    assert [(s["from"], s["to"], s["duration"]) for s in plan["stages"]] == [(400, 400, 8), (0, 0, 2)] * 6
    assert (plan["seed"], plan["vus"]) == (7, {"pre_allocated": 32})
    assert plan["mix"] == workload.file.mix


def test_a_warm_up_ends_after_the_first_cycles_that_are_alike(warm: Callable[..., Warmup]) -> None:
    seen = warm(0.6, 0.05)
    assert (seen.steady, len(seen.cycles)) == (True, 5)
    assert (seen.requests, seen.seconds) == (5 * 8 * RATE, 50)


def test_a_cycle_has_its_own_requests_and_what_was_used_in_it(warm: Callable[..., Warmup]) -> None:
    first, second = warm(0.6, 0.05).cycles[:2]
    assert (first.start, second.start) == (0, 10)
    assert first.requests == second.requests == 8 * RATE
    assert first.p50_ms == 250
    assert first.app_seconds == pytest.approx(8, abs=1)  # the first request begins within a second
    assert first.compiler_seconds / first.app_seconds == pytest.approx(0.6, abs=0.1)
    assert second.compiler_seconds / second.app_seconds == pytest.approx(0.05, abs=0.1)


def test_before_the_floor_nobody_asks(warm: Callable[..., Warmup]) -> None:
    assert len(warm(0.01).cycles) == 4  # 40 requests are had after 3, the window after 4
    floor = msgspec.structs.replace(RULES, floor=8 * RATE * 5)
    assert len(warm(0.01, rules=floor).cycles) == 5


def test_at_the_ceiling_all_cycles_are_kept_and_it_is_not_steady(warm: Callable[..., Warmup]) -> None:
    # k6 has no more stages then, and ends by itself.
    seen = warm(0.5, ends=RULES.ceiling * 10 + 0.1)
    assert (seen.steady, len(seen.cycles), seen.seconds) == (False, 6, 60)
    assert seen.cycles[-1].requests == 8 * RATE


def test_a_cycle_in_which_k6_ended_is_not_kept(warm: Callable[..., Warmup]) -> None:
    seen = warm(0.5, ends=23)
    assert (seen.steady, len(seen.cycles)) == (False, 2)


def test_a_k6_that_ends_without_a_request_leaves_no_cycle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    def wait(seconds: float) -> bool:
        waits.append(seconds)
        return len(waits) < 3

    seen = warmup.until_steady(RULES, tmp_path / "none.csv", lambda: Timeline([], []), wait)
    assert (seen.cycles, seen.requests, seen.steady) == ((), 0, False)
    assert len(waits) == 3


# ---- rehearsals


@pytest.mark.parametrize(
    ("seconds", "stages"),
    [
        (4, [("hold-50", 50, 50, 4)]),
        (6, [("hold-50", 50, 50, 4), ("climb-100", 50, 75, 2)]),
        (20, None),
        (90, None),
    ],
)
def test_a_rehearsal_is_the_beginning_of_the_windows_own_schedule(
    seconds: int, stages: list[tuple[str, int, int, int]] | None
) -> None:
    workload = CATALOG.workloads["movies-short"]
    whole = [(s.name, s.from_, s.to, s.duration) for s in workload.file.stage]
    found = warmup.beginning(workload, seconds)
    assert [(s.name, s.from_, s.to, s.duration) for s in found] == (stages or whole)


@pytest.mark.parametrize(
    ("before", "share", "steady"),
    [((), 0.05, False), ((0.05,), 0.05, True), ((0.05,), 0.30, False), ((0.40,), 0.05, False)],
)
def test_a_service_is_warm_once_its_compilers_are_nearly_done_in_two_rehearsals(
    before: tuple[float, ...], share: float, steady: bool
) -> None:
    earlier = tuple(
        WarmupCycle(start=0.0, requests=3, p50_ms=3.0, app_seconds=10.0, compiler_seconds=10.0 * s)
        for s in before
    )
    seen = Warmup(requests=1000, seconds=30.0, steady=True, rehearsals=earlier)
    samples = [(T0 + n, _used(n * 0.5, n * 0.5 * share)) for n in range(25)]
    ends = [(T0 + 21, 20e6, False), (T0 + 5, 3000.0, False), (T0 + 6, 2000.0, False)]
    results = Results(ends=ends)
    after = warmup.rehearsed(seen, results, Timeline(samples, []), RULES)
    assert (after.requests, after.seconds, after.steady) == (1003, 50.0, steady)
    *others, rehearsal = after.rehearsals
    assert tuple(others) == earlier
    assert (rehearsal.start, rehearsal.requests, rehearsal.p50_ms) == (30.0, 3, 3.0)
    assert rehearsal.app_seconds == pytest.approx(10)
    assert rehearsal.compiler_seconds == pytest.approx(10 * share)

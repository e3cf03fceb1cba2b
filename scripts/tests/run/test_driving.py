"""How many users a load has. Real ones are in tests/runs."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from telar.catalog.load import load
from telar.run.engine import LoadLaunch
from telar.run.http.driving import SPARE, Driving
from telar.run.http.hooks import Hooks

from ..collect.test_k6 import T0, request, write

CATALOG = load(Path(__file__).parents[3])
WORKLOAD = CATALOG.workloads["movies-window"]
ALL = WORKLOAD.file.vus.pre_allocated


class Services:
    """In place of real ones, and of k6: so many requests are under way at once as the test says."""

    telemetry = ()
    base = "http://127.0.0.1:1"
    catalog, client = CATALOG, None
    cell = SimpleNamespace(workload=WORKLOAD.name)
    layout = SimpleNamespace(generators=1, generator_cpus="0")
    sampler = SimpleNamespace(sample=lambda: None)

    def __init__(self, folder: Path, guest: object = None) -> None:
        self.folder, self.guest = folder, guest
        self.hooks, self.engine = Hooks(), self
        self.at_once = 1
        self.users: list[int] = []  # of each load
        self.touching: list[float] = []  # seconds of each

    def start_load(self, launch: LoadLaunch) -> Any:
        plan = json.loads(Path(launch.environment["TELAR_PLAN"]).read_bytes())
        self.users.append(plan["vus"]["pre_allocated"])
        self.touching.append(plan["touch"]["duration"])
        write(self.folder / f"{launch.name}.csv", *(request(T0, 9) for _ in range(self.at_once)))
        return SimpleNamespace(ended=lambda: 0)

    def add(self, name: str, service: object) -> None: ...

    def stop(self, name: str) -> None: ...

    def read_limits(self) -> None: ...

    def require_sound(self) -> None: ...

    def check_alive(self, *names: str) -> None: ...


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return Services(tmp_path)


def driving(services: object) -> Driving:
    return Driving(services, seed=1)  # type: ignore[arg-type]


def test_a_window_that_is_judged_has_all_of_them(services: Services) -> None:
    own = driving(services)
    own.window(1)
    own.window(2)
    assert services.users == [ALL, ALL]


def test_an_extra_one_has_some_more_than_were_busy_before(services: Services) -> None:
    own = driving(services)
    services.at_once = 9
    own.window(1)
    own.window(1, few=True)
    services.at_once = 2
    own.window(1, few=True)
    own.window(1, few=True)
    assert services.users == [ALL, SPARE * 9, SPARE * 9, SPARE * 2]
    rate = WORKLOAD.peak_rate
    assert services.touching == pytest.approx(
        [ALL / rate, SPARE * 9 / rate, SPARE * 9 / rate, SPARE * 2 / rate]
    )


def test_never_more_than_the_workload_says(services: Services) -> None:
    own = driving(services)
    services.at_once = ALL // SPARE + 1
    own.window(1)
    own.window(1, few=True)
    assert services.users == [ALL, ALL]


def test_before_any_load_was_looked_at_it_has_all(services: Services) -> None:
    driving(services).window(1, few=True)
    assert services.users == [ALL]


def test_a_guests_script_may_keep_a_user_busy_without_a_request(tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("telar.run.http.driving.guest_script", lambda *_: tmp_path / "guest.ts")
        services = Services(tmp_path, guest=SimpleNamespace(first="/"))
        own = driving(services)
        own.window(1)
        own.window(1, few=True)
    assert services.users == [ALL, ALL]

"""What `telar claims` says of made-up records: each word, and what doesn't count."""

from __future__ import annotations

import itertools
import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import pytest
from rich.cells import cell_len

from telar.cli import common
from telar.plan.cells import Cell, Pair, Plan, PlannedRun
from telar.store.files import Session
from telar.store.record import Gate, Metric, Planned, Product, Record

from ..publish.sessions import measured
from ..store.records import CELL, WARMUP, put
from .conftest import ROOT, Telar

PLATFORM, VIRTUAL = (
    msgspec.structs.replace(CELL, workload="movies-ramp", variant=f"spring-mysql-blocking-{launch}")
    for launch in ("platform", "virtual")
)
TOMCAT = msgspec.structs.replace(
    CELL, system="sleep", variant="spring-tomcat-platform", workload="sleep-100", drivers={}
)
Run = tuple[Cell, dict[str, float], dict[str, Any]]
IDS = itertools.count(1)
SIDES: tuple[Literal["a", "b"], ...] = ("a", "b")


@pytest.fixture
def reference(checkout: Path) -> Path:
    shutil.copytree(ROOT / "benchmarks-data" / "claims", checkout / "benchmarks-data" / "claims")
    return checkout / "benchmarks-data" / "reference"


def keep(folder: Path, runs: Sequence[Run], name: str = "20261125-080000-thesis") -> Session:
    """A session of these runs in this order. `changes` replace fields of a record; `pair` is the plan's."""
    planned = tuple(
        PlannedRun(position=n, repetition=1, cell=cell, warmup=WARMUP, pair=changes.get("pair"))
        for n, (cell, _, changes) in enumerate(runs, start=1)
    )
    session = Session.create(folder / name, Plan(suite="thesis", seed=1, runs=planned))
    for run, (_, values, changes) in zip(planned, runs, strict=True):
        put(session, run, made(values, changes))
    return session


def made(values: dict[str, float], changes: dict[str, Any]) -> Record:
    metrics = {n: Metric(value=v, unit="", better="smaller") for n, v in values.items()}
    fields = {"planned": None, "run_id": f"{next(IDS):016x}", **changes}
    return measured(CELL.variant, 1.0, metrics=metrics, **fields)


def in_turns(metric: str, platform: Iterable[float], virtual: Iterable[float], **changes: Any) -> list[Run]:
    pairs = zip(platform, virtual, strict=True)
    return [
        (cell, {metric: value}, changes)
        for pair in pairs
        for cell, value in zip((PLATFORM, VIRTUAL), pair, strict=True)
    ]


def whole(telar: Telar, name: str) -> str:
    said = telar("claims", name)
    assert said.code == 0, said.err
    return said.out


def word(telar: Telar, name: str) -> str:
    first = whole(telar, name).splitlines()[0]
    assert first.startswith(f"{name}: ")
    return first.removeprefix(f"{name}: ")


THREADS = in_turns("os-threads", (129, 130, 128), (41, 42, 41))


def test_reproduced_with_effect_interval_and_the_original(telar: Telar, reference: Path) -> None:
    keep(reference / "thesis", THREADS)
    out = whole(telar, "CLM-03")
    assert out.startswith("CLM-03: reproduced\n")
    assert "os-threads of virtual ÷ platform: ×0.32 (×0.31 … ×0.33)" in out
    assert "reproduced at ×0.50 and below; original: 7 against 206 blocked threads" in out
    assert "medians 41 threads and 129 threads, 3 and 3 runs" in out
    assert "20261125-080000-thesis" in out
    assert "MariaDB 11.4.3" in out
    assert "the gate telemetry would have failed" in out
    assert "./telar run" not in out


def test_not_reproduced(telar: Telar, reference: Path) -> None:
    keep(reference, in_turns("capacity", (500,) * 3, (500,) * 3))
    out = whole(telar, "CLM-01")
    assert out.startswith("CLM-01: not reproduced\n")
    assert "×1.00 (×1.00 … ×1.00)" in out
    assert "original: 330/s against 430/s" in out


def test_undecided_where_the_interval_reaches_across_the_bounds(telar: Telar, reference: Path) -> None:
    keep(reference, in_turns("app-cpu", (0.5, 0.6, 0.7), (0.5, 0.55, 0.7)))
    out = whole(telar, "CLM-02")
    assert out.startswith("CLM-02: undecided\n")
    assert "app-cpu: the interval reaches across the bounds" in out
    assert "./telar run thesis --only 'spring-mysql-blocking-*' --repeat 6" in out


def test_an_interval_that_ends_close_to_a_bound_has_the_decimals_to_see_it(
    telar: Telar, reference: Path
) -> None:
    keep(reference, in_turns("os-threads", (1000, 1000, 1000), (496, 498, 500)))
    out = whole(telar, "CLM-03")
    assert out.startswith("CLM-03: undecided\n")
    assert "os-threads of virtual ÷ platform: ×0.498 (×0.493 … ×0.503)" in out
    assert "reproduced at ×0.50 and below" in out


@pytest.mark.usefixtures("reference")
def test_not_testable_here_with_its_reason(telar: Telar) -> None:
    out = whole(telar, "CLM-24")
    assert out.startswith("CLM-24: not testable here\n")
    assert "Linux 4.18" in out


@pytest.mark.usefixtures("reference")
def test_without_a_record_the_command_that_makes_some(telar: Telar) -> None:
    out = whole(telar, "CLM-14")
    assert out.startswith("CLM-14: undecided\n")
    assert "undecided: no record\n  ./telar run sleep --only sleep/spring-tomcat-virtual --repeat 3\n" in out


@pytest.mark.usefixtures("reference")
def test_a_workload_that_isnt_there_is_said(telar: Telar, reference: Path) -> None:
    claim = reference.parent / "claims" / "CLM-11.toml"
    text = claim.read_text().replace("locations-get-closed", "locations-get-thinking")
    claim.write_text(text.replace('suite = "locations-closed"', 'awaits = "users who think"'))
    out = whole(telar, "CLM-11")
    assert "the catalogue has no workload locations-get-thinking; to come: users who think" in out
    assert "./telar run" not in out


@pytest.mark.parametrize("runs", [1, 2])
def test_few_runs_decide_nothing(telar: Telar, reference: Path, runs: int) -> None:
    keep(reference, THREADS[: 2 * runs])
    out = whole(telar, "CLM-03")
    assert out.startswith("CLM-03: undecided\n")
    assert f"{runs} and {runs} runs with os-threads: at least 3 of each are needed" in out
    assert "--repeat 4" in out if runs == 2 else "--repeat" not in out


def test_windows_of_one_jvm_are_one_value(telar: Telar, reference: Path) -> None:
    pairs = [Pair(fork=1, window=n, side=side) for n in (1, 2, 3) for side in SIDES]
    keep(reference, [(c, v, {"pair": pair}) for (c, v, _), pair in zip(THREADS, pairs, strict=True)])
    assert "1 and 1 runs with os-threads" in whole(telar, "CLM-03")


FAILED = Gate(name="warm", verdict="fail", observed="", expected="")
BUSY = Gate(name="client", verdict="fail", observed="", expected="", limited_by="generator")
SHORT = Planned(seed=1, warmup_workload="movies-constant", warmup_rate=100, warmup_seconds=10)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"validity": "invalid", "gates": (FAILED,)}, "invalid (warm)"),
        ({"validity": "limited", "gates": (BUSY,)}, "limited (client)"),
        ({"planned": SHORT}, "a preview, not warm"),
    ],
)
def test_what_isnt_valid_doesnt_count(
    telar: Telar, reference: Path, changes: dict[str, Any], reason: str
) -> None:
    keep(reference, [(cell, values, changes) for cell, values, _ in THREADS])
    out = " ".join(whole(telar, "CLM-03").split())
    assert "undecided: no record; 6 left out: " + reason in out


def test_another_product_than_the_claims_doesnt_count(telar: Telar, reference: Path) -> None:
    cells = [
        msgspec.structs.replace(c, variant=c.variant.replace("mysql", "mongodb"), drivers={})
        for c in (PLATFORM, VIRTUAL)
    ]
    provenance = msgspec.structs.replace(
        made({}, {}).provenance, database=Product(name="FerretDB", version="1.24.0")
    )
    keep(reference, [(c, {"p50": 1.0}, {"provenance": provenance}) for c in cells * 3])
    assert "6 left out: FerretDB, not MongoDB" in " ".join(whole(telar, "CLM-06").split())


def test_sides_of_two_sessions_are_not_compared(telar: Telar, reference: Path) -> None:
    keep(reference, THREADS[::2], "20261125-080000-thesis")
    keep(reference, THREADS[1::2], "20261125-090000-thesis")
    out = whole(telar, "CLM-03")
    assert out.startswith("CLM-03: undecided\n")
    assert "no session has all of its sides" in out


def test_all_of_one_side_before_the_other_is_not_compared(telar: Telar, reference: Path) -> None:
    keep(reference, [*THREADS[::2], *THREADS[1::2]])
    out = " ".join(whole(telar, "CLM-03").split())
    assert out.startswith("CLM-03: undecided ")
    assert "not comparable: repeats (3 and 3 runs, all of one arm before the other)" in out


def test_another_kernel_on_one_side_is_not_compared(telar: Telar, reference: Path) -> None:
    provenance = made({}, {}).provenance
    machine = msgspec.structs.replace(provenance.machine, kernel="6.2")
    other = {"provenance": msgspec.structs.replace(provenance, machine=machine)}
    keep(reference, [(c, v, other if c == VIRTUAL else {}) for c, v, _ in THREADS])
    out = " ".join(whole(telar, "CLM-03").split())
    assert "not comparable: flags (machine: " in out


def test_the_session_with_most_runs_decides_and_the_others_are_shown(telar: Telar, reference: Path) -> None:
    keep(reference, in_turns("os-threads", (100,) * 4, (40,) * 4), "20261125-080000-thesis")
    keep(reference, in_turns("os-threads", (100,) * 3, (99,) * 3), "20261126-080000-thesis")
    out = whole(telar, "CLM-03")
    assert out.startswith("CLM-03: reproduced\n")
    assert "20261125-080000-thesis: reproduced" in out
    assert "20261126-080000-thesis: not reproduced" in out


def test_this_machines_sessions_count_and_a_run_kept_twice_counts_once(
    telar: Telar, reference: Path, checkout: Path
) -> None:
    session = keep(checkout / "benchmarks-data" / "local", THREADS[:4])
    shutil.copytree(session.folder, reference / session.id)
    assert "2 and 2 runs with os-threads" in whole(telar, "CLM-03")


def test_a_claim_about_what_is_beyond_a_limit_takes_records_limited_by_the_app(
    telar: Telar, reference: Path
) -> None:
    beyond = Gate(name="arrivals", verdict="fail", observed="", expected="", limited_by="app")
    changes = {"validity": "limited", "gates": (beyond,)}
    values = {"held": 50.0, "os-threads": 231.0}
    keep(reference, [(TOMCAT, values, changes)] * 3)
    assert word(telar, "CLM-13") == "reproduced"


def test_but_not_those_limited_by_something_else(telar: Telar, reference: Path) -> None:
    changes = {"validity": "limited", "gates": (BUSY,)}
    keep(reference, [(TOMCAT, {"held": 50.0, "os-threads": 231.0}, changes)] * 3)
    assert word(telar, "CLM-13") == "undecided"


def test_one_assertion_that_fails_is_enough(telar: Telar, reference: Path) -> None:
    keep(reference, [(TOMCAT, {"held": 50.0, "os-threads": 40.0}, {})] * 3)
    out = whole(telar, "CLM-13")
    assert out.startswith("CLM-13: not reproduced\n")
    assert "reproduced: held of platform: 50.0 (50.0 … 50.0)" in out
    assert "not reproduced: os-threads of platform: 40 (40 … 40)" in out


def test_a_damaged_record_is_named(telar: Telar, reference: Path) -> None:
    session = keep(reference, THREADS)
    path = next(session.folder.glob("records/*.json"))
    path.write_text(path.read_text()[:-40])
    said = telar("claims", "CLM-03")
    assert said.code == 0
    assert said.err.startswith(f"left out: {path}: ")
    assert "2 and 3 runs" in said.out or "3 and 2 runs" in said.out


def test_all_of_them_at_eighty_columns(
    telar: Telar, reference: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(common.console, "_width", 80)
    keep(reference, THREADS)
    said = telar("claims")
    assert said.code == 0
    assert max(cell_len(line) for line in said.out.splitlines()) <= 80
    assert "×0.32" in said.out
    assert "24 claims: 1 reproduced, 0 not reproduced, 22 undecided, 1 not testable here" in said.out
    assert "CLM-04, CLM-05: undecided: no record" in said.out


def test_for_machines(telar: Telar, reference: Path) -> None:
    keep(reference, THREADS)
    found = {each["name"]: each for each in json.loads(telar("claims", "--json").out)}
    assert len(found) == 24
    own = found["CLM-03"]
    assert own["word"] == "reproduced"
    (said,) = own["comparison"]["said"]
    assert said["runs"] == [3, 3]
    assert said["estimate"]["low"] < said["estimate"]["value"] < said["estimate"]["high"] < 0.5
    assert found["CLM-14"]["command"].startswith("./telar run sleep --only ")


@pytest.mark.usefixtures("reference")
def test_a_name_that_is_none_gets_the_nearest(telar: Telar) -> None:
    said = telar("claims", "CLM-99")
    assert said.code == 2
    assert "there is no claim 'CLM-99'" in said.err
    assert "did you mean" in said.err

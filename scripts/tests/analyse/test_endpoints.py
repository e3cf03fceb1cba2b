"""Latency endpoint by endpoint: what is judged, what is too rare for it, and what a reader sees of it."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from telar.analyse import endpoints
from telar.analyse.calibration import calibrate, value_of
from telar.analyse.verdicts import Compared, Verdict, compare
from telar.catalog.load import load
from telar.publish.verdict import Comparison, Occasion, headline, markdown, print_verdict
from telar.store.floors import Floors
from telar.store.record import Latency, Record

from ..store.calibrations import window
from ..store.records import CELL, latency, record

CATALOG = load(Path(__file__).parents[3])
MIX = {"get": 210, "list": 60, "create": 27, "delete": 3}
CREATE = "latency-relative@create"
UNKNOWN = Floors()


def latencies(dice: random.Random, times: dict[str, float], mix: dict[str, int]) -> tuple[Latency, ...]:
    """About a millisecond each; `times`: the factor of an endpoint's."""
    machine = dice.lognormvariate(0, 0.03)
    return tuple(
        latency(
            [1000 * machine * times.get(name, 1.0) * dice.lognormvariate(0, 0.4) for _ in range(count)],
            endpoint=name,
        )
        for name, count in mix.items()
    )


def compared(
    times: dict[str, float], *, forks: int = 1, windows: int = 4, mix: dict[str, int] = MIX,
    known: Floors = UNKNOWN, seed: int = 1,
) -> Compared:  # fmt: skip
    dice = random.Random(seed)
    records = [
        window(
            fork, number, side, {"failures": 0.0, "dropped": 0.0, "generator-cpu": 0.4},
            latencies=latencies(dice, times if side == "b" else {}, mix),
        )
        for fork, number, side in product(range(1, forks + 1), range(1, windows + 1), "ab")
    ]  # fmt: skip
    (found,) = compare(CATALOG, records, known, {(CELL.name, CELL.name): forks * windows}, ended=True)
    return found


def calibrated() -> Floors:
    """The floors of eight forks of three pairs of one build."""
    dice = random.Random(7)
    records = [
        window(
            fork, number, side, {"generator-cpu": 0.4}, latencies=latencies(dice, {}, {**MIX, "delete": 30})
        )
        for fork, number, side in product(range(1, 9), (1, 2, 3), "ab")
    ]
    return Floors(calibrations=tuple(calibrate(CATALOG, records)))


def word(found: Compared, metric: str) -> str:
    verdict = found.of(metric)
    assert verdict is not None
    return verdict.word


@pytest.mark.thorough
def test_three_times_as_long_in_one_endpoint_is_worse_in_one_fork_without_any_floor() -> None:
    """What three milliseconds of sleep in POST do to a service that answers in one."""
    found = compared({"create": 4.0}, windows=5)
    assert word(found, CREATE) == "worse"
    assert word(found, "latency-relative@get") == "undecided"
    assert found.word == "worse"


@pytest.mark.thorough
def test_what_is_no_different_is_never_worse_nor_better() -> None:
    for seed in range(5):
        found = compared({}, windows=5, seed=seed)
        assert {v.word for v in (*found.verdicts, *found.beside)} <= {"same", "undecided"}


@pytest.mark.thorough
def test_a_calibration_holds_the_floors_of_endpoints_and_they_make_a_verdict_finer() -> None:
    known = calibrated()
    floors = known.calibrations[0].floors
    assert {f"latency-relative@{name}" for name in MIX} <= floors.keys()
    assert floors["latency-relative@get"].pair_to_pair == pytest.approx(0.05, abs=0.03)
    rare = {**MIX, "delete": 30}
    found = compared({"delete": 5.0}, mix=rare, known=known)
    assert word(found, "latency-relative@delete") == "worse"
    assert word(compared({"create": 1.6}, forks=2, known=known), CREATE) == "worse"
    assert word(compared({"create": 0.6}, forks=2, known=known), CREATE) == "better"


def test_an_endpoint_of_too_few_requests_says_so_and_is_not_judged() -> None:
    found = compared({"delete": 10.0})
    assert found.of("latency-relative@delete") is None
    assert found.unknown == ("latency of DELETE /movies/{id} (3 requests in a window, 20 are needed)",)


def test_the_value_is_the_mean_of_logarithms_over_all_stages_in_units_of_the_generators_time() -> None:
    halves = (latency([1000] * 10), latency([4000] * 10, stage="climb-100"))
    found = record(numbers={"generator-cpu": 0.5}, latencies=halves)
    assert value_of(found, "latency-relative@get") == pytest.approx(4.0, rel=2e-3)  # √(1 · 4) ms ÷ 0.5 ms
    assert value_of(record(latencies=halves), "latency-relative@get") is None
    assert value_of(found, "latency-relative@list") is None


def test_only_a_metric_that_is_told_by_endpoint_has_endpoints() -> None:
    assert endpoints.file_of(CATALOG, CREATE) is CATALOG.file.metric["latency-relative"]
    assert endpoints.file_of(CATALOG, "latency-relative") is None
    assert endpoints.file_of(CATALOG, "p50@create") is None
    assert endpoints.file_of(CATALOG, "p50") is CATALOG.file.metric["p50"]


def test_a_noisy_endpoint_that_moved_nothing_leaves_no_question_open() -> None:
    found = compared({}, known=calibrated(), forks=2)
    assert not any(v.endpoint and v.word == "undecided" for v in found.verdicts)


def comparison(found: Compared) -> Comparison:
    made: Record = record()
    occasion = Occasion(
        session="20261121-071806-ab",
        base="main",
        head="this checkout",
        command="./telar ab --base main",
        base_commit="a" * 40,
        head_commit="b" * 40,
        machine=made.provenance.machine,
        minutes=5.0,
        calibrated_on=None,
    )
    return Comparison(occasion=occasion, compared=(found,))


def test_a_reader_sees_the_endpoint_and_its_milliseconds_first() -> None:
    found = comparison(compared({"create": 4.0}, windows=5))
    line = headline(CATALOG, found)
    assert line.startswith("worse: POST /movies p50 1.0")
    before, _, after = line.partition(" → ")
    assert float(before.split()[-1]) == pytest.approx(1.0, abs=0.15)
    assert float(after.split()[0]) == pytest.approx(4.0, abs=0.6)
    assert f"ms of {CELL.variant}, typical latency ÷ generator CPU +" in line
    text = markdown(CATALOG, found)
    assert (
        f"| 🔴 worse | {CELL.variant} | POST /movies p50 | {before.split()[-1]} → {after.split()[0]} ms | +"
        in text
    )
    assert "An endpoint's milliseconds are medians over windows" in text
    console = Console(width=120, record=True, force_terminal=False)
    print_verdict(CATALOG, console, found)
    assert "POST /movies p50" in console.export_text()


def test_where_only_the_slowest_requests_became_slower_their_quantile_is_shown() -> None:
    moved = endpoints.Quantiles(p50=(1.3, 1.3), p95=(2.8, 9.1))
    base = compared({"create": 4.0}, windows=5)
    verdict = base.of(CREATE)
    assert verdict is not None
    changed = msgspec.structs.replace(verdict, milliseconds=moved)
    found = msgspec.structs.replace(base, verdicts=(changed,))
    assert headline(CATALOG, comparison(found)).startswith("worse: POST /movies p95 2.80 → 9.10 ms of")


def test_verdict_json_says_the_endpoint_and_its_milliseconds() -> None:
    found = comparison(compared({"create": 4.0}, windows=5))
    read = msgspec.json.decode(msgspec.json.encode(found))
    (told,) = (v for v in read["compared"][0]["verdicts"] if v["metric"] == CREATE)
    assert told["endpoint"] == "POST /movies"
    assert told["milliseconds"]["p50"] == pytest.approx([1.0, 4.0], rel=0.15)
    assert msgspec.json.decode(msgspec.json.encode(found), type=Comparison) == found


def test_a_verdict_of_before_there_were_endpoints_is_still_read() -> None:
    verdict = compared({"create": 4.0}, windows=5).verdicts[-1]
    old = {k: v for k, v in msgspec.to_builtins(verdict).items() if k not in ("endpoint", "milliseconds")}
    assert msgspec.convert(old, Verdict).milliseconds is None

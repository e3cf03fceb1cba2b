"""Whether a leak is called one, in made-up sessions of a quarter of an hour, the collector's log included.

A service of 78 KiB a request on a heap of 300 MiB for young objects; 60,000 requests of warm-up at 2,000 a
second, then windows of ten seconds at 300 a second, in turns with the other side's. What a collection leaves
is 48 MiB, give or take one, as was measured; the leak keeps 256 bytes a movie, 1.2 KiB a request.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from telar.analyse.verdicts import Compared, compare
from telar.catalog.load import load
from telar.collect.gclog import MIB, Live, Log
from telar.collect.metrics import growth
from telar.collect.sampler import Timeline
from telar.publish.soundness import leaks
from telar.store.floors import Floors

from ..store.calibrations import calibration, floor, window
from ..store.records import CELL

CATALOG = load(Path(__file__).resolve().parents[3])
KIB = 1024
WARM, WARM_RATE, WINDOW, RATE = 60_000, 2_000, 3_000, 300
EACH, YOUNG = 78 * KIB, 300 * MIB
FORKS, WINDOWS = 3, 4  # what a quarter of an hour holds (docs/evidence.md)
LEVEL, SLOPE = "live-set", "live-set-slope"
KNOWN = Floors(
    calibrations=(
        calibration(floors={LEVEL: floor(pair_to_pair=0.03, fork_to_fork=0.01)}, forks=14, pairs=51),
    )
)


def side(dice: random.Random, leak: float) -> list[dict[str, float]]:
    """The two metrics of each window of a JVM that keeps so many KiB a request."""
    served, time = [(0.0, 0.0)], 0.0
    for requests, rate, pause in [(WARM, WARM_RATE, 20.0), *[(WINDOW, RATE, 20.0)] * WINDOWS]:
        served += [(time + requests / rate, served[-1][1] + requests)]
        time += requests / rate + pause
        served += [(time, served[-1][1])]
    live: list[Live] = []
    for (t0, n0), (t1, n1) in pairwise(served):
        for n in range(int(n0), int(n1)):
            if n * EACH // YOUNG > (n - 1) * EACH // YOUNG:
                start = 8 * min(1.0, n / 20_000)  # caches fill, classes are loaded
                heap = 40 + start + leak * n / KIB + dice.uniform(-1.5, 1.5)
                live.append(Live(time=t0 + (t1 - t0) * (n - n0) / (n1 - n0), heap=round(heap) * MIB))
    line = Timeline([(t, {"app.requests_served": n}) for t, n in by_second(served)], [])
    log = Log(collector="G1", collections=(), live=tuple(live))
    ends = [t for t, _ in served[3::2]]
    found = []
    for end in ends:
        slope = growth(line, log, end)
        assert slope is not None, "a window's slope is always known, though most windows have no collection"
        found.append({LEVEL: [x for x in live if x.time <= end][-1].heap / MIB, SLOPE: slope})
    return found


def by_second(served: list[tuple[float, float]]) -> Iterator[tuple[float, float]]:
    """Readings between those that are there."""
    for (t0, n0), (t1, n1) in pairwise(served):
        for second in range(int(t1 - t0)):
            yield t0 + second, n0 + (n1 - n0) * second / (t1 - t0)
    yield served[-1]


def session(seed: int, base: float, head: float) -> Compared:
    dice, windows = random.Random(seed), []
    for fork in range(1, FORKS + 1):
        sides = {"a": side(dice, base), "b": side(dice, head)}
        windows += [
            window(fork, number, name, {**numbers, "failures": 0.0, "dropped": 0.0})
            for name, own in sides.items()
            for number, numbers in enumerate(own, start=1)
        ]
    planned = {(CELL.name, CELL.name): FORKS * WINDOWS}
    (found,) = compare(CATALOG, windows, KNOWN, planned, ended=True)
    return found


@pytest.mark.parametrize("seed", range(10))
def test_256_bytes_a_movie_are_called_a_leak(seed: int) -> None:
    found = session(seed, 0.0, 1.2)
    assert found.word == "worse"
    assert "the heap in use after collections grows by 1." in leaks(found)


@pytest.mark.parametrize("seed", range(10))
def test_216_bytes_a_request_are_called_one_before_the_live_set_shows_it(seed: int) -> None:
    found = session(seed, 0.0, 0.2)
    assert found.word == "worse"
    assert "the heap in use after collections grows by 0." in leaks(found)


@pytest.mark.parametrize("seed", range(20))
def test_a_build_against_itself_has_no_leak(seed: int) -> None:
    found = session(seed, 0.0, 0.0)
    assert {v.metric: v.word for v in found.verdicts}[LEVEL] in ("same", "undecided")
    assert {v.metric: v.word for v in found.verdicts}.get(SLOPE, "undecided") in ("same", "undecided")
    assert leaks(found) == ""


def test_a_leak_on_both_sides_is_no_news() -> None:
    assert leaks(session(1, 1.2, 1.2)) == ""


def test_a_leak_that_was_mended_is_better() -> None:
    found = session(1, 1.2, 0.0)
    assert {v.metric: v.word for v in found.verdicts}[SLOPE] == "better"
    assert leaks(found) == ""

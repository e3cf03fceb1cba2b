"""The JVM's garbage collection log. The lines are a JDK 25's, of a run under load."""

from __future__ import annotations

from pathlib import Path

import pytest

from telar.collect import gclog
from telar.collect.gclog import MIB, Collection

LOG = """\
[1795245514885ms] Using G1
[1795245517135ms] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 28M->9M(500M) 10.387ms
[1795245518975ms] GC(1) Pause Young (Concurrent Start) (Metadata GC Threshold) 62M->13M(500M) 15.191ms
[1795245518975ms] GC(2) Concurrent Mark Cycle
[1795245518989ms] GC(2) Pause Remark 14M->14M(500M) 3.775ms
[1795245518996ms] GC(2) Pause Cleanup 14M->14M(500M) 0.034ms
[1795245518997ms] GC(2) Concurrent Mark Cycle 22.547ms
[1795245522839ms] GC(3) Pause Young (Prepare Mixed) (Metadata GC Threshold) 107M->23M(500M) 43.486ms
[1795245522907ms] GC(4) Pause Full (System.gc()) 25M->20M(500M) 17.527ms
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "gc.log"
    path.write_text(LOG, encoding="utf-8")
    return path


def pauses(log: Path) -> tuple[Collection, ...]:
    found = gclog.read(log).collections
    assert found is not None
    return found


def test_every_pause_is_read_and_nothing_else(log: Path) -> None:
    found = pauses(log)
    assert [(c.before // MIB, c.after // MIB, c.pause_ms) for c in found] == [
        (28, 9, 10.387),
        (62, 13, 15.191),
        (14, 14, 3.775),
        (14, 14, 0.034),
        (107, 23, 43.486),
        (25, 20, 17.527),
    ]
    assert [c.collects for c in found] == [True, True, False, False, True, True]
    assert found[0].time == 1795245517.135
    assert [live.heap // MIB for live in gclog.read(log).live] == [9, 13, 23, 20]  # Remark left all as it was


def test_a_torn_last_line_is_left_out_wherever_it_is_torn(log: Path) -> None:
    whole = LOG.rstrip("\n")
    for cut in range(whole.rindex("\n"), len(whole)):
        log.write_text(whole[:cut], encoding="utf-8")
        assert len(pauses(log)) == 5


def test_without_a_log_nothing_is_known_of_collections(tmp_path: Path) -> None:
    assert gclog.read(tmp_path / "gc.log") == gclog.Log(collector="", collections=None, live=())


@pytest.mark.parametrize("using", ["G1", "Parallel", "Serial"])
def test_collectors_that_stop_the_app_tell_their_pauses(log: Path, using: str) -> None:
    log.write_text(LOG.replace("Using G1", f"Using {using}"), encoding="utf-8")
    assert len(pauses(log)) == 6
    assert gclog.read(log).collector == using


# JDK 25's, then JDK 21's, whose Z has no generations as a rule.
@pytest.mark.parametrize(
    ("collector", "text"),
    [
        (
            "Z",
            "[1795561520072ms] Using The Z Garbage Collector\n"
            "[1795561520666ms] GC(0) Minor Collection (Allocation Rate)\n"
            "[1795561520667ms] GC(0) Minor Collection (Allocation Rate) 168M(84%)->40M(9%) 0.001s\n",
        ),
        (
            "Z",
            "[1795561518036ms] Using The Z Garbage Collector\n"
            "[1795561519728ms] Allocation Stall (main) 1.834ms\n"
            "[1795561520667ms] GC(1) Garbage Collection (Warmup) 60M(30%)->40M(6%)\n",
        ),
        (
            "Shenandoah",
            "[1795245514885ms] Heuristics ergonomically sets -XX:+ExplicitGCInvokesConcurrent\n"
            "[1795245514885ms] Using Shenandoah\n[1795245517135ms] GC(0) Pause Init Mark 0.061ms\n"
            "[1795561520667ms] GC(0) Concurrent cleanup 60M->40M(500M) 0.039ms\n",
        ),
    ],
)
def test_of_collectors_that_work_beside_the_app_the_log_tells_what_they_left_and_no_more(
    log: Path, collector: str, text: str
) -> None:
    log.write_text(text, encoding="utf-8")
    found = gclog.read(log)
    assert (found.collector, found.collections) == (collector, None)
    assert found.live == (gclog.Live(time=1795561520.667, heap=40 * MIB),)


def test_allocated_is_what_is_in_use_and_all_that_was_collected_before() -> None:
    def collection(time: float, before: int, after: int) -> Collection:
        return Collection(time=time, collects=True, before=before, after=after, pause_ms=100.0)

    collections = [collection(10, 100, 20), collection(20, 90, 30)]
    # Until 5: 40 allocated. The first collection takes 80 away, the second 60.
    assert gclog.allocated_at(collections, 5, 5, 40) == (5, 40)
    assert gclog.allocated_at(collections, 14, 16, 70) == (15, 70 + 80)
    assert gclog.allocated_at(collections, 25, 25, 50) == (25, 50 + 80 + 60)


@pytest.mark.parametrize(
    ("begun", "ended", "known"),
    [
        (9.0, 9.897, True),  # the pause is from 9.9 to 10
        (9.0, 9.899, False),
        (9.95, 9.96, False),
        (9.0, 11.0, False),
        (10.001, 11.0, False),  # its end is only known to the millisecond
        (10.003, 11.0, True),
    ],
)
def test_a_reading_during_a_collection_says_nothing(begun: float, ended: float, known: bool) -> None:
    pause = Collection(time=10.0, collects=True, before=90, after=10, pause_ms=100.0)
    assert (gclog.allocated_at([pause], begun, ended, 50) is not None) == known

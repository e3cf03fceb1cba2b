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


def test_every_pause_is_read_and_nothing_else(log: Path) -> None:
    found = gclog.read(log)
    assert found
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


def test_a_torn_last_line_is_left_out_wherever_it_is_torn(log: Path) -> None:
    whole = LOG.rstrip("\n")
    for cut in range(whole.rindex("\n"), len(whole)):
        log.write_text(whole[:cut], encoding="utf-8")
        assert len(gclog.read(log) or ()) == 5


def test_without_a_log_nobody_knows_of_collections(tmp_path: Path) -> None:
    assert gclog.read(tmp_path / "gc.log") is None


@pytest.mark.parametrize(("using", "pauses"), [("G1", 6), ("Parallel", 6), ("Serial", 6)])
def test_collectors_that_stop_the_app_tell_their_pauses(log: Path, using: str, pauses: int) -> None:
    log.write_text(LOG.replace("Using G1", f"Using {using}"), encoding="utf-8")
    assert len(gclog.read(log) or ()) == pauses


@pytest.mark.parametrize(
    "text",
    [
        "[1795245514885ms] Using The Z Garbage Collector\n"
        "[1795245517135ms] GC(0) Minor Collection (Allocation Rate)\n"
        "[1795245517145ms] GC(0) Minor Collection (Allocation Rate) 120M(24%)->40M(8%) 0.010s\n",
        "[1795245514885ms] Using Shenandoah\n[1795245517135ms] GC(0) Pause Init Mark 0.061ms\n",
    ],
)
def test_of_collectors_that_work_beside_the_app_the_log_tells_too_little(log: Path, text: str) -> None:
    log.write_text(text, encoding="utf-8")
    assert gclog.read(log) is None


def test_allocated_is_what_is_in_use_and_all_that_was_collected_before() -> None:
    def collection(time: float, before: int, after: int) -> Collection:
        return Collection(time=time, collects=True, before=before, after=after, pause_ms=1.0)

    collections = [collection(10, 100, 20), collection(20, 90, 30)]
    # Until 5: 40 allocated. The first collection takes 80 away, the second 60.
    assert gclog.allocated_until(collections, 5, 40) == 40
    assert gclog.allocated_until(collections, 15, 70) == 70 + 80
    assert gclog.allocated_until(collections, 25, 50) == 50 + 80 + 60
    # At the moment of the collection's end it has been done.
    assert gclog.allocated_until(collections, 10, 20) == 20 + 80

"""What threads do on both sides of a comparison: from windows to the panel."""

from __future__ import annotations

import pytest

from telar.analyse.threads import Sample, of_side
from telar.publish.threads import places, rows
from telar.run.http.scheduler import read
from telar.store.record import Load, Metric, Pin, Record

from ..store.records import record

SAID = (
    "java.util.concurrent.ForkJoinPool@4d591d15[Running, parallelism = 2, size = 3, active = 2, running = 1, "
    "steals = 90210, tasks = 4, submissions = 1]\n\nDelayed task schedulers:\n"
    "java.util.concurrent.ScheduledThreadPoolExecutor@65ae6ba4[Running, pool size = 1, active threads = 0, "
    "queued tasks = 0, completed tasks = 3]\n"
)


def window(where: tuple[Pin, ...] = (), **metrics: float) -> Record:
    found = {n.replace("_", "-"): Metric(value=v, unit="", better="smaller") for n, v in metrics.items()}
    made = record(metrics=found, pins=where)
    assert isinstance(made.load, Load)
    return made


def test_the_scheduler_says_how_many_carriers_work_and_who_waits() -> None:
    assert read(SAID) == Sample(carriers=2, busy=2, queued=5)
    assert read("no such command") is None
    assert read("parallelism = 2") is None


def test_a_side_is_the_mean_of_its_windows_and_pins_are_by_request() -> None:
    requests = sum(window().load.requests.values())  # type: ignore[union-attr]
    pin = Pin(count=5, seconds=0.02, reason="MONITOR", stack=("a.B.c:1", "d.E.f:2"))
    other = Pin(count=1, seconds=0.5, reason="", stack=("g.H.i:3",))
    windows = [
        window((pin,), os_threads=41.0, context_switches=2.0, pins=5.0, pinned=20.0),
        window((pin, other), os_threads=43.0, context_switches=3.0, pins=6.0, pinned=520.0),
    ]
    found = of_side(windows, [Sample(carriers=2, busy=1, queued=0), Sample(carriers=2, busy=2, queued=9)])
    assert (found.os_threads, found.switches, found.pool_waiting) == (42.0, 2.5, None)
    assert found.pins == pytest.approx(1000 * 11 / (2 * requests))
    assert found.pinned == pytest.approx(1000 * 540 / (2 * requests))
    assert (found.carriers, found.busy, found.queued, found.queued_most) == (2, 1.5, 4.5, 9)
    assert [p.stack[0] for p in found.places] == ["g.H.i:3", "a.B.c:1"]  # the longest first
    assert found.places[1].count == pytest.approx(1000 * 10 / (2 * requests))
    assert found.places[1].milliseconds == pytest.approx(1000 * 40 / (2 * requests))


def test_the_panel_leaves_out_what_neither_side_knows() -> None:
    platform = of_side([window(os_threads=129.0, context_switches=4.0, pins=0.0, pinned=0.0)], [])
    pin = Pin(count=3, seconds=0.003, reason="MONITOR", stack=("a.B.c:1", "d.E.f:2"))
    virtual = of_side(
        [window((pin,), os_threads=41.0, context_switches=5.0, pins=3.0, pinned=3.0)],
        [Sample(carriers=2, busy=1, queued=0)],
    )
    shown = {name: (base, head) for name, base, head in rows(platform, virtual)}
    assert shown["OS threads, at most"] == ("129", "41")
    assert shown["carriers at work"] == ("–", "1 of 2")
    assert shown["virtual threads that wait for a carrier"] == ("–", "0, at most 0")
    assert "waiting for a connection, at most" not in shown
    (line,) = places(platform, virtual)
    assert line.startswith("head: pinned ")
    assert line.endswith("(MONITOR): a.B.c:1 ← d.E.f:2")

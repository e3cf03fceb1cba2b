"""What the record of a run under load is made of."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from telar.catalog.load import load
from telar.collect import k6
from telar.collect.sampler import Timeline
from telar.run.http import evidence
from telar.run.load import stages_of
from telar.store.record import Failure

ROOT = Path(__file__).parents[3]
SHORT = load(ROOT).workloads["movies-short"]
RESULTS = k6.read(ROOT / "scripts" / "tests" / "collect" / "k6-2.2-results.csv")
STAGES = stages_of(SHORT)


def test_load_is_what_was_asked_and_what_was_done() -> None:
    load_ = evidence.load_of(RESULTS, STAGES, seed=1001)
    assert (load_.scheduled, load_.iterations, load_.dropped) == (2000, 14, 6)
    assert load_.requests == {"get": 7, "list": 7}
    assert (load_.seed, load_.stages) == (1001, STAGES)
    assert load_.seconds == RESULTS.end - RESULTS.start


def test_every_failure_is_kept_in_an_order_that_stays() -> None:
    kept = evidence.failures_of(RESULTS)
    assert sum(f.count for f in kept) == sum(RESULTS.failures.values()) == 11
    assert kept == tuple(sorted(kept, key=lambda f: (f.endpoint, f.stage, f.side, f.kind)))
    assert Failure(endpoint="get", stage="hold", side="server", kind="timeout", count=3) in kept
    assert Counter(f.side for f in kept) == {"server": 8}


def test_series_of_the_machine_and_of_the_load_share_their_seconds() -> None:
    timeline = Timeline([(RESULTS.start + n, {"app.rss": float(n)}) for n in range(10)], [])
    series = evidence.series_of(timeline, RESULTS, STAGES)
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

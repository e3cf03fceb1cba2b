"""Calibrations, and the windows that one is made of, to be varied by the tests."""

from __future__ import annotations

from typing import Any

import msgspec

from telar.plan.cells import Pair
from telar.store.floors import Calibration, Floor
from telar.store.record import Record

from .records import CELL, record


def floor(**changes: Any) -> Floor:
    given: dict[str, Any] = {
        "tier": "gate",
        "run_to_run": 0.03,
        "jvm_to_jvm": 0.02,
        "pair_to_pair": 0.025,
        "fork_to_fork": 0.01,
        "observed": -0.004,
        "replay": 0.115,
        "smallest": {"5": 0.05, "15": 0.03},
    }
    return Floor(**{**given, **changes})


UNKNOWN = floor(
    tier="chart",
    run_to_run=None,
    jvm_to_jvm=None,
    pair_to_pair=None,
    fork_to_fork=None,
    observed=None,
    replay=None,
    smallest={},
)


def calibration(**changes: Any) -> Calibration:
    given: dict[str, Any] = {
        "cell": CELL,
        "session": "20261121-071806-calibrate",
        "measured": "2026-11-21",
        "commit": "6d652bd",
        "machine": record().provenance.machine,
        "forks": 3,
        "pairs": 14,
        "left_out": 1,
        "floors": {"p99": floor()},
    }
    return Calibration(**{"latency_from": "due", **given, **changes})


def window(
    fork: int, number: int, side: str, numbers: dict[str, float] | None = None, **changes: Any
) -> Record:
    """A sound record of a window, unless changed. It has no endpoints, whose three requests say nothing."""
    pair = msgspec.convert({"fork": fork, "window": number, "side": side}, Pair)  # "a" or "b"
    return record(numbers=numbers, **{"pair": pair, "validity": "valid", "latencies": (), **changes})

"""Made-up sessions: decided as real ones are, and worse where a calibration is taken for the truth."""

from __future__ import annotations

import argparse
import importlib.util
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from telar.analyse import decide
from telar.analyse.decide import Evidence
from telar.analyse.posterior import ALIKE, WORTH, Prior
from telar.analyse.verdicts import looks
from telar.catalog.load import load
from telar.store import floors

ROOT = Path(__file__).resolve().parents[3]
SPEC = importlib.util.spec_from_file_location("error_rates", ROOT / "scripts/measure/error_rates.py")
assert SPEC
assert SPEC.loader
rates = importlib.util.module_from_spec(SPEC)
sys.modules["error_rates"] = rates
SPEC.loader.exec_module(rates)
CATALOG = load(ROOT)
(CALIBRATION,) = (
    c
    for c in floors.read(ROOT / "benchmarks-data" / floors.FLOORS).calibrations
    if rates.cell(c) == "spring-mysql-blocking-virtual, compose, AMD EPYC"
)


def made(sessions: int, worth: float = WORTH, alike: float = ALIKE) -> Any:
    said = argparse.Namespace(sessions=sessions, worth=worth, alike=alike)
    return rates.Made(CATALOG, CALIBRATION, "own", 3, 4, said, np.random.default_rng(1))


def test_many_sessions_at_once_are_decided_as_each_alone() -> None:
    dice, known = np.random.default_rng(2), Prior(between=0.01, within=0.03, forks=14, pairs=51)
    pairs = dice.normal(0.02, 0.03, (20, 3, 4))
    different, same = made(20)._looked(pairs, known, matters=0.05)
    for n, session in enumerate(pairs.tolist()):
        found: Evidence | None = None
        for count, part in looks(CATALOG, 12, 12, ended=True):
            now = decide.estimate([f[: max(0, count - 4 * i)] for i, f in enumerate(session)], known)
            assert now
            found = decide.looked(found, now, part, now.equivalent(0.05))
        assert found
        assert min(1.0, different[n]) == pytest.approx(found.different)
        assert min(1.0, same[n]) == pytest.approx(found.equivalent)


def test_a_family_is_adjusted_as_a_real_one() -> None:
    sessions = made(1)
    p_values = dict(zip(sessions._true, (0.001, 0.02, 0.5, 0.003, 0.9, 0.04, 0.6, 0.2), strict=False))
    found = sessions._q({m: np.array([p]) for m, p in p_values.items()})[:, 0]
    weights = decide.shares(list(p_values), sessions._primary, CATALOG.file.verdict.primary_share)
    assert dict(zip(p_values, np.minimum(1.0, found), strict=True)) == pytest.approx(
        decide.adjusted(p_values, weights)
    )


@pytest.mark.thorough
def test_who_takes_a_calibration_for_the_truth_errs_where_noise_has_doubled() -> None:
    twice = next(s for s in rates.SCENARIOS if s.name == "twice the noise")
    assert made(500, math.inf, math.inf).false_alarms(twice) > 0.15
    assert made(500).false_alarms(twice) < 0.02


def test_the_scenarios_leave_the_noise_of_the_calibration_what_it_was() -> None:
    """What a session has of its own isn't known beforehand."""
    sessions, true = made(400), Prior(between=0.01, within=0.03, forks=14, pairs=56)
    for scenario in rates.SCENARIOS:
        assert np.median(sessions._known("rss", true, scenario).within) == pytest.approx(0.03, rel=0.25)
    assert rates.DESIGNS[0] == ("own", 1, 4)


def test_a_calibration_that_is_older_than_the_primary_metric_says_nothing_of_it() -> None:
    sessions = made(2)
    sessions._primary = []
    assert math.isnan(sessions.same())

"""Which noise a comparison reckons with before it has a value of its own."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from telar.analyse import decide, priors
from telar.analyse.posterior import Prior
from telar.catalog.load import load
from telar.store.floors import Floors

from ..store.calibrations import calibration, floor
from ..store.records import CELL, record

CATALOG = load(Path(__file__).parents[3])
HERE = record().provenance.machine
ELSEWHERE = replace(priors.WIDE, between=0.2, within=0.4)
SHORT = Prior(between=0.03, within=0.09, forks=3, pairs=9)
CHANCE = 0.01 / 50


def test_a_short_calibration_is_worth_no_less_in_one_fork_than_noise_twice_as_large() -> None:
    found = priors.surer(SHORT, 1, 5, CHANCE)
    smallest = [decide.foreseen(p, 1, 5).smallest(CHANCE) for p in (SHORT, priors.wide(SHORT), found)]
    assert smallest[2] == min(smallest) < 0.5 * smallest[0]


def test_where_forks_are_seen_to_differ_the_calibration_is_taken_as_it_is() -> None:
    assert priors.surer(SHORT, 4, 5, CHANCE) is SHORT
    assert priors.surer(ELSEWHERE, 1, 5, CHANCE) is ELSEWHERE  # wide already


def test_an_endpoint_that_was_never_measured_has_the_noise_of_the_noisiest_twice() -> None:
    elsewhere = calibration(
        machine=record().provenance.machine,
        cell=CELL,
        floors={
            "latency-relative@get": floor(pair_to_pair=0.05, fork_to_fork=0.03),
            "latency-relative@delete": floor(pair_to_pair=0.10, fork_to_fork=0.06),
            "p50": floor(pair_to_pair=0.5, fork_to_fork=0.3),
        },
    )
    known = Floors(calibrations=(elsewhere,))
    found = priors.of_metric(CATALOG, known, CELL, HERE, "latency-relative@create")
    assert found is not None
    assert (found.between, found.within) == (pytest.approx(0.12), pytest.approx(0.16))
    assert found.alike == math.inf


def test_what_is_counted_varies_by_a_fifth_of_what_matters_at_least() -> None:
    """That it never did proves nothing: a pool may ask on its own in the next session."""
    still = floor(run_to_run=0, pair_to_pair=0, fork_to_fork=0)
    noisy = floor(pair_to_pair=0.2, fork_to_fork=0.1)
    here = calibration(floors={"rows-read": still, "statements": noisy, "rss": still})
    matters = CATALOG.file.metric["rows-read"].matters
    assert matters
    for known in (Floors(), Floors(calibrations=(here,))):
        found = priors.of_metric(CATALOG, known, CELL, HERE, "rows-read")
        assert found
        assert (found.between, found.within) == (pytest.approx(matters / 10), pytest.approx(matters / 5))
    loud = priors.of_metric(CATALOG, Floors(calibrations=(here,)), CELL, HERE, "statements")
    assert loud
    assert (loud.between, loud.within) == (pytest.approx(0.1), pytest.approx(math.sqrt(0.03)))
    other = priors.of_metric(CATALOG, Floors(calibrations=(here,)), CELL, HERE, "rss")
    assert other
    assert (other.between, other.within) == (0, 0)


def test_a_metric_without_a_change_that_matters_has_no_noise_to_guess() -> None:
    assert priors.of_metric(CATALOG, Floors(), CELL, HERE, "p999") is None
    assert priors.of_metric(CATALOG, Floors(), CELL, HERE, "nothing") is None
    found = priors.of_metric(CATALOG, Floors(), CELL, HERE, "latency-relative@create")
    assert found is not None
    assert found.within == pytest.approx(0.15)

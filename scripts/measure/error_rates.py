"""How often `telar ab` errs where noise is not what its calibration found: made-up sessions, decided as real
ones are.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/error_rates.py \\
        [--sessions 10000] [--cell 'spring compose Intel'] [--design 0]

Each session has a family of metrics with the noise of benchmarks-data/reference/floors.json, its forks and
windows, and a calibration of its own that was drawn with as many forks and pairs as the real one. Both sides
are alike: whatever is called worse or better is a false alarm. One table tells in how many families of each
scenario there is one, for sessions that know their noise (own), that of another machine (elsewhere), and
nothing but which changes matter (guessed); the other, how often a change is seen where all is as promised.

What is in units of the database is drawn as a ratio alone. A second test asks whether the database could
explain it (analyse/databases.py), and makes fewer false alarms and less power than these tables say;
scripts/measure/database_moved.py has both.

With --worth and --alike other discounts of a calibration are tried; infinite ones are the method of before.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from telar.analyse import counts, decide, endpoints, priors
from telar.analyse.posterior import Prior, posterior
from telar.analyse.verdicts import looks
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.store import floors
from telar.store.floors import Calibration

ROOT = Path(__file__).resolve().parents[2]
Values = NDArray[np.float64]
DESIGNS = (
    ("own", 1, 4), ("own", 2, 2), ("own", 3, 4), ("elsewhere", 1, 4), ("elsewhere", 3, 4), ("guessed", 1, 4),
    ("guessed", 3, 4),
)  # fmt: skip
EFFECTS = (("work-cpu-by-database", 0.05), ("work-cpu-by-database", 0.10), ("work-cpu-by-database", 0.20),
           ("p95-by-database", 1.0), ("p95-by-database", 2.0), ("latency-relative@get", 0.3),
           ("latency-relative@create", 1.0), ("latency-relative@create", 2.0),
           ("latency-relative@delete", 4.0))  # fmt: skip
BURST = 11  # failures


@dataclass(frozen=True)
class Scenario:
    name: str
    between: float = 1.0  # times the calibration's
    within: float = 1.0
    tails: bool = False  # Student's with 3 degrees of freedom, of the same variance
    drift: float = 0.0  # standard deviations of a window's ratio, from the first window to the last
    hit: float = 0.0  # of the pairs: a neighbour makes one window longer
    failing: bool = False  # a burst of failures in each session


SCENARIOS = (
    Scenario("as calibrated"),
    Scenario("twice the noise", 2.0, 2.0),
    Scenario("head twice as noisy", 1.58, 1.58),
    Scenario("forks differ twice as much", 2.0),
    Scenario("heavy tails", tails=True),
    Scenario("drift", drift=4.0),
    Scenario("bursts", hit=0.05),
    Scenario("a burst of failures", failing=True),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--cell", default="", help="words of a cell: 'spring compose Intel'")
    parser.add_argument("--design", type=int, help="one of DESIGNS, by its place from 0")
    parser.add_argument("--floors", type=Path, default=ROOT / "benchmarks-data" / floors.FLOORS)
    parser.add_argument("--worth", type=float)
    parser.add_argument("--alike", type=float)
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args()
    catalog, dice = load(ROOT), np.random.default_rng(said.seed)
    known = floors.read(said.floors)
    chosen = [c for c in known.calibrations if all(word in cell(c) for word in said.cell.split())]
    designs = DESIGNS if said.design is None else DESIGNS[said.design : said.design + 1]
    print("| cell | noise known from | forks × pairs | " + " | ".join(s.name for s in SCENARIOS) + " |")
    print("|---|---|--:|" + "--:|" * len(SCENARIOS))
    for calibration, (source, forks, windows) in ((c, d) for c in chosen for d in designs):
        made = Made(catalog, calibration, source, forks, windows, said, dice)
        rates = [made.false_alarms(scenario) for scenario in SCENARIOS]
        print(f"| {cell(calibration)} | {source} | {forks} × {windows} | "
              + " | ".join(f"{rate:.2%}" for rate in rates) + " |", flush=True)  # fmt: skip
    print("\n| cell | noise known from | forks × pairs | "
          + " | ".join(f"{m} {e:+.0%}" for m, e in EFFECTS) + " | called the same |")  # fmt: skip
    print("|---|---|--:|" + "--:|" * (len(EFFECTS) + 1))
    said.sessions //= 10  # shares of this size need no more
    for calibration, (source, forks, windows) in ((c, d) for c in chosen for d in designs):
        made = Made(catalog, calibration, source, forks, windows, said, dice)
        seen = [made.seen(metric, effect) for metric, effect in EFFECTS]
        print(f"| {cell(calibration)} | {source} | {forks} × {windows} | "
              + " | ".join(f"{rate:.0%}" for rate in (*seen, made.same())) + " |", flush=True)  # fmt: skip


def cell(calibration: Calibration) -> str:
    """A variant has a calibration for each engine and each kind of processor."""
    return f"{calibration.cell.variant}, {calibration.cell.engine}, {calibration.machine.cpu_model}"


class Made:
    """Sessions of one kind. Shapes: (sessions, forks, windows)."""

    def __init__(
        self, catalog: Catalog, calibration: Calibration, source: str, forks: int, windows: int,
        said: argparse.Namespace, dice: np.random.Generator,
    ) -> None:  # fmt: skip
        self._catalog, self._source, self._said, self._dice = catalog, source, said, dice
        self._shape = (said.sessions, forks, windows)
        self._true = noise_of(catalog, calibration)
        # What a session of real pairs asks of failures it asks in every family in which one failed.
        self._primary = [m for m in catalog.file.verdict.primary if m in self._true][:1]

    def false_alarms(self, scenario: Scenario) -> float:
        p_values = {m: self._asked(m, true, scenario) for m, true in self._true.items()}
        if scenario.failing:
            p_values["failures"] = self._looked(self._failures(), counts.BURSTS)[0]
        return float((self._q(p_values).min(axis=0) <= self._catalog.file.verdict.false_alarms).mean())

    def seen(self, metric: str, effect: float) -> float:
        """The share of families in which that metric is called, and no other has moved."""
        p_values = {
            m: self._asked(m, true, SCENARIOS[0], math.log1p(effect) * (m == metric))
            for m, true in self._true.items()
        }
        if metric not in p_values:
            return math.nan
        row = list(p_values).index(metric)
        return float((self._q(p_values)[row] <= self._catalog.file.verdict.false_alarms).mean())

    def same(self) -> float:
        """The share of sessions of nothing in which the primary metric is called the same; NaN where the
        calibration is older than the metric.
        """
        if not self._primary:
            return math.nan
        (metric,) = self._primary
        true = self._true[metric]
        pairs = self._drawn(true, SCENARIOS[0], *self._shape)
        matters = _matters(self._catalog, metric)
        _, same = self._looked(pairs, self._known(metric, true, SCENARIOS[0]), matters)
        return float((same <= self._catalog.file.verdict.equivalence).mean())

    def _asked(self, metric: str, true: Prior, scenario: Scenario, effect: float = 0.0) -> Values:
        pairs = self._drawn(true, scenario, *self._shape) + effect
        return self._looked(pairs, self._known(metric, true, scenario, difference=True))[0]

    def _known(self, metric: str, true: Prior, scenario: Scenario, *, difference: bool = False) -> Prior:
        """What the session believes of the noise, where it looks for a difference or for none."""
        difference = difference and self._source == "own"
        if self._source == "own":
            quiet = replace(scenario, between=1.0, within=1.0, drift=0.0, hit=0.0)
            windows = round(true.pairs / true.forks)
            pairs = self._drawn(true, quiet, self._said.sessions, round(true.forks), windows)
            found = priors.at_least(measured(pairs), endpoints.file_of(self._catalog, metric))
        elif self._source == "elsewhere":
            found = priors.wide(true)
        else:
            found = _guessed(self._catalog, metric)
        worth, alike = self._said.worth or found.worth, self._said.alike or found.alike
        chance = self._catalog.file.verdict.false_alarms / len(self._true)
        _, forks, windows = self._shape
        asked = self._said.worth is None and self._said.alike is None  # for the method as it is
        if difference and asked and priors.surer(true, forks, windows, chance) is not true:
            return priors.wide(found)
        return replace(found, worth=worth, alike=alike)

    def _drawn(self, true: Prior, scenario: Scenario, sessions: int, forks: int, windows: int) -> Values:
        """Logarithms of head ÷ base."""
        shape = (sessions, forks, windows)

        def noise(size: tuple[int, ...]) -> Values:
            if scenario.tails:
                return self._dice.standard_t(3, size) / math.sqrt(3)
            return self._dice.standard_normal(size)

        within = true.within * scenario.within
        found: Values = scenario.between * true.between * noise((*shape[:2], 1)) + within * noise(shape)
        first = np.where(self._dice.random((*shape[:2], 1)) < 0.5, 1, -1)  # noqa: PLR2004 - a coin
        turns = first * (-1.0) ** np.arange(windows)  # who goes first alternates: what drifts has both signs
        found = found + turns * scenario.drift * within / (2 * forks * windows)
        hit = self._dice.random(shape) < scenario.hit
        side = self._dice.choice((-1.0, 1.0), shape)
        neighbour: Values = hit * side * self._dice.exponential(5 * float(true.within), shape)
        return found + neighbour

    def _failures(self) -> Values:
        """Of each pair log (head + 1) ÷ (base + 1), where one window of the session has a burst."""
        found = np.zeros(self._shape)
        sessions, forks, windows = self._shape
        burst = np.log1p(self._dice.poisson(BURST, sessions)) * self._dice.choice((-1.0, 1.0), sessions)
        found[np.arange(sessions), self._dice.integers(forks, size=sessions),
              self._dice.integers(windows, size=sessions)] = burst  # fmt: skip
        return found

    def _looked(self, pairs: Values, known: Prior, matters: float = 0.0) -> tuple[Values, Values]:
        """The p-values of no difference and of one that matters, at whichever look a session stops."""
        sessions, forks, windows = pairs.shape
        different, same = np.ones(sessions), np.ones(sessions)
        for count, part in looks(self._catalog, forks * windows, forks * windows, ended=True):
            sizes = [min(windows, count - windows * f) for f in range(forks) if count > windows * f]
            seen = [pairs[:, f, :size] for f, size in enumerate(sizes)]
            means = np.stack([own.mean(axis=1) for own in seen], axis=1)
            squares = sum(((own - own.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) for own in seen)
            now = posterior(sizes, means, squares, known)
            above, margin = now.beyond(0.0), math.log1p(matters)
            different = np.minimum(different, 2 * np.minimum(above, 1 - above) / part)
            if matters:
                both = np.maximum(now.beyond(margin), 1 - now.beyond(-margin))
                same = np.minimum(same, both / part)
        return different, same

    def _q(self, p_values: dict[str, Values]) -> Values:
        """Adjusted for the family as decide.adjusted does it, shape (metrics, sessions)."""
        weights = decide.shares(list(p_values), self._primary, self._catalog.file.verdict.primary_share)
        p = np.stack([own / weights[m] for m, own in p_values.items()])
        order = np.argsort(p, axis=0)
        ranked = np.take_along_axis(p, order, axis=0) * len(p) / np.arange(1, len(p) + 1)[:, None]
        least = np.minimum.accumulate(ranked[::-1], axis=0)[::-1]
        found = np.empty_like(p)
        np.put_along_axis(found, order, least, axis=0)
        return found


def noise_of(catalog: Catalog, calibration: Calibration) -> dict[str, Prior]:
    """Of the metrics that a verdict may rest on."""
    return {
        metric: found
        for metric, floor in calibration.floors.items()
        if (file := endpoints.file_of(catalog, metric)) and file.matters and not file.once
        and (floor.tier != "chart" or file.each) and (known := priors.of_floor(calibration, floor))
        and (found := priors.at_least(known, file)) and float(found.between) + float(found.within) > 0
    }  # fmt: skip


def _guessed(catalog: Catalog, metric: str) -> Prior:
    file = endpoints.file_of(catalog, metric)
    found = priors.guessed(file) if file else None
    assert found, metric  # all that is asked here matters
    return found


def _matters(catalog: Catalog, metric: str) -> float:
    file = endpoints.file_of(catalog, metric)
    return file.matters or 0.0 if file else 0.0


def measured(pairs: Values) -> Prior:
    """What calibrations of these pairs find, each of its own: as analyse/noise.py does, for many at once."""
    _, forks, windows = pairs.shape
    means = pairs.mean(axis=2)
    within = ((pairs - means[..., None]) ** 2).sum(axis=(1, 2)) / (forks * (windows - 1))
    between = windows * (means**2).mean(axis=1)
    return Prior(
        between=np.sqrt(np.maximum(0.0, (between - within) / windows)),
        within=np.sqrt(within),
        forks=forks,
        pairs=forks * windows,
    )


if __name__ == "__main__":
    main()

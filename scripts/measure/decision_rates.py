"""How often `telar ab` errs: made-up sessions with this runner's noise, decided as real ones are.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/decision_rates.py [--sessions
    10000]

The noise is that of benchmarks-data/reference/floors.json. Each session has a family of metrics, each with
forks and windows of its own noise, and is looked at as [verdict] says. What it knows of that noise beforehand
is not the truth but what a made-up calibration of as many forks and pairs as the real one finds, anew for
each session. First all sides are alike: whatever is called worse or better is a false alarm. Then one metric
differs by the smallest effect that those sessions claimed they would have shown (the median of them); the
metric in which it is seen least is told.

With --foreseen nothing is drawn: the smallest effect of each metric that such a session would claim, in its
family and as its only question.
"""

from __future__ import annotations

import argparse
import math
import random
from pathlib import Path
from statistics import median

from telar.analyse import decide, noise
from telar.analyse.calibration import prior
from telar.analyse.decide import Evidence, Prior
from telar.analyse.verdicts import looks
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.store import floors
from telar.store.floors import Calibration, Floors

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--forks", type=int, default=2)
    parser.add_argument("--windows", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--foreseen", action="store_true")
    said = parser.parse_args()
    catalog, dice = load(ROOT), random.Random(said.seed)  # noqa: S311 - nothing secret
    known = floors.read(ROOT / "benchmarks-data" / floors.FLOORS)
    if said.foreseen:
        foreseen(catalog, known, said)
        return
    print("| cell | metrics | sessions | with a false alarm | smallest effect | seen |")
    print("|---|--:|--:|--:|--:|--:|")
    for calibration in known.calibrations:
        true = noise_of(catalog, calibration)
        if not true:
            continue
        tried = max(1, said.sessions // 10)
        false, claims = 0, {m: list[float]() for m in true}
        for n in range(said.sessions):
            alarms, evidence = called(catalog, true, {}, said, dice)
            false += bool(alarms)
            if n < tried:
                for metric, own in evidence.items():
                    limit = catalog.file.verdict.false_alarms * own.part / len(true)
                    claims[metric].append(own.estimate.smallest(limit))
        effects = {metric: median(own) for metric, own in claims.items()}
        seen = {
            m: sum(m in called(catalog, true, {m: e}, said, dice)[0] for _ in range(tried)) / tried
            for m, e in effects.items()
        }
        least = min(seen, key=lambda m: seen[m])
        print(
            f"| {calibration.cell.variant} | {len(true)} | {said.sessions:,} | {false / said.sessions:.2%} "
            f"| {least} {effects[least]:+.1%} | {seen[least]:.0%} |"
        )


def noise_of(catalog: Catalog, calibration: Calibration) -> dict[str, Prior]:
    """Of the metrics that a verdict may rest on."""
    return {
        metric: found
        for metric, floor in calibration.floors.items()
        if (file := catalog.file.metric[metric]).matters and not file.once and floor.tier != "chart"
        and (found := prior(calibration, floor)) and found.between + found.within > 0
    }  # fmt: skip


def foreseen(catalog: Catalog, known: Floors, said: argparse.Namespace) -> None:
    print("| cell | metric | in the family | alone |\n|---|---|--:|--:|")
    rules = catalog.file.verdict
    part = decide.parts(rules.looks)[-1]
    for calibration in known.calibrations:
        true = noise_of(catalog, calibration)
        for metric, own in true.items():
            told = decide.foreseen(own, said.forks, said.windows)
            family = told.smallest(rules.false_alarms * part / len(true))
            alone = told.smallest(rules.false_alarms)
            print(f"| {calibration.cell.variant} | {metric} | {family:.1%} | {alone:.1%} |")


def called(
    catalog: Catalog,
    true: dict[str, Prior],
    effects: dict[str, float],
    said: argparse.Namespace,
    dice: random.Random,
) -> tuple[set[str], dict[str, Evidence]]:
    """The metrics that a session of this noise calls worse or better, and what it says of each."""
    rules, planned = catalog.file.verdict, said.forks * said.windows
    found: dict[str, Evidence] = {}
    for metric, own in true.items():
        known = Prior.of(noise.spread(drawn(own, 0.0, own.forks, own.pairs // own.forks, dice), centre=0.0))
        forks = drawn(own, math.log1p(effects.get(metric, 0.0)), said.forks, said.windows, dice)
        for count, part in looks(catalog, planned, planned, ended=True):
            seen = [f[: max(0, min(said.windows, count - said.windows * n))] for n, f in enumerate(forks)]
            now = decide.estimate(seen, known)
            assert now
            matters = catalog.file.metric[metric].matters or 0.0
            found[metric] = decide.looked(found.get(metric), now, part, matters)
    family = decide.adjusted({metric: e.different for metric, e in found.items()})
    return {metric for metric, q in family.items() if q <= rules.false_alarms}, found


def drawn(own: Prior, centre: float, forks: int, windows: int, dice: random.Random) -> list[list[float]]:
    """Logarithms of head ÷ base, fork by fork."""
    middles = [dice.gauss(centre, own.between) for _ in range(forks)]
    return [[dice.gauss(middle, own.within) for _ in range(windows)] for middle in middles]


if __name__ == "__main__":
    main()

"""How often `telar ab` errs: made-up sessions with this runner's noise, decided as real ones are.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/decision_rates.py [--sessions
    10000]

The noise is that of benchmarks-data/reference/floors.json. Each session has a family of metrics, each with
forks and windows of its own noise, and is looked at as [verdict] says. First all sides are alike: whatever
is called worse or better is a false alarm. Then one metric differs by the smallest effect that is claimed to
be seen.
"""

from __future__ import annotations

import argparse
import math
import random
from pathlib import Path

from telar.analyse import decide
from telar.analyse.decide import Evidence, Prior
from telar.analyse.verdicts import looks
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.store import floors
from telar.store.floors import Calibration

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sessions", type=int, default=10_000)
    parser.add_argument("--forks", type=int, default=3)
    parser.add_argument("--windows", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    said = parser.parse_args()
    catalog, dice = load(ROOT), random.Random(said.seed)  # noqa: S311 - nothing secret
    known = floors.read(ROOT / "benchmarks-data" / floors.FLOORS)
    print("| cell | metrics | sessions | with a false alarm | effect | seen |\n|---|--:|--:|--:|--:|--:|")
    for calibration in known.calibrations:
        noise = {
            m: prior(calibration, m)
            for m, f in calibration.floors.items()
            if f.tier == "gate" and f.fork_to_fork is not None and catalog.file.metric[m].matters
        }
        if not noise:
            continue
        false = sum(bool(called(catalog, noise, {}, said, dice)) for _ in range(said.sessions))
        metric = max(noise, key=lambda m: noise[m].within)
        whole = decide.estimate([[0.0] * said.windows] * said.forks, noise[metric])
        assert whole
        effect = whole.smallest(
            catalog.file.verdict.false_alarms * decide.parts(catalog.file.verdict.looks)[-1]
        )
        tried = max(1, said.sessions // 10)
        seen = sum(metric in called(catalog, noise, {metric: effect}, said, dice) for _ in range(tried))
        print(
            f"| {calibration.cell.variant} | {len(noise)} | {said.sessions:,} | {false / said.sessions:.2%} "
            f"| {metric} {effect:+.1%} | {seen / tried:.0%} |"
        )


def prior(calibration: Calibration, metric: str) -> Prior:
    floor = calibration.floors[metric]
    between, whole = floor.fork_to_fork or 0.0, floor.pair_to_pair or 0.0
    return Prior(
        between=between,
        within=math.sqrt(max(0.0, whole**2 - between**2)),
        forks=calibration.forks,
        pairs=calibration.pairs,
    )


def called(
    catalog: Catalog,
    noise: dict[str, Prior],
    effects: dict[str, float],
    said: argparse.Namespace,
    dice: random.Random,
) -> set[str]:
    """The metrics that a session of this noise calls worse or better."""
    rules, planned = catalog.file.verdict, said.forks * said.windows
    found: dict[str, Evidence] = {}
    for metric, own in noise.items():
        centre = math.log1p(effects.get(metric, 0.0))
        forks = [
            [dice.gauss(middle, own.within) for _ in range(said.windows)]
            for middle in (dice.gauss(centre, own.between) for _ in range(said.forks))
        ]
        for count, part in looks(catalog, planned, planned, ended=True):
            seen = [f[: max(0, min(said.windows, count - said.windows * n))] for n, f in enumerate(forks)]
            now = decide.estimate(seen, own)
            assert now
            matters = catalog.file.metric[metric].matters or 0.0
            found[metric] = decide.looked(found.get(metric), now, part, matters)
    family = decide.adjusted({metric: e.different for metric, e in found.items()})
    return {metric for metric, q in family.items() if q <= rules.false_alarms}


if __name__ == "__main__":
    main()

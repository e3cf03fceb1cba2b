"""How often `telar ab` errs: made-up sessions with this runner's noise, decided as real ones are.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/decision_rates.py [--sessions
    10000]

The noise is that of benchmarks-data/reference/floors.json. Each session has a family of metrics, each with
forks and windows of its own noise, and is looked at as [verdict] says. What it knows of that noise beforehand
is not the truth but what a made-up calibration of as many forks and pairs as the real one finds, anew for
each session. First all sides are alike: whatever is called worse or better is a false alarm. Then one metric
differs by the smallest effect that a session claims it would have shown: by its own claim, and by the median
of all sessions' claims. The metric in which the latter is seen least is told.

With --foreseen nothing is drawn: the smallest effect of each metric that such a session would claim, in its
family and as its only question.
"""

from __future__ import annotations

import argparse
import math
import random
from dataclasses import dataclass
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
    print("| cell | metrics | sessions | with a false alarm | smallest effect, median | seen | of its own |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for calibration in known.calibrations:
        true = noise_of(catalog, calibration)
        if not true:
            continue
        tried = max(1, said.sessions // 10)
        false, claims = 0, {m: list[float]() for m in true}
        kept: list[Session] = []
        for n in range(said.sessions):
            session = drawn_session(true, said, dice)
            evidence = {m: looked(catalog, m, own, 0.0, said) for m, own in session.items()}
            false += bool(called(catalog, evidence))
            if n < tried:
                kept.append(Session(session, evidence))
                for metric, own in evidence.items():
                    limit = catalog.file.verdict.false_alarms * own.part / len(true)
                    claims[metric].append(own.estimate.smallest(limit))
        middle = {m: median(own) for m, own in claims.items()}
        seen = {
            m: (share(catalog, m, [middle[m]] * tried, kept, said), share(catalog, m, own, kept, said))
            for m, own in claims.items()
        }
        least = min(seen, key=lambda m: seen[m])
        of_median, of_own = seen[least]
        print(
            f"| {calibration.cell.variant} | {len(true)} | {said.sessions:,} | {false / said.sessions:.2%} "
            f"| {least} {middle[least]:+.1%} | {of_median:.0%} | {of_own:.0%} |"
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


@dataclass(frozen=True)
class Drawn:
    """Of one metric: what a session knows of its noise, and logarithms of head ÷ base, fork by fork."""

    known: Prior
    forks: list[list[float]]


@dataclass(frozen=True)
class Session:
    """A made-up session of two sides that are alike."""

    drawn: dict[str, Drawn]
    evidence: dict[str, Evidence]


def drawn_session(true: dict[str, Prior], said: argparse.Namespace, dice: random.Random) -> dict[str, Drawn]:
    found = {}
    for metric, own in true.items():
        calibration = drawn(own, own.forks, own.pairs // own.forks, dice)
        known = Prior.of(noise.spread(calibration, centre=0.0))
        found[metric] = Drawn(known, drawn(own, said.forks, said.windows, dice))
    return found


def drawn(own: Prior, forks: int, windows: int, dice: random.Random) -> list[list[float]]:
    """Logarithms of head ÷ base, fork by fork."""
    middles = [dice.gauss(0.0, own.between) for _ in range(forks)]
    return [[dice.gauss(middle, own.within) for _ in range(windows)] for middle in middles]


def looked(catalog: Catalog, metric: str, own: Drawn, effect: float, said: argparse.Namespace) -> Evidence:
    """What the session says of a metric once head has been made larger by this share."""
    planned, found = said.forks * said.windows, None
    forks = [[value + math.log1p(effect) for value in f] for f in own.forks]
    for count, part in looks(catalog, planned, planned, ended=True):
        seen = [f[: max(0, min(said.windows, count - said.windows * n))] for n, f in enumerate(forks)]
        now = decide.estimate(seen, own.known)
        assert now
        found = decide.looked(found, now, part, catalog.file.metric[metric].matters or 0.0)
    assert found
    return found


def called(catalog: Catalog, evidence: dict[str, Evidence]) -> set[str]:
    """The metrics that a session calls worse or better."""
    family = decide.adjusted({metric: e.different for metric, e in evidence.items()})
    return {metric for metric, q in family.items() if q <= catalog.file.verdict.false_alarms}


def share(
    catalog: Catalog, metric: str, effects: list[float], sessions: list[Session], said: argparse.Namespace
) -> float:
    """Of the sessions that call a metric, once each had its effect."""
    found = 0
    for effect, session in zip(effects, sessions, strict=True):
        evidence = looked(catalog, metric, session.drawn[metric], effect, said)
        found += metric in called(catalog, {**session.evidence, metric: evidence})
    return found / len(sessions)


if __name__ == "__main__":
    main()

"""Looks that are paid for, beside a test that is valid at any time: when do they end, and what do they see?

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/anytime.py

Sessions of pairs with normal noise of a known size, one question, 1 % false positives, two-sided. The rules:

- `looks`: at the shares of `[verdict] looks`, each with its part of the error, as `telar ab` does.
- `one`: a single look at the end.
- `induced`: the sequential test that the single look induces (Koning and van Meer, "Anytime validity is
  free: inducing sequential tests", arXiv 2501.03982). After each pair its e-value is the chance, under no
  effect, that the single look will reject given the pairs so far, divided by the error. It rejects at
  1 ÷ error, that is once the end can't change. With normal noise that is never quite so before the last
  pair: here, once the chance is above 1 - 1e-4.

Effects are in units of what the single look sees four times of five.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from telar.analyse import decide
from telar.catalog.load import load

ROOT = Path(__file__).resolve().parents[2]
ERROR, POWER, CERTAIN = 0.01, 0.80, 1 - 1e-4

Sums = NDArray[np.float64]  # sessions × pairs: the sum of the first so many, in standard deviations of a pair


def looks(sums: Sums, shares: tuple[float, ...]) -> tuple[float, float]:
    """The share of sessions that call a difference, and the mean share of the pairs that they take."""
    pairs = sums.shape[1]
    ended = np.ones(len(sums))
    called = np.zeros(len(sums), dtype=bool)
    for share, part in zip(shares, decide.parts(shares), strict=True):
        count = max(1, round(share * pairs))
        now = np.abs(sums[:, count - 1]) / np.sqrt(count) >= norm.isf(ERROR * part / 2)
        ended[now & ~called] = count / pairs
        called |= now
    return float(called.mean()), float(ended.mean())


def induced(sums: Sums) -> tuple[float, float]:
    """The same of the test that a single look at the end induces."""
    pairs = sums.shape[1]
    limit = norm.isf(ERROR / 2) * np.sqrt(pairs)
    called = np.abs(sums[:, -1]) >= limit
    ended = np.ones(len(sums))
    for count in range(pairs - 1, 0, -1):
        left = np.sqrt(pairs - count)
        chance = norm.sf((limit - np.abs(sums[:, count - 1])) / left)
        ended[chance >= CERTAIN] = count / pairs
        called |= chance >= CERTAIN
    return float(called.mean()), float(ended.mean())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sessions", type=int, default=20_000)
    parser.add_argument("--pairs", type=int, default=12)
    said = parser.parse_args()
    shares = load(ROOT).file.verdict.looks
    noise = np.random.default_rng(1).standard_normal((said.sessions, said.pairs)).cumsum(axis=1)
    seen = (norm.isf(ERROR / 2) + norm.ppf(POWER)) / np.sqrt(said.pairs)
    print("| effect | looks: called, pairs taken | one look: called | induced: called, pairs taken |")
    print("|--:|--:|--:|--:|")
    for effect in (0.0, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0):
        sums = noise + effect * seen * np.arange(1, said.pairs + 1)
        at_end = np.abs(sums[:, -1]) / np.sqrt(said.pairs) >= norm.isf(ERROR / 2)
        (a, b), (c, d) = looks(sums, shares), induced(sums)
        print(f"| {effect:g} | {a:.1%}, {b:.0%} | {at_end.mean():.1%} | {c:.1%}, {d:.0%} |")


if __name__ == "__main__":
    main()

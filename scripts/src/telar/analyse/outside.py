"""Two sets of other tools' results: how far apart, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean, variance
from typing import Literal

import msgspec

from telar.store.outside import Outside, Run, Series

LEAST = 3  # files, or forks, of a side: fewer tell no spread between starts
# Between starts of one service on one machine, where it wasn't measured: up to 0.064 of p50 was seen here
# (fork_to_fork in benchmarks-data/reference/floors.json).
RUN_TO_RUN = 0.1
MATTERS = 0.05  # the change that would matter: smaller ones are the same
ERROR = 0.05  # chance that any of the figures is called worse or better where nothing changed
POWER = 0.8  # with which the smallest effect would be seen
LOAD = 0.05  # rates that differ by more are another load: latencies of it aren't compared

Word = Literal["worse", "better", "same", "undecided"]


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """Of one figure: head against base, as shares (0.2 is 20 % more)."""

    name: str
    unit: str
    base: float  # geometric means of the runs
    head: float
    effect: float
    low: float
    high: float
    smallest: float  # effect that would have been seen
    word: Word
    why: str = ""  # it is undecided whatever the figures say


def compare(base: Sequence[Outside], head: Sequence[Outside]) -> list[Difference]:
    """Each figure that both sides have and that is above 0 in every run."""
    bases, heads = _together(base), _together(head)
    names = [name for name in bases if name in heads and _positive(bases[name], heads[name])]
    rates = (bases.get("rate"), heads.get("rate"))
    other_load = False
    if rates[0] and rates[1] and "rate" in names:
        other_load = abs(math.log(_mean(rates[1]) / _mean(rates[0]))) > math.log1p(LOAD)
    if all(own.load and own.load.dropped is not None for own in (*base, *head)):
        names = [name for name in names if name != "rate"]  # which the schedule set, and not the service
    return [
        _difference(name, bases[name], heads[name], ERROR / len(names), apart=other_load and name != "rate")
        for name in names
    ]


def needs(found: Iterable[Outside]) -> bool:
    """Whether a side has too few starts to tell their spread."""
    return any(len(own.runs) < LEAST for own in _together(list(found)).values())


def together(found: Sequence[Difference]) -> Word:
    """Of all figures."""
    words = [each.word for each in found]
    order: tuple[Word, ...] = ("worse", "undecided", "better")
    return next((word for word in order if word in words), "same" if words else "undecided")


def _together(files: Sequence[Outside]) -> dict[str, Series]:
    """The runs of all files, by figure; of those that every file has."""
    if not files:
        return {}
    shared = [name for name in files[0].series if all(name in each.series for each in files)]
    return {
        name: msgspec.structs.replace(
            files[0].series[name], runs=tuple(run for each in files for run in each.series[name].runs)
        )
        for name in shared
    }


def _positive(*sides: Series) -> bool:
    return all(run.value > 0 for side in sides for run in side.runs)


def _mean(series: Series) -> float:
    return math.exp(fmean(math.log(run.value) for run in series.runs))


def _difference(name: str, base: Series, head: Series, error: float, *, apart: bool) -> Difference:
    """By Welch's t of the logarithms where each side has LEAST runs; else with RUN_TO_RUN for what runs
    differ by, beside what the parts of each tell.
    """
    from scipy.special import ndtri, stdtrit  # noqa: PLC0415 - half a second that others needn't wait for

    effect = math.log(_mean(head) / _mean(base))
    if min(len(base.runs), len(head.runs)) >= LEAST:
        parts = [(variance(_logs(side)) / len(side.runs), len(side.runs) - 1) for side in (base, head)]
        whole = math.fsum(part for part, _ in parts)
        freedom = whole**2 / math.fsum(p**2 / degrees for p, degrees in parts) if whole else math.inf
    else:
        whole = math.fsum(_assumed(side) for side in (base, head))
        freedom = math.inf
    sure = float(ndtri(1 - error / 2) if math.isinf(freedom) else stdtrit(freedom, 1 - error / 2))
    power = float(ndtri(POWER) if math.isinf(freedom) else stdtrit(freedom, POWER))
    spread = math.sqrt(whole)
    low, high = math.expm1(effect - sure * spread), math.expm1(effect + sure * spread)
    return Difference(
        name=name,
        unit=base.unit,
        base=_mean(base),
        head=_mean(head),
        effect=math.expm1(effect),
        low=low,
        high=high,
        smallest=math.expm1((sure + power) * spread),
        word="undecided" if apart else _word(low, high, base.better),
        why="the rates differ: it is another load" if apart else "",
    )


def _word(low: float, high: float, better: str) -> Word:
    if low > 0 or high < 0:
        return "worse" if (low > 0) == (better == "smaller") else "better"
    return "same" if low > -MATTERS and high < MATTERS else "undecided"


def _logs(series: Series) -> list[float]:
    return [math.log(run.value) for run in series.runs]


def _assumed(series: Series) -> float:
    """Variance of the mean of the runs' logarithms."""
    within = [_within(run) for run in series.runs]
    return (RUN_TO_RUN**2 + fmean(within)) / len(series.runs)


def _within(run: Run) -> float:
    """Variance of a run's mean logarithm, by its parts."""
    logs = [math.log(part) for part in run.parts if part > 0]
    return variance(logs) / len(logs) if len(logs) > 1 else 0.0

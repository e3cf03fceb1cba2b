"""Whether a service keeps its budgets: kept, broken, or can't be said from these runs."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import fmean, median
from typing import Literal

import msgspec

from telar.analyse import calibration, histogram
from telar.analyse.claims import level
from telar.catalog.budget import QUANTILES, BudgetFile
from telar.catalog.types import Catalog
from telar.plan.cells import Cell
from telar.store.record import Record

LEAST = 3  # JVMs: fewer tell no spread
# What runs of one cell differ by (a logarithm's deviation), where too few tell it: up to 0.064 of p50 was
# seen between JVMs here (fork_to_fork in benchmarks-data/reference/floors.json).
RUN_TO_RUN = 0.1
SURE = 1.96  # of both sides together, 95 %

Word = Literal["kept", "broken", "undecided"]


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    cell: Cell
    budget: BudgetFile
    word: Word
    value: float | None = None  # the mean of its JVMs
    low: float | None = None  # of its 95 % confidence interval
    high: float | None = None
    runs: int = 0  # JVMs
    why: str = ""  # it is undecided


def judge(catalog: Catalog, records: Sequence[Record]) -> list[Outcome]:
    """Each budget of each cell's system, of those that hold for its workload."""
    cells: dict[tuple[str, str], list[Record]] = {}
    for record in records:
        cells.setdefault((record.cell.label, record.cell.name), []).append(record)
    return [
        _outcome(own, budget)
        for own in cells.values()
        for budget in catalog.budgets_of(own[0].cell.system)
        if budget.workload in (None, own[0].cell.workload)
    ]


def _outcome(records: list[Record], budget: BudgetFile) -> Outcome:
    cell = records[0].cell
    sound = [r for r in records if r.validity == "valid"]
    values = _values(sound, budget)
    if not values:
        return Outcome(cell=cell, budget=budget, word="undecided", why=_why(records, sound, budget))
    low, high = _interval(values)
    word = _word(low, high, budget)
    why = ""
    if word == "undecided":
        more = f"of {len(values)} JVMs" if len(values) >= LEAST else f"{len(values)} of {LEAST} JVMs or more"
        why = f"its limit is inside the interval ({more}): --repeat"
    value = fmean(values)
    return Outcome(
        cell=cell, budget=budget, word=word, value=value, low=low, high=high, runs=len(values), why=why
    )


def _values(records: Iterable[Record], budget: BudgetFile) -> list[float]:
    """One of each JVM: windows on one and the same aren't independent."""
    by_jvm: dict[object, list[float]] = {}
    for record in records:
        value = value_of(record, budget)
        if value is not None:
            jvm = (record.pair.fork, record.pair.side) if record.pair else record.run_id
            by_jvm.setdefault(jvm, []).append(value)
    return [median(own) for own in by_jvm.values()]


def value_of(record: Record, budget: BudgetFile) -> float | None:
    """In the metric's unit; None where the record doesn't say."""
    if budget.endpoint is None and budget.rate is None:
        return calibration.value_of(record, budget.metric)
    held = (
        {s.name for s in record.load.stages if s.from_rate == s.to_rate == budget.rate}
        if record.load
        else set()
    )
    encoded = [
        latency.histogram
        for latency in record.latencies
        if budget.endpoint in (None, latency.endpoint) and (budget.rate is None or latency.stage in held)
    ]
    if not encoded:
        return None
    return histogram.percentile_ms(histogram.merged(encoded), QUANTILES[budget.metric])


def _interval(values: list[float]) -> tuple[float, float]:
    found = level(values) if len(values) >= LEAST else None
    if found:
        return found.low, found.high
    mean = fmean(values)
    reach = math.exp(SURE * RUN_TO_RUN / math.sqrt(len(values)))
    return mean / reach, mean * reach


def _word(low: float, high: float, budget: BudgetFile) -> Word:
    least = -math.inf if budget.least is None else budget.least
    most = math.inf if budget.most is None else budget.most
    if least <= low and high <= most:
        return "kept"
    return "broken" if high < least or low > most else "undecided"


def _why(records: list[Record], sound: list[Record], budget: BudgetFile) -> str:
    if not sound:
        failed = dict.fromkeys(g.name for r in records for g in r.gates if g.verdict == "fail")
        return f"no run of it is valid ({', '.join(failed) or 'it failed'})"
    if budget.rate is not None:
        return (
            f"no stage holds {budget.rate}/s" if budget.endpoint is None else "no such requests at that rate"
        )
    return "its runs don't say it"

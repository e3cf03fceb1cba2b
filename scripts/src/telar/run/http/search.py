"""Which rate to try next, to find the highest that a service holds."""

from __future__ import annotations

from telar.analyse import histogram
from telar.catalog.workload import SearchFile
from telar.collect.k6 import Results

REST = 1.0  # seconds after a rate that wasn't held


class Search:
    """Up by steps until a rate isn't held; then halfway, by their ratio, between the highest that was held
    and the lowest that wasn't, as often as the rules say.
    """

    def __init__(self, rules: SearchFile) -> None:
        self._rules = rules
        self._held, self._lost, self._halved = 0, 0, 0

    @property
    def next(self) -> int | None:
        """The rate to try, in arrivals a second; None once the search is over."""
        rules = self._rules
        if not self._lost:
            higher = max(self._held + 1, round(self._held * rules.step))
            rate = min(rules.most, higher) if self._held else rules.start
            return None if self._held >= rules.most else rate
        if not self._held or self._halved >= rules.refine:
            return None
        rate = round((self._held * self._lost) ** 0.5)
        return rate if self._held < rate < self._lost else None

    def tried(self, rate: int, *, held: bool) -> None:
        self._halved += bool(self._lost)
        if held:
            self._held = rate
        else:
            self._lost = rate


def holds(results: Results, rules: SearchFile) -> bool:
    """Whether every arrival of this rate was answered, as the contract says and fast enough."""
    found = histogram.of([us for own in results.latencies_us.values() for us in own])
    fast = histogram.percentile_ms(found, 99) <= rules.p99_ms
    return fast and not results.failures and not results.dropped

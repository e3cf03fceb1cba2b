"""One cell's two sides: what their pairs say of each metric, and on which of them the word rests."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any

from msgspec.structs import replace

from telar.analyse import counts, databases, decide, endpoints, growth, priors
from telar.analyse.calibration import is_sound, pairs_of, steady, value_of
from telar.analyse.compared import Compared, Ground, Verdict
from telar.analyse.counts import COUNTS
from telar.analyse.decide import Estimate, Evidence, Word
from telar.analyse.posterior import Prior
from telar.catalog.jvm import COLLECTORS
from telar.catalog.types import Catalog
from telar.store.floors import Floors
from telar.store.record import Java, Record

SURE_OF_SAME = 0.9  # how probably a metric that holds up the word must be called the same where nothing moved


class TwoSides:
    """One cell's two sides. `judged`: the metrics on which a verdict rests, with what the pairs say of
    them.
    """

    def __init__(
        self, catalog: Catalog, records: list[Record], floors: Floors, planned: int, ended: bool
    ) -> None:
        self._catalog, self._records, self._planned, self._ended = catalog, records, planned, ended
        self._forks = pairs_of(records)
        self._steady = steady(self._forks, catalog.file.gate.speed.moved)
        self._done = pairs_of(records, sound=False)
        self._collected_alike = len({collectors(r.provenance.java) for r in records}) == 1
        sides = {r.pair.side: r.cell for r in records if r.pair}
        self._base, self._head = (sides.get(side, records[0].cell) for side in ("a", "b"))
        base, head = (catalog.variants.get(cell.label) for cell in (self._base, self._head))
        self._threads_alike = base is None or head is None or base.launch == head.launch
        machine = records[0].provenance.machine
        self._floors = floors.of(self._base, machine)
        self._metrics = metrics = endpoints.metrics(catalog, records)
        self._priors = {m: priors.of_metric(catalog, floors, self._base, machine, m) for m in metrics}
        self._moved = databases.moved(list(self._forks.values()))
        self._same_database = self._did_the_same()
        self._identical = databases.identical(list(self._forks.values()))
        # A search loads until arrivals fail: how many did says how it went, and nothing of the sides.
        self._failing = () if catalog.search(self._base.workload) else COUNTS
        self._counts = {m: counts.counted(list(self._done.values()), m) for m in COUNTS}
        self._margins = {m: file.matters for m, file in metrics.items()}
        for metric in set(catalog.file.verdict.primary) & set(metrics):
            self._margins[metric] = self._shown(metric)
        self._priors[growth.METRIC] = growth.NOISE
        self._told = {m: e for m in metrics if (e := self._looked(m))}
        self.judged = {m: e for m, e in self._told.items() if self._decides(m)}
        # On which most of the error is spent: the first that speaks.
        self.primary = next((m for m in catalog.file.verdict.primary if m in self.judged), None)

    def compared(self, q_values: Mapping[str, float], shares: Mapping[str, float]) -> Compared:
        """`shares`: of the error, for each of the questions of `q_values`."""
        verdicts = [self._counted(metric, q_values.get(metric)) for metric in self._failing]
        beside: list[Verdict] = []
        for metric in self._metrics:
            if metric in COUNTS:
                continue
            found = self._verdict(metric, q_values.get(metric), shares.get(metric, 1.0))
            if found:
                (verdicts if self._rests_on(found) else beside).append(found)
        pairs = sum(map(len, self._forks.values()))
        halves = {(r.pair.fork, r.pair.window, r.pair.side) for r in self._records if r.pair}
        windows = Counter((fork, window) for fork, window, _ in halves)
        refused = Counter(
            g.name for r in self._records if not is_sound(r) for g in r.gates if g.verdict == "fail"
        )
        del refused["speed"]  # no pair is left out for that
        refused["unpaired"] += sum(sides == 1 for sides in windows.values())
        return Compared(
            base=self._base,
            head=self._head,
            forks=len(self._forks),
            pairs=pairs,
            moved=pairs - sum(map(len, self._steady.values())),
            left_out=len(windows) - pairs,
            refused=tuple(f"{name} ({count})" for name, count in refused.items() if count),
            verdicts=tuple(verdicts),
            beside=tuple(sorted(beside, key=_surprise, reverse=True)),
            unknown=tuple(self._unknown()),
        )

    def _did_the_same(self) -> bool:
        """Whether the database may be a ruler: by all that is counted, and unless it surely needed more or
        less.
        """
        rules, database = self._catalog.file.verdict, self._database(len(self._records))
        counted = databases.alike(list(self._forks.values()), rules)
        return counted and database is not None and database.different() > rules.false_alarms

    def _database(self, count: int) -> Estimate | None:
        """What the first so many pairs say of its processor time ÷ the generator's."""
        known = self._priors.get(databases.NOISE)
        return decide.estimate(_first(self._moved, count), self._surer(known))

    def _surer(self, known: Prior | None) -> Prior | None:
        chance = self._catalog.file.verdict.false_alarms / len(self._metrics)
        return known and priors.surer(known, *self._design(), chance)

    def _decides(self, metric: str) -> bool:
        """A metric whose changes matter, and whose noise lets it speak: of a noisy one, of large changes.
        An endpoint is always asked: what slows down a rare one alone shows nowhere else.

        What each JVM tells once needs as many of them as an arm needs runs: no gate looks at a start.
        """
        if metric == growth.METRIC:
            return True
        if metric in COUNTS:
            return metric in self._failing
        file, floor = self._metrics[metric], self._floors.get(metric)
        if file.alike == "threads" and not self._threads_alike:
            return False
        if file.once and len(self._forks) < self._catalog.file.gate.repeats.least:
            return False
        noisy = floor is not None and floor.tier == "chart"
        return file.matters is not None and (not noisy or file.each is not None)

    def _rests_on(self, verdict: Verdict) -> bool:
        """What is sure counts. Of what isn't, the primary metric leaves its question open, and each that such
        a session can be expected to call the same: no other could ever end well.
        """
        if verdict.q is None:
            return False
        return verdict.word != "undecided" or verdict.metric == self.primary or self._can_be_same(verdict)

    def _can_be_same(self, verdict: Verdict) -> bool:
        return verdict.matters is not None and self._shows_same(verdict.metric, verdict.matters)

    def _shows_same(self, metric: str, margin: float) -> bool:
        """Whether such a session calls two that don't differ the same within that, nine times of ten."""
        known = self._priors[metric]
        if known is None:
            return False
        rules, whole = self._catalog.file.verdict, decide.foreseen(known, *self._design())
        chance = rules.equivalence * decide.parts(rules.looks)[-1]
        return whole.shows_same(margin, chance) >= SURE_OF_SAME

    def _shown(self, metric: str) -> float | None:
        """The margin, in whole percents, within which such a session can call the primary metric the same:
        what matters, or what more it takes, as far as that goes. Noise and design say it, and no value.
        """
        matters = self._metrics[metric].matters
        if matters is None:
            return None
        wider = [
            n / 100 for n in range(1, 101) if matters < n / 100 <= self._catalog.file.verdict.primary_within
        ]
        return next((m for m in (matters, *wider) if self._shows_same(metric, m)), matters)

    def _design(self) -> tuple[int, int]:
        """The forks that were planned, and the pairs in each."""
        pairs = max(1, self._planned, sum(map(len, self._forks.values())))
        windows = min(pairs, max((r.pair.window for r in self._records if r.pair), default=1))
        return max(1, pairs // windows), windows

    def _counted(self, metric: str, q: float | None) -> Verdict:
        """Failed requests or dropped arrivals, all windows that count (analyse/counts.py)."""
        pairs = self._counts[metric]
        base, head = (sum(pair[side] for own in pairs for pair in own) for side in (0, 1))
        evidence, rules = self._told.get(metric), self._catalog.file.verdict
        arrivals = sum(r.load.iterations for r in self._records if r.load and r.pair and r.pair.side == "b")
        word: Word = "same" if counts.few(pairs, arrivals, rules.failed) else "undecided"
        if evidence and q is not None and q <= rules.false_alarms:
            word = "worse" if evidence.estimate.effect > 0 else "better"
        return Verdict(
            metric=metric,
            word=word,
            tier="counted",
            base=base,
            head=head,
            effect=None,
            low=None,
            high=None,
            error=None,
            matters=None,
            smallest=None,
            p=evidence.different if evidence else 1.0,
            q=q,
        )

    def _verdict(self, metric: str, q: float | None, share: float) -> Verdict | None:
        """None where no pair of windows that is sound on both sides knows the metric."""
        values = self._values(metric)
        if values is None:
            return None
        base, head = (median([pair[side] for own in values for pair in own]) for side in (0, 1))
        file, floor, evidence = (
            self._metrics[metric],
            self._floors.get(metric),
            self._told.get(metric),
        )
        tier: Ground = "counted" if file.counted else floor.tier if floor else "unknown"
        endpoint = endpoints.split(metric)[1]
        where: dict[str, Any] = {}
        if endpoint:
            where = {
                "endpoint": endpoints.title(self._catalog, self._head, endpoint),
                "milliseconds": endpoints.quantiles((p for own in self._of(metric) for p in own), endpoint),
            }
        bare = Verdict(
            metric=metric,
            word="undecided",
            tier=tier,
            base=base,
            head=head,
            effect=head / base - 1 if base else None,
            low=None,
            high=None,
            error=None,
            matters=self._margins[metric],
            smallest=None,
            p=None,
            q=None,
            **where,
        )
        if evidence is None:  # values without a ratio, or of an unknown noise: shown, never judged
            return None if base == head else bare
        rules = self._catalog.file.verdict
        word: Word = "undecided"
        if q is not None:
            word = decide.word(
                evidence,
                q,
                better=file.better,
                false_alarms=rules.false_alarms,
                equivalence=rules.equivalence,
            )
        judged = replace(bare, word=word, p=evidence.different, q=q)
        if metric == growth.METRIC:
            return replace(judged, effect=None)
        low, high = evidence.estimate.interval(rules.false_alarms * evidence.part)
        return replace(
            judged,
            effect=math.expm1(evidence.estimate.effect),
            low=low,
            high=high,
            error=evidence.estimate.error,
            smallest=self._smallest(metric, evidence, rules.false_alarms * evidence.part * share),
        )

    def _values(self, metric: str) -> list[list[tuple[float, float]]] | None:
        """Base and head of each pair that knows it, fork by fork; None where none does, or where it is in
        units of what the sides' databases needed, and these didn't do the same, or depends on a collector
        that they haven't in common."""
        file = self._metrics[metric]
        if file.ruler == "database" and not self._same_database:
            return None
        if file.alike == "collector" and not self._collected_alike:
            return None
        pairs = [[(value_of(a, metric), value_of(b, metric)) for a, b in own] for own in self._of(metric)]
        found = [[(a, b) for a, b in own if a is not None and b is not None] for own in pairs]
        return [own for own in found if own] or None

    def _of(self, metric: str) -> list[list[tuple[Record, Record]]]:
        """The pairs that may say something of a metric, fork by fork."""
        return list((self._steady if self._metrics[metric].timed else self._forks).values())

    def _unknown(self) -> Iterator[str]:
        """What a question was expected of, and some pair has no answer to."""
        for metric, file in self._metrics.items():
            pairs = [pair for own in self._of(metric) for pair in own]
            if rare := self._rare(metric, pairs):
                yield rare
                continue
            without = sum(any(value_of(r, metric) is None for r in pair) for pair in pairs)
            expected = without < len(pairs) or metric in self._floors
            if file.matters is not None and without and expected:
                yield f"{metric} ({without} of {len(pairs)} pairs)"

    def _rare(self, metric: str, pairs: list[tuple[Record, Record]]) -> str:
        """Why an endpoint isn't judged, where its windows have too few requests of it."""
        endpoint = endpoints.split(metric)[1]
        few = endpoints.too_few((r for pair in pairs for r in pair), endpoint) if endpoint and pairs else None
        if few is None:
            return ""
        called = endpoints.title(self._catalog, self._head, endpoint)
        return f"latency of {called} ({few} requests in a window, {endpoints.LEAST} are needed)"

    def _looked(self, metric: str) -> Evidence | None:
        """At each of the planned numbers of pairs that there are by now, in the order of measuring."""
        ratios = self._ratios(metric)
        if not ratios:
            return None
        matters, known = self._margins[metric] or 0.0, self._priors[metric]
        if metric == growth.METRIC:
            matters = math.expm1(self._catalog.file.verdict.leak)
        if metric in COUNTS:
            known = counts.BURSTS
        surer = self._surer(known)
        total = sum(map(len, ratios))
        planned = max(self._planned, total)
        evidence: Evidence | None = None
        for count, part in looks(self._catalog, planned, total, ended=self._ended):
            now, alike = (decide.estimate(_first(ratios, count), p) for p in (surer, known))
            if now and alike:
                explained = self._explained(metric, now, count) / part
                sure = explained <= self._catalog.file.verdict.false_alarms
                evidence = decide.looked(evidence, now, part, alike.equivalent(matters), sure=sure)
        if evidence is None:  # too few pairs for a first look: reported, with no p-value that counts
            now = decide.estimate(ratios, surer)
            return Evidence(estimate=now, part=1.0) if now else None
        return evidence

    def _explained(self, metric: str, ratio: Estimate, count: int) -> float:
        """The p-value of a database that moved, and not the app."""
        if self._metrics[metric].ruler != "database" or self._must_be_the_app(count):
            return 0.0
        return databases.explains(ratio, self._database(count))

    def _must_be_the_app(self, count: int) -> bool:
        """Whether only the app can have moved its ratio to the database: that did the very same, and the
        generator shows no change of what it needed for it.
        """
        return self._identical and databases.stood_still(self._database(count))

    def _smallest(self, metric: str, evidence: Evidence, chance: float) -> float:
        """The effect that would have been seen, and have been too large for the database to explain it."""
        own = evidence.estimate.smallest(chance)
        if self._metrics[metric].ruler != "database" or self._must_be_the_app(evidence.estimate.pairs):
            return own
        app = databases.apart(evidence.estimate, self._database(evidence.estimate.pairs))
        one_sided = 2 * self._catalog.file.verdict.false_alarms * evidence.part
        return max(own, app.smallest(one_sided)) if app else own

    def _ratios(self, metric: str) -> list[list[float]] | None:
        """Logarithms of head ÷ base, fork by fork; None where there is no ratio."""
        if metric in COUNTS:
            own = self._counts[metric]
            return counts.ratios(own) if any(a or b for each in own for a, b in each) else None
        values = self._values(metric)
        if values is not None and metric == growth.METRIC:
            return growth.differences(values)
        if values is None or min(v for own in values for pair in own for v in pair) <= 0:
            return None
        return [[math.log(b / a) for a, b in own] for own in values]


def looks(catalog: Catalog, planned: int, there: int, *, ended: bool) -> list[tuple[int, float]]:
    """The numbers of sound pairs, of those that are there, at which one looks, each with its part of the
    error.

    A session that ended with fewer pairs than were planned is looked at as it is, with what is left.
    """
    counts = tuple(dict.fromkeys(max(1, math.ceil(planned * t)) for t in catalog.file.verdict.looks))
    parts = decide.parts([n / planned for n in counts])
    found = [(n, part) for n, part in zip(counts, parts, strict=True) if n <= there]
    if ended and there and len(found) < len(counts):
        found.append((there, 1.0 - sum(part for _, part in found)))
    return found


def collectors(java: Java | None) -> frozenset[str]:
    """The flags by which a JVM says which collector it has."""
    return frozenset(f"-XX:+{n}" for n, v in (java.flags if java else {}).items() if v == "true") & COLLECTORS


def _first(forks: list[list[float]], count: int) -> list[list[float]]:
    """The first so many pairs, in the order of measuring."""
    found = []
    for own in forks:
        found.append(own[:count])
        count -= len(found[-1])
    return [f for f in found if f]


def _surprise(verdict: Verdict) -> float:
    return -math.log(max(verdict.p, 1e-300)) if verdict.p is not None else -1.0

"""From the records of a comparison's pairs to a verdict for each metric of each cell."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Literal

import msgspec

from telar.analyse import decide
from telar.analyse.calibration import pairs_of, prior, steady, value_of
from telar.analyse.decide import Evidence, Word
from telar.catalog.jvm import COLLECTORS
from telar.catalog.types import Catalog
from telar.plan.cells import Cell
from telar.store.floors import Floors, Tier
from telar.store.record import Java, Record

COUNTS = ("failures", "dropped")  # decided as counts: their ratio says nothing


class Verdict(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Of one metric of one cell, base against head."""

    metric: str
    word: Word
    tier: Tier | Literal["counted", "unknown"]
    base: float | None  # medians over windows
    head: float | None
    effect: float | None  # head ÷ base, less one
    low: float | None  # its interval at the last look
    high: float | None
    error: float | None  # standard error of the effect's logarithm
    matters: float | None  # the smallest change worth a verdict
    smallest: float | None  # effect that these pairs would have shown, were it the only one
    p: float | None  # of no difference, valid at any look; before the family is taken into account
    q: float | None  # after

    @property
    def log(self) -> tuple[float, float] | None:
        """The effect's logarithm and its standard error; None where no effect was seen."""
        if self.effect is None or self.error is None or self.effect <= -1:
            return None
        return math.log1p(self.effect), self.error


class Compared(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A cell's two sides."""

    base: Cell
    head: Cell
    forks: int
    pairs: int  # sound on both sides
    moved: int  # of them, those in which the machine's speed moved: they say nothing in seconds
    left_out: int
    refused: tuple[str, ...]  # gates that failed, with how many windows
    verdicts: tuple[Verdict, ...]  # on which the word rests
    beside: tuple[Verdict, ...]  # what else moved, the surest first
    unknown: tuple[str, ...] = ()  # metrics that matter and that some pair doesn't know, with how many

    @property
    def word(self) -> Word:
        """The worst of them; undecided only where nothing is worse and something open."""
        words = {v.word for v in self.verdicts} | ({"undecided"} if not self.pairs else set())
        order: tuple[Word, ...] = ("worse", "undecided", "better", "same")
        return next((w for w in order if w in words), "undecided")

    def of(self, metric: str) -> Verdict | None:
        """What is said of a metric, whether the word rests on it or not."""
        return next((v for v in (*self.verdicts, *self.beside) if v.metric == metric), None)


def compare(
    catalog: Catalog,
    records: Sequence[Record],
    floors: Floors,
    planned: Mapping[tuple[str, str], int],
    *,
    ended: bool,
) -> list[Compared]:
    """`planned`: names of base and head -> pairs that were planned: what a look's part of the error follows
    from. `ended`: no more pairs will come.

    Every verdict is given in the light of all of them: the more is asked, the more is found by chance.
    """
    comparisons = [
        _Comparison(catalog, own, floors, planned.get(key, 0), ended)
        for key, own in _by_cells(records).items()
    ]
    p_values = {
        (n, metric): evidence.different
        for n, comparison in enumerate(comparisons)
        for metric, evidence in comparison.judged.items()
    }
    q_values, asked = decide.adjusted(p_values), max(1, len(p_values))
    return [
        comparison.compared({metric: q_values[n, metric] for metric in comparison.judged}, asked)
        for n, comparison in enumerate(comparisons)
    ]


def decided(found: Sequence[Compared]) -> bool:
    """Whether every metric that a verdict may rest on has one."""
    words = [v.word for c in found for v in c.verdicts if v.tier != "counted"]
    return bool(words) and "undecided" not in words


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


def _by_cells(records: Sequence[Record]) -> dict[tuple[str, str], list[Record]]:
    forks: dict[int, list[Record]] = {}
    for record in records:
        if record.pair:
            forks.setdefault(record.pair.fork, []).append(record)
    found: dict[tuple[str, str], list[Record]] = {}
    for own in forks.values():
        sides = {r.pair.side: r.cell.name for r in own if r.pair}
        found.setdefault((sides.get("a", ""), sides.get("b", "")), []).extend(own)
    return dict(sorted(found.items()))


class _Comparison:
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
        self._asked_alike = _asked_alike(self._forks.values(), catalog.file.verdict.asked)
        self._collected_alike = len({collectors(r.provenance.java) for r in records}) == 1
        sides = {r.pair.side: r.cell for r in records if r.pair}
        self._base, self._head = (sides.get(side, records[0].cell) for side in ("a", "b"))
        self._floors = floors.of(self._base)
        self._calibration = floors.calibration(self._base)
        every = {m: e for m in catalog.file.metric if (e := self._looked(m))}
        self._told = every
        self.judged = {m: e for m, e in every.items() if self._decides(m)}

    def compared(self, q_values: Mapping[str, float], asked: int) -> Compared:
        """`asked`: questions in the family, one of them each of `q_values`."""
        verdicts = [self._counted(metric) for metric in COUNTS]
        beside: list[Verdict] = []
        for metric in self._catalog.file.metric:
            if metric in COUNTS:
                continue
            found = self._verdict(metric, q_values.get(metric), asked)
            if found:
                (verdicts if self._rests_on(found) else beside).append(found)
        pairs = sum(map(len, self._forks.values()))
        halves = {(r.pair.fork, r.pair.window, r.pair.side) for r in self._records if r.pair}
        windows = Counter((fork, window) for fork, window, _ in halves)
        refused = Counter(g.name for r in self._records for g in r.gates if g.verdict == "fail")
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

    def _decides(self, metric: str) -> bool:
        """A metric whose changes matter, and whose noise lets it speak: of a noisy one, of large changes.

        Of a cell that was never calibrated, each whose changes matter: which are too noisy isn't known. What
        each JVM tells once needs as many of them as an arm needs runs: no gate looks at a start.
        """
        file, floor = self._catalog.file.metric[metric], self._floors.get(metric)
        speaks = floor.tier != "chart" if floor else not self._floors
        if file.once and len(self._forks) < self._catalog.file.gate.repeats.least:
            return False
        return file.matters is not None and speaks

    def _rests_on(self, verdict: Verdict) -> bool:
        """A noisy metric that is sure counts; one that isn't leaves no question open, since it seldom is.

        One of unknown noise leaves its question open: *same* may not rest on what nobody could see.
        """
        if verdict.tier == "unknown":
            return self._decides(verdict.metric)
        return verdict.q is not None and (verdict.tier == "gate" or verdict.word != "undecided")

    def _counted(self, metric: str) -> Verdict:
        """Requests that failed: any side's share against the other's, all windows that ran to their end."""
        pairs = [p for own in self._done.values() for p in own]
        sums = [sum(_count(p[side], metric) for p in pairs) for side in (0, 1)]
        whole = [sum(r.load.iterations if (r := p[side]).load else 0 for p in pairs) for side in (0, 1)]
        p = 1.0
        if any(sums) and all(whole):
            from scipy import stats  # noqa: PLC0415 - it takes a second to load, and nothing fails as a rule

            table = [[sums[0], max(0, whole[0] - sums[0])], [sums[1], max(0, whole[1] - sums[1])]]
            p = float(stats.fisher_exact(table).pvalue)
        limit = self._catalog.file.verdict.false_alarms
        word: Word = "same" if not any(sums) else "undecided"
        if p <= limit:
            word = "worse" if sums[1] * whole[0] > sums[0] * whole[1] else "better"
        return Verdict(
            metric=metric,
            word=word,
            tier="counted",
            base=sums[0],
            head=sums[1],
            effect=None,
            low=None,
            high=None,
            error=None,
            matters=None,
            smallest=None,
            p=p,
            q=None,
        )

    def _verdict(self, metric: str, q: float | None, asked: int) -> Verdict | None:
        """None where no pair of windows that is sound on both sides knows the metric."""
        values = self._values(metric)
        if values is None:
            return None
        base, head = (median([pair[side] for own in values for pair in own]) for side in (0, 1))
        file, floor, evidence = (
            self._catalog.file.metric[metric],
            self._floors.get(metric),
            self._told.get(metric),
        )
        tier = floor.tier if floor else "unknown"
        if evidence is None:  # values without a ratio, or of a noise that nobody knows: shown, never judged
            if base == head:
                return None
            return Verdict(
                metric=metric,
                word="undecided",
                tier=tier,
                base=base,
                head=head,
                effect=head / base - 1 if base else None,
                low=None,
                high=None,
                error=None,
                matters=file.matters,
                smallest=None,
                p=None,
                q=None,
            )
        rules = self._catalog.file.verdict
        low, high = evidence.estimate.interval(rules.false_alarms * evidence.part)
        word: Word = "undecided"
        if q is not None:
            word = decide.word(
                evidence,
                q,
                better=file.better,
                false_alarms=rules.false_alarms,
                equivalence=rules.equivalence,
            )
        return Verdict(
            metric=metric,
            word=word,
            tier=tier,
            base=base,
            head=head,
            effect=math.expm1(evidence.estimate.effect),
            low=low,
            high=high,
            error=evidence.estimate.error,
            matters=file.matters,
            smallest=evidence.estimate.smallest(rules.false_alarms * evidence.part / asked),
            p=evidence.different,
            q=q,
        )

    def _values(self, metric: str) -> list[list[tuple[float, float]]] | None:
        """Base and head of each pair that knows it, fork by fork; None where none does, or where it is in
        units of what the sides' databases needed, and these weren't asked the same, or depends on a collector
        that they haven't in common."""
        file = self._catalog.file.metric[metric]
        if file.ruler == "database" and not self._asked_alike:
            return None
        if file.alike == "collector" and not self._collected_alike:
            return None
        pairs = [[(value_of(a, metric), value_of(b, metric)) for a, b in own] for own in self._of(metric)]
        found = [[(a, b) for a, b in own if a is not None and b is not None] for own in pairs]
        return [own for own in found if own] or None

    def _of(self, metric: str) -> list[list[tuple[Record, Record]]]:
        """The pairs that may say something of a metric, fork by fork."""
        return list((self._steady if self._catalog.file.metric[metric].timed else self._forks).values())

    def _unknown(self) -> Iterator[str]:
        """What a question was expected of, and some pair has no answer to."""
        for metric, file in self._catalog.file.metric.items():
            pairs = [pair for own in self._of(metric) for pair in own]
            without = sum(any(value_of(r, metric) is None for r in pair) for pair in pairs)
            expected = without < len(pairs) or metric in self._floors
            if file.matters is not None and without and expected:
                yield f"{metric} ({without} of {len(pairs)} pairs)"

    def _looked(self, metric: str) -> Evidence | None:
        """At each of the planned numbers of pairs that there are by now, in the order of measuring."""
        values = None if metric in COUNTS else self._values(metric)
        if values is None or min(v for own in values for pair in own for v in pair) <= 0:
            return None
        ratios = [[math.log(b / a) for a, b in own] for own in values]
        matters = self._catalog.file.metric[metric].matters
        known = prior(self._calibration, self._floors.get(metric))
        total = sum(map(len, ratios))
        planned = max(self._planned, total)
        evidence: Evidence | None = None
        for count, part in looks(self._catalog, planned, total, ended=self._ended):
            now = decide.estimate(_first(ratios, count), known)
            if now:
                evidence = decide.looked(evidence, now, part, matters or 0.0)
        if evidence is None:  # too few pairs for a first look: told, with no p-value that counts
            now = decide.estimate(ratios, known)
            return Evidence(estimate=now, part=1.0) if now else None
        return evidence


def collectors(java: Java | None) -> frozenset[str]:
    """The flags by which a JVM says which collector it has."""
    return frozenset(f"-XX:+{n}" for n, v in (java.flags if java else {}).items() if v == "true") & COLLECTORS


def _asked_alike(forks: Iterable[Sequence[tuple[Record, Record]]], tolerance: float) -> bool:
    """Whether both sides asked one kind of database for the same, by its own counters: no kind of statement
    differs by more than `tolerance` of all. Of more statements a request the database needs more, and what is
    divided by it seems to get better.
    """
    servers: set[tuple[object, ...]] = set()
    asked: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    for record, counter in ((pair[side], asked[side]) for own in forks for pair in own for side in (0, 1)):
        server = record.provenance.database
        if server is None or record.database is None or not record.database.statements:
            return False
        servers.add((server.name, server.version, *sorted(server.settings.items())))
        counter.update(record.database.statements)
    most = tolerance * max(map(Counter.total, asked))
    apart = (abs(asked[0][kind] - asked[1][kind]) for kind in asked[0] | asked[1])
    return len(servers) == 1 and all(difference <= most for difference in apart)


def _first(forks: list[list[float]], count: int) -> list[list[float]]:
    """The first so many pairs, in the order of measuring."""
    found = []
    for own in forks:
        found.append(own[:count])
        count -= len(found[-1])
    return [f for f in found if f]


def _count(record: Record, metric: str) -> int:
    return round(value_of(record, metric) or 0)


def _surprise(verdict: Verdict) -> float:
    return -math.log(max(verdict.p, 1e-300)) if verdict.p is not None else -1.0

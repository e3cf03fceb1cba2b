"""Whether the database did the same work on both sides: only then are its seconds a unit of the app's."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from msgspec.structs import replace as replace_struct

from telar.analyse.counted import BYTES, OTHERS, QUERIES, ROWS
from telar.analyse.decide import Estimate
from telar.catalog.settings import VerdictFile
from telar.store.record import Record

Sides = tuple[Record, Record]
# Its noise is the generator's own, as that of database ÷ generator is: so calibrations know the latter.
NOISE = "work-cpu-relative"
IDENTICAL = 0.005  # of what is counted: a window's edges, a pool's own pings
# A database that does the very same may all the same need more, as one whose statistics are others. A move by
# so much must be excluded by the generator, with this chance to be wrong, or the app's ratio isn't believed.
MOVED, WRONG = 0.15, 0.005


def alike(forks: Sequence[Sequence[Sides]], rules: VerdictFile) -> bool:
    """By the server's own counters and by the bytes that were answered: counts have hardly any noise."""
    pairs = [pair for own in forks for pair in own]
    return bool(pairs) and _asked(pairs, rules.asked) and _answered(pairs, rules.asked)


def identical(forks: Sequence[Sequence[Sides]]) -> bool:
    """Whether both sides' services, which differ in their code alone, surely had the database do the very
    same: the same tables and indexes, as many statements of each kind, rows and bytes, or of each single
    statement.

    False where some window doesn't say all of that. Another text of a statement has another length, or is
    another statement.
    """
    pairs = [pair for own in forks for pair in own]
    states = [record.database for pair in pairs for record in pair]
    if not all(
        s and s.schema and any(k.startswith((*BYTES, *QUERIES)) for k in s.statements) for s in states
    ):
        return False
    same_tables = len({s.schema for s in states if s}) == 1
    same_cell = all(
        replace_struct(a.cell, revision="") == replace_struct(b.cell, revision="") for a, b in pairs
    )
    return same_tables and same_cell and _asked(pairs, IDENTICAL) and _answered(pairs, IDENTICAL)


def stood_still(database: Estimate | None) -> bool:
    """Whether the generator excludes that the database's processor time moved far."""
    return database is not None and database.equivalent(MOVED) <= WRONG


def moved(forks: Sequence[Sequence[Sides]]) -> list[list[float]]:
    """Logarithms of head ÷ base of its processor time in units of the generator's, fork by fork; empty where
    some window doesn't know them.

    A database with a better index may answer the same statements for less, and whatever is divided by its
    processor time seems to get worse. The generator's work is the same on both sides.
    """
    found = [[(_needed(a), _needed(b)) for a, b in own] for own in forks]
    if any(value is None for own in found for pair in own for value in pair):
        return []
    return [[b - a for a, b in own if a is not None and b is not None] for own in found]


def apart(ratio: Estimate, database: Estimate | None) -> Estimate | None:
    """What is known of the app alone, from its `ratio` to the database and from what the `database` did
    itself: the sum of both effects. None where nothing is known of the latter.

    A database that needs 15 % less and an app that needs 18 % more have the same ratio. The noise of both is
    added as if they had none in common, which is too much rather than too little: what the database's
    processor time has of its own is in both, with opposite signs.
    """
    if database is None:
        return None
    return replace(
        database,
        means=tuple(mean + ratio.effect for mean in database.means),
        errors=tuple(math.hypot(error, ratio.error) for error in database.errors),
    )


def explains(ratio: Estimate, database: Estimate | None) -> float:
    """The p-value of an app that moved not at all, or in the other direction than its ratio did."""
    app = apart(ratio, database)
    return app.opposite(ratio.effect) if app else 1.0


def _asked(pairs: Sequence[Sides], tolerance: float) -> bool:
    """No kind of statement differs by more than `tolerance` of all, and no way of finding rows by more than
    `tolerance` of all rows read. Of more statements a request the database needs more, and what is divided by
    it seems to get better.
    """
    servers: set[tuple[object, ...]] = set()
    asked: tuple[Counter[str], Counter[str]] = Counter(), Counter()
    for record, counter in ((pair[side], asked[side]) for pair in pairs for side in (0, 1)):
        server = record.provenance.database
        if server is None or record.database is None or not record.database.statements:
            return False
        servers.add((server.name, server.version, *sorted(server.settings.items())))
        counter.update(record.database.statements)
    kinds = asked[0] | asked[1]
    groups = [[kind for kind in kinds if kind.startswith(names)] for names in (ROWS, BYTES, QUERIES)]
    groups.append([kind for kind in kinds if not kind.startswith(OTHERS)])
    return len(servers) == 1 and all(
        _same({kind: (asked[0][kind], asked[1][kind]) for kind in own}, tolerance) for own in groups
    )


def _same(counts: dict[str, tuple[int, int]], tolerance: float) -> bool:
    most = tolerance * max((sum(own[side] for own in counts.values()) for side in (0, 1)), default=0)
    return all(abs(b - a) <= most for a, b in counts.values())


def _answered(pairs: Sequence[Sides], tolerance: float) -> bool:
    """Whether a request's answer is as long on both sides."""
    sizes = []
    for side in (0, 1):
        loads = [load for pair in pairs if (load := pair[side].load)]
        whole = sum(count * own.bytes.get(name, 0.0) for own in loads for name, count in own.requests.items())
        sizes.append(whole / max(1, sum(sum(own.requests.values()) for own in loads)))
    return abs(sizes[1] - sizes[0]) <= tolerance * max(sizes)


def _needed(record: Record) -> float | None:
    values = [record.metrics.get(name) for name in ("database-cpu", "generator-cpu")]
    database, generator = (v.value if v else 0.0 for v in values)
    return math.log(database / generator) if database > 0 and generator > 0 else None

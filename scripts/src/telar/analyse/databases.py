"""Whether the database did the same work on both sides: only then are its seconds a unit of the app's."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import fmean

from telar.catalog.types import VerdictFile
from telar.store.record import Record

Sides = tuple[Record, Record]
ROWS = ("Handler_", "seq_tup_", "idx_tup_")  # what a server counts by rows; all else are statements


def alike(forks: Sequence[Sequence[Sides]], rules: VerdictFile) -> bool:
    """By the server's own counters, by the bytes that were answered, and by its processor time.

    A database with a better index answers the same statements for less, and whatever is divided by its
    processor time seems to get worse. The generator's work is the same on both sides, so that
    database ÷ generator shows it.
    """
    pairs = [pair for own in forks for pair in own]
    return (
        bool(pairs) and _asked(pairs, rules.asked) and _answered(pairs, rules.asked) and _needed(pairs, rules)
    )


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
    return len(servers) == 1 and all(
        _same(
            {kind: (asked[0][kind], asked[1][kind]) for kind in kinds if kind.startswith(ROWS) == rows},
            tolerance,
        )
        for rows in (True, False)
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


def _needed(pairs: Sequence[Sides], rules: VerdictFile) -> bool:
    """Whether its processor time, in units of the generator's, is the same on both sides; False where either
    isn't known.
    """
    moved = []
    for a, b in pairs:
        values = [r.metrics.get(name) for r in (a, b) for name in ("database-cpu", "generator-cpu")]
        known = [v.value for v in values if v and v.value > 0]
        if len(known) < len(values):
            return False
        moved.append(math.log(known[2] / known[3]) - math.log(known[0] / known[1]))
    return abs(fmean(moved)) <= math.log1p(rules.database_moved)

"""From the records of a comparison's pairs to a verdict for each metric of each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from telar.analyse import decide
from telar.analyse.compared import Compared, Verdict
from telar.analyse.two_sides import TwoSides, looks
from telar.catalog.types import Catalog
from telar.store.floors import Floors
from telar.store.record import Record

__all__ = ["Compared", "Verdict", "compare", "decided", "looks"]


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
    if records:
        catalog = catalog.asked(records[0].cell.runner, records[0].cell.workload)
    comparisons = [
        TwoSides(catalog, own, floors, planned.get(key, 0), ended) for key, own in _by_cells(records).items()
    ]
    p_values = {
        (n, metric): evidence.different
        for n, comparison in enumerate(comparisons)
        for metric, evidence in comparison.judged.items()
    }
    weights = decide.shares(
        list(p_values),
        [(n, c.primary) for n, c in enumerate(comparisons) if c.primary],
        catalog.file.verdict.primary_share,
    )
    q_values, asked = decide.adjusted(p_values, weights), max(1, len(p_values))
    return [
        comparison.compared(
            {metric: q_values[n, metric] for metric in comparison.judged},
            {metric: weights[n, metric] / asked for metric in comparison.judged},
        )
        for n, comparison in enumerate(comparisons)
    ]


def decided(found: Sequence[Compared]) -> bool:
    """Whether every metric that a verdict may rest on has one."""
    words = [v.word for c in found for v in c.verdicts if v.tier != "counted"]
    return bool(words) and "undecided" not in words


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

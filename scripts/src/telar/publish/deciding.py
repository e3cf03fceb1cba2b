"""What would decide what a comparison left open, and what it is worth where windows were disturbed."""

from __future__ import annotations

import math
from collections.abc import Iterator

from telar.analyse.needed import factor
from telar.analyse.verdicts import Compared, Verdict
from telar.catalog.types import Catalog
from telar.publish import figures
from telar.words import many

STEP = 5  # minutes, to which a budget is rounded up
FEW = 2  # sound pairs, of which a disturbance has left no answer
MOST = 120  # minutes; what takes longer isn't worth the wait for most
# Gates that fail for what lies outside of the service -> what their windows still say.
WORTH = {
    "foreign": "something else used the machine. Latencies and processor time are partly its doing; what was "
    "allocated, failed or asked of the database is the service's own. End what runs beside it (./telar "
    "doctor --runner says what is in the way). Other guests of the host can't be ended from here: where they "
    "took the time, wait. Then run it again",
    "warm": "the compilers were still at work, and took processor time from the requests. What failed or was "
    "asked of the database still holds",
}


def lines(catalog: Catalog, found: tuple[Compared, ...], command: str, minutes: float) -> Iterator[str]:
    """`command` compares the same again; `minutes` are those of all comparisons together."""
    still = [v for c in found for v in c.verdicts if v.word == "undecided" and v.tier != "counted"]
    if any(runner.judges for c in found if (runner := catalog.file.runner.get(c.head.runner))):
        yield from _hosted(catalog, still, command, minutes / max(1, len(found)))
        return
    blind = [c for c in found if not c.pairs]
    if blind:
        yield f"What would decide it: windows that pass their gates. Once nothing is in their way: {command}"
    unknown = [v for v in still if v.tier == "unknown"]
    still = [v for v in still if v.tier != "unknown"]
    unseen = [c for c in found if c.pairs and not c.seen]
    if any(v.tier != "unknown" for c in unseen for v in c.beside):
        budget = math.ceil(2 * minutes / max(1, len(found)) / STEP) * STEP
        yield f"What would decide it: more pairs: {command} --budget {budget}m"
    elif unseen:
        yield f"What would decide it, whose noise isn't known here: {_calibrate(unseen[0])}"
    if unknown:
        what = f"What would decide {_titles(catalog, unknown)}, whose noise isn't known here"
        yield f"{what}: {_calibrate(found[0])}"
    yield from _longer(catalog, still, command, minutes / max(1, len(found)))


def _hosted(catalog: Catalog, still: list[Verdict], command: str, minutes: float) -> Iterator[str]:
    """On a machine that another is given for each time, no calibration helps: only a longer session does."""
    if longer := list(_longer(catalog, still, command, minutes)):
        yield from longer
    else:
        yield f"What would decide it: more pairs: {command} --budget {math.ceil(2 * minutes / STEP) * STEP}m"


def worth(found: tuple[Compared, ...]) -> Iterator[str]:
    """Why hardly a pair is sound, and what the windows that were left out still say."""
    found = tuple(c for c in found if c.pairs < FEW)
    for gate, words in WORTH.items():
        windows = sum(int(r.rpartition("(")[2].rstrip(")")) for c in found for r in c.refused
                      if r.partition(" ")[0] == gate)  # fmt: skip
        if windows:
            yield f"In {many(windows, 'window')} {words}."


def _longer(catalog: Catalog, still: list[Verdict], command: str, minutes: float) -> Iterator[str]:
    needed = [
        (v, math.ceil(minutes * f / STEP) * STEP)
        for v in still
        if (f := factor(v, catalog.file.verdict.equivalence)) is not None
    ]
    near = [(v, n) for v, n in needed if n <= MOST]
    if near:
        budget = max(STEP, *(n for _, n in near))
        yield f"What would decide {_titles(catalog, [v for v, _ in near])}: {command} --budget {budget}m"
    far = [v for v, n in needed if n > MOST]
    if far:
        titles = _titles(catalog, far)
        yield f"It would take more than {MOST // 60} hours of this comparison to decide {titles}."


def _titles(catalog: Catalog, verdicts: list[Verdict]) -> str:
    return ", ".join(dict.fromkeys(figures.title(catalog, v) for v in verdicts))


def _calibrate(compared: Compared) -> str:
    cell = compared.base
    return (
        f"./telar calibrate pull-request --only {cell.label} --workload {cell.workload} "
        f"--engine {cell.engine} --write"
    )

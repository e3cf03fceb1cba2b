"""Each of several factors alone and all of them together, measured in one session: for `telar attribute` and
`telar ab --attribute`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from telar.analyse.attribution import Attributed, Part
from telar.analyse.attribution import attribute as attributed
from telar.analyse.verdicts import Compared
from telar.build import alone
from telar.catalog.types import Catalog
from telar.cli import answer, comparing
from telar.errors import ConfigError, RunError
from telar.plan.cells import Cell, Plan
from telar.plan.sides import Side
from telar.publish import evidence
from telar.store import evidence as evidence_file
from telar.store.files import write_atomically

ALL = "all together"


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    base: Side
    head: Side
    moved: dict[str, Side]  # a factor -> the base with it alone changed
    metric: str | None = None  # else that in which all together differ the surest, variant by variant
    budget: float  # seconds for each factor, and for all together
    forks: int | None = None


def measure(
    c: Catalog, asked: Asked, once: Plan, found: Sequence[Cell], kept: Path, *, verbose: bool
) -> tuple[Attributed, ...]:
    """Of each cell in which at least two factors differ. Raises what a run raises, ConfigError where there is
    no such cell, and RunError where nothing can be said.
    """
    comparing.pairs_for(asked.base, asked.head, found)  # that what was said makes sense
    cells = {cell.label: own for cell in found if len(own := _pairs(c, asked, cell)) > alone.LEAST}
    if not cells:
        raise ConfigError(
            f"in {', '.join(cell.label for cell in found)} the sides differ in one thing",
            hint="telar ab compares them",
        )
    pairs = [pair for own in cells.values() for pair in own.values()]
    plan, designed = comparing.plan_of(c, once, pairs, asked.budget, asked.forks)
    made = comparing.measure(c, "attribute", plan, designed, kept, verbose=verbose, enough=lambda _: False)
    by_names = {(each.base.name, each.head.name): each for each in made.compared}
    result = [
        _attributed(
            c, variant, {n: by_names.get((a.name, b.name)) for n, (a, b) in own.items()}, asked.metric
        )
        for variant, own in cells.items()
    ]
    said = evidence.of_attribution(
        c,
        session=made.session.id,
        records=made.records,
        base=asked.base.words,
        head=asked.head.words,
        command=answer.command(plan, asked.base.said, asked.head.said).replace(" ab ", " attribute ", 1),
        found=result,
        minutes=made.minutes,
    )
    write_atomically(made.session.folder / evidence_file.FILE, msgspec.json.encode(said) + b"\n")
    return tuple(result)


def _pairs(c: Catalog, asked: Asked, cell: Cell) -> dict[str, tuple[Cell, Cell]]:
    """Base and head of each factor that changes what this cell runs, and of all together."""
    base = asked.base.of(cell)
    own = {name: side.of(cell) for name, side in {**asked.moved, ALL: asked.head}.items()}
    return {name: (base, head) for name, head in own.items() if alone.runs_otherwise(c, head, base)}


def _attributed(
    c: Catalog, variant: str, own: Mapping[str, Compared | None], metric: str | None
) -> Attributed:
    """`own`: a factor, or all of them -> what its pairs said, if any of them was sound."""
    compared = own[ALL]
    if compared is None or not compared.pairs:
        raise RunError("no pair of all together is sound", hint="telar report says which gates failed")
    metric = metric or comparing.surest(c, compared)
    together = compared.of(metric) if metric else None
    if metric is None or together is None:
        what = f"{metric} can't" if metric else "no metric that matters can"
        raise RunError(
            f"{what} be estimated", hint="telar calibrate measures the noise, or say another --metric"
        )
    by_itself = {
        name: verdict
        for name, each in own.items()
        if name != ALL and each is not None and (verdict := each.of(metric)) is not None
    }
    parts = attributed(by_itself, together, c.file.verdict.false_alarms)
    if not parts:
        raise RunError(f"{metric}: the noise isn't known", hint="telar calibrate measures it")
    total = Part(
        name=ALL, effect=together.effect or 0.0, low=together.low or 0.0, high=together.high or 0.0, share=1.0
    )
    return Attributed(variant=variant, metric=metric, parts=(*parts, total))

"""`telar attribute`: which of several factors did it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import msgspec
from rich.markup import escape

from telar.analyse.attribution import Part
from telar.analyse.attribution import attribute as attributed
from telar.analyse.verdicts import Compared
from telar.build import bumps
from telar.catalog.load import known
from telar.catalog.types import Catalog
from telar.cli import answer, comparing
from telar.cli.common import catalog, cell_options, console, data_folder, json_option, print_json, seconds_of
from telar.errors import ConfigError, RunError
from telar.plan.sides import Side, factors
from telar.publish import evidence, folding
from telar.publish.columns import metric_file
from telar.store import evidence as evidence_file
from telar.store.files import write_atomically


@click.command()
@cell_options
@click.option("--base", "base_words", multiple=True, metavar="SIDE", required=True, help="Before.")
@click.option(
    "--head", "head_words", multiple=True, metavar="SIDE", required=True, help="With all that moved."
)
@click.option(
    "--metric", help="Of this one.  [default: in which all together differ the surest, variant by variant]"
)
@comparing.budget_option("15m", "Time to spend on each factor, and on all together")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@click.option("--verbose", "-v", is_flag=True, help="Print each command before it runs.")
@json_option
def attribute(
    base_words: tuple[str, ...],
    head_words: tuple[str, ...],
    metric: str | None,
    budget: str,
    data: Path | None,
    verbose: bool,
    as_json: bool,
    **said: Any,
) -> None:
    """Says which of several factors moved a metric, and whether they act on each other.

    Each factor in which the sides differ (commit, JDK, driver, variant, flags) is changed alone, and all
    of them together, each in pairs against the base, all in one session in turns. Of commits between which
    the build files bump several versions (Maven, Gradle), each of these is a factor; whatever else they
    change is in what is left.

    \b
    Examples:
      telar attribute --base main --head HEAD
      telar attribute --base jdk=21 --base driver=mysql=8.0.33 --head jdk=25 --head driver=mysql=9.7.0
      telar attribute --base v1 --base jdk=21 --head v2 --head jdk=25 --metric p50 --budget 10m
    """
    c = catalog()
    console.stderr = as_json  # stdout is the machine's then
    if metric is not None:
        known("metric", metric, c.file.metric)
    base, head = comparing.side(c, "--base", base_words), comparing.side(c, "--head", head_words)
    moved = _factors(c, base, head)
    if len(moved) < 2:  # noqa: PLR2004 - one factor needs no attribution
        raise ConfigError(
            f"the sides differ in {', '.join(moved) or 'nothing'} alone", hint="telar ab compares them"
        )
    once, found = comparing.cells(c, said, base, head)
    sides = {**moved, ALL: head}
    cells = {(cell.label, name): comparing.pairs_for(base, side, [cell])[0]
             for cell in found for name, side in sides.items()}  # fmt: skip
    plan, designed = comparing.plan_of(c, once, list(cells.values()), seconds_of(budget), said["repeat"])
    made = comparing.measure(
        c, "attribute", plan, designed, data_folder(data), verbose=verbose, enough=lambda _: False
    )
    by_names = {(each.base.name, each.head.name): each for each in made.compared}
    result: dict[str, Attribution] = {}
    for cell in found:
        pairs = {name: cells[cell.label, name] for name in sides}
        own = {name: by_names.get((base.name, head.name)) for name, (base, head) in pairs.items()}
        result[cell.label] = _attribution(c, own, metric)
    kept = evidence.of_attribution(
        c,
        session=made.session.id,
        records=made.records,
        base=base.words,
        head=head.words,
        command=answer.command(plan, base.said, head.said).replace(" ab ", " attribute ", 1),
        found={variant: (each.metric, each.parts) for variant, each in result.items()},
        minutes=made.minutes,
    )
    write_atomically(made.session.folder / evidence_file.FILE, msgspec.json.encode(kept) + b"\n")
    if as_json:
        print_json(result)
        return
    for variant, each in result.items():
        _print(variant, metric_file(c, each.metric).title, each.parts)


def _factors(c: Catalog, base: Side, head: Side) -> dict[str, Side]:
    """With each version that is bumped between two commits in the commit's place, where these are several."""
    found = factors(base, head)
    own = bumps.between(c.home, base.revision, head.revision) if base.revision and head.revision else []
    if len(own) < 2:  # noqa: PLR2004 - one is the commit
        return found
    found.pop("revision", None)
    each = {
        b.words: msgspec.structs.replace(base, revision=bumps.alone(c.home, base.revision, b)) for b in own
    }
    return {**each, **found}


ALL = "all together"


class Attribution(msgspec.Struct, frozen=True):
    """Of one variant."""

    metric: str
    parts: list[Part]


def _attribution(c: Catalog, own: Mapping[str, Compared | None], metric: str | None) -> Attribution:
    """`own`: a factor, or all of them -> what its pairs said, if any of them was sound."""
    compared = own[ALL]
    if compared is None or not compared.pairs:
        raise RunError("no pair of all together is sound", hint="telar report says which gates failed")
    metric = metric or comparing.surest(c, compared)
    together = compared.of(metric) if metric else None
    if metric is None or together is None:
        what = f"{metric} can't" if metric else "no metric that matters can"
        raise RunError(f"{what} be told", hint="telar calibrate measures the noise, or say another --metric")
    alone = {
        name: verdict
        for name, each in own.items()
        if name != ALL and each is not None and (verdict := each.of(metric)) is not None
    }
    parts = attributed(alone, together, c.file.verdict.false_alarms)
    if not parts:
        raise RunError(f"{metric}: the noise isn't known", hint="telar calibrate measures it")
    total = Part(
        name=ALL, effect=together.effect or 0.0, low=together.low or 0.0, high=together.high or 0.0, share=1.0
    )
    return Attribution(metric, [*parts, total])


def _print(variant: str, title: str, parts: list[Part]) -> None:
    console.print(f"\n[bold]{escape(variant)}[/bold]: {escape(title)}")
    columns = [folding.text("factor"), *map(folding.figure, ("change", "interval", "share"))]
    rows = []
    for part in parts:
        share = "–" if part.share is None else f"{part.share:.0%}"
        rows.append([part.name, f"{part.effect:+.1%}", f"{part.low:+.1%} … {part.high:+.1%}", share])
    folding.print_table(console, columns, rows)

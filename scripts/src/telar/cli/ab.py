"""`telar ab`: two sides in interleaved pairs on this machine, and a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from telar.analyse import verdicts
from telar.build import alone
from telar.catalog.types import Catalog
from telar.cli import answer, attributing, comparing, explaining
from telar.cli.common import catalog, cell_options, console, data_folder, json_option, print_json, seconds_of
from telar.errors import ConfigError, RegressionFound, RunError
from telar.plan.cells import Cell, Plan
from telar.publish import verdict as published
from telar.publish.verdict import Comparison
from telar.store.files import write_atomically


@click.command()
@cell_options
@click.option("--base", "base_words", multiple=True, metavar="SIDE", help="[default: HEAD]")
@click.option("--head", "head_words", multiple=True, metavar="SIDE", help="[default: this checkout as it is]")
@comparing.budget_option("15m", "Time to spend on each variant")
@click.option(
    "--markdown", type=click.Path(path_type=Path, dir_okay=False), help="Write the verdict there, too."
)
@click.option(
    "--verdict", type=click.Path(path_type=Path, dir_okay=False), help="Write it as JSON there, too."
)
@click.option(
    "--why",
    is_flag=True,
    help="Profile two more windows a side, and name the methods that differ.",
)
@click.option(
    "--attribute",
    "each",
    metavar="BUDGET",
    help="Where something moved, say then which of what differs did it, with so much time for each of it.",
)
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@click.option("--verbose", "-v", is_flag=True, help="Print each command before it runs.")
@json_option
def ab(
    base_words: tuple[str, ...],
    head_words: tuple[str, ...],
    budget: str,
    markdown: Path | None,
    verdict: Path | None,
    why: bool,
    each: str | None,
    data: Path | None,
    verbose: bool,
    as_json: bool,
    **said: Any,
) -> None:
    """Compares two sides: worse, better, same or undecided, metric by metric.

    Both are built, kept alive and warm side by side, and measured in turns until every question is
    answered or the budget is spent. A SIDE is a commit (branch, tag, hash), or any of jdk=25,
    driver=mysql=9.7.0, variant=NAME, flags=-XX:+UseZGC, image=REFERENCE; say it several times for several
    of them. SUITE and the other options choose what is compared on both sides, unless each side names a
    variant.

    With --why, two windows more a side under a profiler say which methods differ in processor time or
    allocation per request (telar why shows it again). None of it is in the verdict's numbers.

    With --attribute, each thing in which the sides differ is measured alone, too, if something moved: a
    JDK, a driver, and each version that build files bump between two commits (telar attribute asks for it
    by itself).

    Ends with 8 when something is worse.

    \b
    Examples:
      telar ab --base main
      telar ab --base v1.2 --head HEAD --only spring-mysql-blocking-virtual --budget 5m
      telar ab --base jdk=21 --head jdk=25
      telar ab --base driver=mysql=8.0.33 --head driver=mysql=9.7.0
      telar ab --base variant=spring-mysql-blocking-platform --head variant=spring-mysql-blocking-virtual
      telar ab --head flags=-XX:TieredStopAtLevel=1 --markdown verdict.md
      telar ab --base main --why
      telar ab --base main --head HEAD --attribute 5m
    """
    c = catalog()
    console.stderr = as_json  # stdout is the machine's then
    base = comparing.side(c, "--base", base_words or (() if head_words else ("HEAD",)))
    head = comparing.side(c, "--head", head_words)
    if base.said != head.said and base.is_like(head):
        raise ConfigError(
            f"{base.words} and {head.words} are one and the same", hint="say --base X --head X for an A/A"
        )
    asked = None
    if each is not None:
        asked = attributing.Asked(
            base=base,
            head=head,
            moved=alone.asked(c, base, head),
            budget=seconds_of(each),
            forks=said["repeat"],
        )
    once, found = comparing.cells(c, said, base, head)
    pairs = comparing.pairs_for(base, head, found)
    plan, designed = comparing.plan_of(c, once, pairs, seconds_of(budget), said["repeat"])
    if why:
        explaining.require_possible(c, plan)
    made = comparing.measure(
        c, "ab", plan, designed, data_folder(data), verbose=verbose, enough=verdicts.decided, why=why
    )
    made_of = answer.occasion(
        c,
        made.session.id,
        made.records,
        base=base.words,
        head=head.words,
        command=answer.command(plan, base.said, head.said),
        minutes=made.minutes,
        asked=made.asked,
    )
    comparison = published.Comparison(occasion=made_of, compared=tuple(made.compared), why=made.why)
    text, encoded = answer.keep(c, made.session, comparison)
    if asked:
        comparison = _attributed(c, asked, once, found, comparison, data_folder(data), verbose=verbose)
        text, encoded = answer.keep(c, made.session, comparison)
    if markdown:
        write_atomically(markdown, text)
    if verdict:
        write_atomically(verdict, encoded)
    if as_json:
        print_json({"word": comparison.word, **msgspec.to_builtins(comparison)})
    else:
        published.print_verdict(c, console, comparison)
        console.print(f"\nMarkdown: {made.session.folder / 'verdict.md'}", soft_wrap=True)
    if comparison.word == "worse":
        raise RegressionFound(
            published.headline(c, comparison), hint=f"telar report {made.session.id} has every window"
        )


def _attributed(
    c: Catalog,
    asked: attributing.Asked,
    once: Plan,
    found: Sequence[Cell],
    comparison: Comparison,
    kept: Path,
    *,
    verbose: bool,
) -> Comparison:
    """With what moved the variants of which something surely moved; whatever comes of it, the
    verdict stands.
    """
    moved = {
        each.head.label
        for each in comparison.compared
        if any(v.word in ("worse", "better") for v in each.verdicts)
    }
    own = [cell for cell in found if asked.head.of(cell).label in moved]
    if not own:
        console.print("nothing surely moved: nothing to attribute")
        return comparison
    try:
        said = attributing.measure(c, asked, once, own, kept, verbose=verbose)
    except (ConfigError, RunError) as error:
        console.print(f"not attributed: {error}", style="yellow", markup=False, highlight=False)
        return comparison
    return msgspec.structs.replace(comparison, attributed=said)

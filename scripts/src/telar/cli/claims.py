"""`telar claims`: published claims, judged by our own records."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click
from rich.text import Text

from telar.catalog.claims import AssertionFile
from telar.catalog.files import nearest
from telar.catalog.types import Catalog
from telar.cli.common import GUEST, catalog, console, data_folder, json_option, print_json
from telar.errors import ConfigError
from telar.publish import claims as judged
from telar.publish import folding
from telar.publish.claims import Comparison, Outcome, Said
from telar.publish.comparison import number
from telar.words import many

WORDS: tuple[judged.Word, ...] = ("reproduced", "not reproduced", "undecided", "not testable here")
COLUMNS = (
    folding.text("claim", 6), folding.text("verdict", 10), folding.text("ours (interval)", 12),
    folding.text("original", 20), folding.text("what it says", 20),
)  # fmt: skip


@click.command()
@click.argument("names", metavar="[CLAIM]...", nargs=-1)
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@json_option
def claims(names: tuple[str, ...], data: Path | None, as_json: bool) -> None:
    """Says which published claims our own records reproduce: those of benchmarks-data/reference and of this
    machine's sessions. CLAIM shows one in full.

    \b
    Examples:
      telar claims
      telar claims CLM-13
      telar claims --json
    """
    if os.environ.get(GUEST):
        raise ConfigError("the claims are about Telar's own systems, not a guest's", hint="leave --guest out")
    c = catalog()
    known = {claim.name: claim for claim in judged.shipped(c)}
    for name in names:
        if name not in known:
            raise ConfigError(f"there is no claim {name!r}", hint=nearest(name, known))
    chosen = [known[name] for name in names or known]
    folders = (c.root / "benchmarks-data" / "reference", data_folder(data))
    records, problems = judged.records_of(chosen, c, folders)
    found = [judged.outcome(claim, records, c) for claim in chosen]
    for problem in problems:
        click.echo(f"left out: {problem}", err=True)
    if as_json:
        print_json(found)
    elif names:
        for each in found:
            _print_whole(c, each)
    else:
        _print_all(c, found)


def _print_all(c: Catalog, found: list[Outcome]) -> None:
    rows = [[each.name, each.word, _deciding(c, each), _original(each), each.claim] for each in found]
    folding.print_table(console, COLUMNS, rows, where=f"telar claims CLAIM, --json, and {folding.WIDER}")
    console.print()
    reasons: dict[tuple[str, str], list[str]] = {}
    for each in (e for e in found if e.why):
        reasons.setdefault((f"{each.word}: {each.why}", each.command), []).append(each.name)
    for (why, command), names in reasons.items():
        _say(f"{', '.join(names)}: {why}")
        _print_command(command)
    counts = ", ".join(f"{sum(e.word == word for e in found)} {word}" for word in WORDS)
    console.print()
    _say(f"{many(len(found), 'claim')}: {counts}")


def _print_whole(c: Catalog, each: Outcome) -> None:
    _say(f"{each.name}: {each.word}", style="bold")
    _say(each.claim)
    _say(f"source: {each.source}", indent="  ")
    if each.why:
        _say(f"{each.word}: {each.why}", indent="  ")
    _print_command(each.command)
    for comparison in filter(None, (each.comparison, *each.others)):
        _print_comparison(c, comparison)
    if not each.comparison:
        for original in each.originals:
            _say(f"original: {original}", indent="  ")
    for reason, count in each.left_out.items() if each.comparison else ():
        _say(f"{many(count, 'record')} left out: {reason}", indent="  ")
    if each.differs:
        _say(f"differs: {each.differs}", indent="  ")
    for own in each.unsound:
        _say(f"unsound in the source: the gate {own.gate} would have failed: {own.why}", indent="  ")
    _say(f"not reproduced would mean: {each.means}", indent="  ")
    console.print()


def _print_comparison(c: Catalog, comparison: Comparison) -> None:
    _say(f"{comparison.session}: {comparison.word}", indent="  ")
    _say(comparison.where, indent="    ")
    for said in comparison.said:
        own = said.assertion
        sides = f"{own.of} ÷ {own.against}" if own.against else own.of
        values = " and ".join(
            f"{number(c, own.metric, v)} {c.file.metric[own.metric].unit}"
            for v in (said.of, said.against)
            if v is not None
        )
        runs = " and ".join(map(str, said.runs))
        _say(f"{said.word}: {own.metric} of {sides}: {_ours(c, said)}", indent="    ")
        _say(f"{bounds(c, own)}; original: {own.original}", indent="      ")
        why = f"; {said.why}" * bool(said.why)
        _say(f"medians {values or 'not known'}, {runs} runs{why}", indent="      ")


def bounds(c: Catalog, own: AssertionFile) -> str:
    least, most = (_value(c, own, v) for v in (own.least, own.most))
    if own.least is None:
        return f"reproduced at {most} and below"
    return f"reproduced at {least} and above" if own.most is None else f"reproduced from {least} to {most}"


def _deciding(c: Catalog, each: Outcome) -> str:
    """Of the assertion that the verdict follows from."""
    said = _first(each)
    return f"{said.assertion.metric} {_ours(c, said)}" if said else "–"


def _original(each: Outcome) -> str:
    said = _first(each)
    return said.assertion.original if said else each.originals[0]


def _first(each: Outcome) -> Said | None:
    said = each.comparison.said if each.comparison else ()
    return next((s for s in said if s.word == each.word), None)


def _ours(c: Catalog, said: Said) -> str:
    if said.estimate is None:
        return "–"
    own, found = said.assertion, said.estimate
    digits = _decimals(own, (found.low, found.high))
    value, low, high = (_value(c, own, v, digits) for v in (found.value, found.low, found.high))
    return f"{value} ({low} … {high})"


def _decimals(own: AssertionFile, ends: Sequence[float]) -> int:
    """Two, or as many as it takes (at most five) to see on which side of a bound the interval ends."""
    at = [bound for bound in (own.least, own.most) if bound is not None]
    pairs = [(end, bound) for end in ends for bound in at if end != bound]
    enough = (n for n in range(2, 5) if all(f"{end:.{n}f}" != f"{bound:.{n}f}" for end, bound in pairs))
    return next(enough, 5)


def _value(c: Catalog, own: AssertionFile, value: float | None, decimals: int = 2) -> str:
    if value is None:
        return ""
    return f"×{value:.{decimals}f}" if own.against else number(c, own.metric, value)


def _print_command(command: str) -> None:
    """As it can be copied, whatever the terminal's width."""
    lines = [command]
    if len(command) + 2 > console.width:
        lines = command.replace(" --", " \\\n      --").splitlines()
    for n, line in enumerate(lines if command else ()):
        console.print(Text(line if n else f"  {line}"), soft_wrap=True)


def _say(text: str, *, indent: str = "", style: str = "") -> None:
    """Folded behind spaces; the lines after the first a little further in."""
    room = max(20, console.width - len(indent) - 2)
    first, *rest = folding.folded(text, room)
    for line in (f"{indent}{first}", *(f"{indent}  {line}" for line in rest)):
        console.print(Text(line, style=style), soft_wrap=True)

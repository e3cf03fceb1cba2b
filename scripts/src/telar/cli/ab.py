"""`telar ab`: two sides in interleaved pairs on this machine, and a verdict."""

from __future__ import annotations

import re
import shlex
import time
from pathlib import Path
from typing import Any

import click
import msgspec

from telar.analyse import verdicts
from telar.analyse.verdicts import Compared
from telar.catalog.types import Catalog
from telar.cli.common import (
    catalog,
    cell_options,
    console,
    data_folder,
    json_option,
    print_json,
    root,
    wishes,
)
from telar.cli.run import engine_for
from telar.errors import ConfigError, RegressionFound
from telar.plan.budget import Design, design
from telar.plan.cells import Cell, Plan, make_plan
from telar.plan.pairs import pair_runs
from telar.plan.sides import Side, cells_of, parse
from telar.publish import verdict as published
from telar.run import session as sessions
from telar.run.progress import Progress
from telar.store import floors
from telar.store.files import Session, write_atomically
from telar.store.floors import Floors
from telar.store.record import Record
from telar.tools import git

SUITE = "pull-request"


@click.command()
@cell_options
@click.option("--base", "base_words", multiple=True, metavar="SIDE", help="[default: HEAD]")
@click.option("--head", "head_words", multiple=True, metavar="SIDE", help="[default: this checkout as it is]")
@click.option("--budget", default="15m", help="Time to spend on each variant, e.g. 5m, 1h.  [default: 15m]")
@click.option(
    "--markdown", type=click.Path(path_type=Path, dir_okay=False), help="Write the verdict there, too."
)
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@click.option("--verbose", "-v", is_flag=True, help="Print each command before it runs.")
@json_option
def ab(
    base_words: tuple[str, ...],
    head_words: tuple[str, ...],
    budget: str,
    markdown: Path | None,
    data: Path | None,
    verbose: bool,
    as_json: bool,
    **said: Any,
) -> None:
    """Compares two sides: worse, better, same or undecided, metric by metric.

    Both are built, kept alive and warm side by side, and measured in turns until every question is
    answered or the budget is spent. A SIDE is a commit (branch, tag, hash), or any of jdk=25,
    driver=mysql=9.7.0, variant=NAME, flags=-XX:+UseZGC, image=REFERENCE; say it several times for several
    of them. SUITE and the other options choose what is compared on both sides.

    Ends with 8 when something is worse.

    \b
    Examples:
      telar ab --base main
      telar ab --base v1.2 --head HEAD --only spring-mysql-blocking-virtual --budget 5m
      telar ab --base jdk=21 --head jdk=25
      telar ab --base driver=mysql=8.0.33 --head driver=mysql=9.7.0
      telar ab --base variant=spring-mysql-blocking-platform --head variant=spring-mysql-blocking-virtual
      telar ab --head flags=-XX:TieredStopAtLevel=1 --markdown verdict.md
    """
    c = catalog()
    console.stderr = as_json  # stdout is the machine's then
    kept = data_folder(data)
    base, head = sides(c, base_words, head_words)
    known = floors.read(root() / "benchmarks-data" / floors.FLOORS)
    plan, designed = planned(c, {**said, "suite": said["suite"] or SUITE}, base, head, seconds(budget), known)
    engine = engine_for(c, plan.runs[0].cell.engine)
    sessions.require_disk(kept)
    with sessions.alone(c):
        pass  # what another telar keeps from beginning leaves no session behind
    session = Session.create(kept / f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-ab", plan)
    console.print(
        f"[bold]ab[/bold]: {base.words} against {head.words}, {designed.forks} forks of {designed.windows} "
        f"pairs for each of {len(_cells(plan))} variants, "
        f"{engine.name} engine, {session.folder}",
        soft_wrap=True,
        highlight=False,
    )
    started = time.monotonic()
    pairs = {names(a, b): designed.forks * designed.windows for a, b in _cells(plan)}

    def found() -> list[Compared]:
        return verdicts.compare(c, session.records(), known, pairs)

    records = sessions.run(
        c, engine, session, Progress(console, c, plan, verbose=verbose),
        enough=lambda: verdicts.decided(found()) and len(_cells(plan)) == len(found()),
    )  # fmt: skip
    comparison = published.Comparison(
        occasion=occasion(session, records, base, head, known, (time.monotonic() - started) / 60),
        compared=tuple(found()),
    )
    text = published.markdown(c, comparison)
    write_atomically(session.folder / "verdict.md", text.encode())
    if markdown:
        write_atomically(markdown, text.encode())
    if as_json:
        print_json({"word": comparison.word, **msgspec.to_builtins(comparison)})
    else:
        published.print_verdict(c, console, comparison)
        console.print(f"\nMarkdown: {session.folder / 'verdict.md'}", soft_wrap=True)
    if comparison.word == "worse":
        raise RegressionFound(
            published.headline(c, comparison), hint=f"telar report {session.id} has every window"
        )


def sides(c: Catalog, base_words: tuple[str, ...], head_words: tuple[str, ...]) -> tuple[Side, Side]:
    def commit_of(name: str) -> str:
        return git.commit_of(c.root, name)

    base = parse(c, "--base", base_words or (() if head_words else ("HEAD",)), commit_of)
    head = parse(c, "--head", head_words, commit_of)
    if (
        msgspec.structs.replace(base, said=()) == msgspec.structs.replace(head, said=())
        and base.said != head.said
    ):
        raise ConfigError(
            f"{base.words} and {head.words} are one and the same", hint="say --base X --head X for an A/A"
        )
    return base, head


def planned(
    c: Catalog, said: dict[str, Any], base: Side, head: Side, budget: float, known: Floors
) -> tuple[Plan, Design]:
    once = make_plan(c, wishes(c, **{**said, "repeat": 1}))
    cells = [cells_of(base, head, r.cell) for r in once.runs]
    distinct = list({names(a, b): (a, b) for a, b in cells}.values())
    designed = design(c, once, distinct[0][0], budget, known)
    forks = said["repeat"] or designed.forks
    designed = msgspec.structs.replace(designed, forks=forks)
    runs = pair_runs(distinct, forks=forks, windows=designed.windows, seed=once.seed)
    return msgspec.structs.replace(once, runs=tuple(runs)), designed


def names(base: Cell, head: Cell) -> tuple[str, str]:
    return base.name, head.name


def occasion(
    session: Session, records: list[Record], base: Side, head: Side, known: Floors, minutes: float
) -> published.Occasion:
    by_side: dict[str, Record] = {r.pair.side: r for r in records if r.pair}
    first = records[0]

    def commit(side: str) -> str:
        record = by_side.get(side, first)
        return record.cell.revision or record.provenance.commit + (
            "+changes" if record.provenance.dirty else ""
        )

    return published.Occasion(
        session=session.id,
        base=base.words,
        head=head.words,
        command=command(base, head, records[0].cell.workload, {r.cell.variant for r in records}),
        base_commit=commit("a"),
        head_commit=commit("b"),
        machine=first.provenance.machine,
        minutes=minutes,
        calibrated=known.calibration(first.cell) is not None,
    )


def command(base: Side, head: Side, workload: str, variants: set[str]) -> str:
    """That compares the same again."""
    words = [
        w
        for option, side in (("--base", base), ("--head", head))
        for word in side.said
        for w in (option, word)
    ]
    only = [w for v in sorted(variants) for w in ("--only", v)]
    return shlex.join(["./telar", "ab", *words, *only, "--workload", workload])


def seconds(budget: str) -> float:
    """`90s`, `15m`, `1h`. Raises ConfigError."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smh])", budget.strip())
    if not match:
        raise ConfigError(f"--budget {budget!r}: say a time like 90s, 15m or 1h")
    return float(match.group(1)) * {"s": 1, "m": 60, "h": 3600}[match.group(2)]


def _cells(plan: Plan) -> list[tuple[Cell, Cell]]:
    forks: dict[int, dict[str, Cell]] = {}
    for run in plan.runs:
        if run.pair:
            forks.setdefault(run.pair.fork, {})[run.pair.side] = run.cell
    return list({names(f["a"], f["b"]): (f["a"], f["b"]) for f in forks.values()}.values())

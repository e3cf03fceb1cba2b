"""`telar check`: whether other tools' results can be believed, and whether two sets of them differ."""

from __future__ import annotations

from pathlib import Path

import click
import msgspec

from telar.analyse import outside as analyse
from telar.cli.common import console, json_option, print_json
from telar.collect import outside as collect
from telar.errors import RegressionFound, RunError
from telar.gates import outside as gates
from telar.publish import outside as published

PATH = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("files", nargs=-1, required=True, type=PATH)
@click.option(
    "--base", multiple=True, type=PATH, help="Compare FILES with this; say it several times for several."
)
@json_option
def check(files: tuple[Path, ...], base: tuple[Path, ...], as_json: bool) -> None:
    """Says of results of k6, wrk, wrk2, oha or JMH whether they can be believed.

    Looks for what makes a number another one than it is called: dropped arrivals, failed requests, users
    that were all busy, latency that leaves out what waited, too few requests or forks. What a file doesn't
    say is named. FILES are k6's summary (--summary-export) or raw results (--out csv), what wrk, wrk2 or
    oha printed, JMH's JSON (-rf json).

    With --base also compares: worse, better, same or undecided, figure by figure, with a confidence
    interval that allows for all of them together. Of fewer than three files a side it calls large changes
    alone.

    Ends with 5 when a file can't be believed, with 8 when something is worse.

    \b
    Examples:
      telar check summary.json
      telar check head.csv --base base.csv
      telar check head-*.json --base base-1.json --base base-2.json --base base-3.json
      telar check target/jmh-result.json --json
    """
    console.stderr = as_json
    heads, bases = [collect.read(path) for path in files], [collect.read(path) for path in base]
    judged = {own.path: gates.judge(own) for own in (*bases, *heads)}
    found = analyse.compare(bases, heads) if bases else []
    word = analyse.together(found) if bases else None
    if as_json:
        sides = [("base", own) for own in bases] + [("head", own) for own in heads]
        print_json(
            {
                "files": [
                    {"path": own.path, "side": side, "tool": own.tool, "gates": judged[own.path]}
                    for side, own in sides
                ],
                "differences": [msgspec.to_builtins(each) for each in found],
                "word": word,
            }
        )
    else:
        for own in (*bases, *heads):
            shown = [g for g in judged[own.path] if not bases or g.verdict != "pass"]
            published.print_file(console, own, shown)
        if bases:
            assumed = analyse.needs(bases) or analyse.needs(heads)
            published.print_differences(console, found, assumed=assumed)
            console.print(f"\n[bold]{word}[/bold]")
        else:
            for own in heads:
                console.print(
                    f"{own.path}: {published.summary(judged[own.path])}", markup=False, highlight=False
                )
    wrong = {path: [g.name for g in own if g.verdict == "fail"] for path, own in judged.items()}
    if failed := {path: names for path, names in wrong.items() if names}:
        raise RunError(
            "not to be believed: "
            + "; ".join(f"{path} ({', '.join(names)})" for path, names in failed.items()),
            hint="what to do stands below each table",
        )
    if word == "worse":
        raise RegressionFound("worse: " + ", ".join(each.name for each in found if each.word == "worse"))

"""`telar bisect`: the first commit, or version, that made it worse."""

from __future__ import annotations

import math
import shlex
import time
from pathlib import Path
from typing import Any

import click
import msgspec

from telar.analyse import bisection
from telar.analyse.bisection import Answer
from telar.analyse.verdicts import Compared
from telar.catalog.load import known
from telar.catalog.types import Catalog
from telar.cli import comparing
from telar.cli.common import catalog, cell_options, console, data_folder, json_option, print_json, seconds_of
from telar.cli.comparing import Measured
from telar.errors import ConfigError, RunError
from telar.plan.sides import Side
from telar.publish import evidence
from telar.store import evidence as evidence_file
from telar.store.files import write_atomically
from telar.tools import git

MISS = 0.05  # the chance that the search ends at the wrong one


@click.command()
@click.argument("good")
@click.argument("bad")
@cell_options
@click.option("--metric", help="Search by this one.  [default: in which the ends differ the surest]")
@comparing.budget_option("10m", "Time to spend on a step at most")
@click.option("--data", type=click.Path(path_type=Path, file_okay=False), help="Where sessions are kept.")
@click.option("--verbose", "-v", is_flag=True, help="Print each command before it runs.")
@json_option
def bisect(
    good: str,
    bad: str,
    metric: str | None,
    budget: str,
    data: Path | None,
    verbose: bool,
    as_json: bool,
    **said: Any,
) -> None:
    """Finds the first bad one between GOOD and BAD: two commits, or two versions of a JDK or a driver.

    First the whole difference is measured, and in which metric the ends differ the surest. Then each step
    asks of one in the middle only whether it is like the one or like the other, which takes few pairs. Say
    one variant with --only.

    \b
    Examples:
      telar bisect v1.2 HEAD --only spring-mysql-blocking-virtual
      telar bisect v1.2 HEAD --only spring-mysql-blocking-virtual --metric p50 --budget 5m
      telar bisect driver=mysql=8.0.33 driver=mysql=9.7.0 --only spring-mysql-blocking-virtual
    """
    c = catalog()
    console.stderr = as_json  # stdout is the machine's then
    if metric is not None:
        known("metric", metric, c.file.metric)
    words = candidates(c, good, bad)
    once, found = comparing.cells(c, said)
    if len(found) != 1:
        raise ConfigError(f"{len(found)} variants are too many for a search", hint="say one with --only")
    base = comparing.side(c, "GOOD", (good,))
    sides = [comparing.side(c, "BAD", (word,)) for word in words]
    limit, kept = seconds_of(budget), data_folder(data)
    started, asked_for = time.monotonic(), metric
    measured: list[Measured] = []
    effects: dict[int, float] = {}

    def effect_of(side: Side, whole: float | None) -> tuple[float, float]:
        """A candidate's effect against the good end, and its error: logarithms."""
        nonlocal metric
        pairs = comparing.pairs_for(base, side, found)
        plan, designed = comparing.plan_of(c, once, pairs, limit, said["repeat"])
        needed = bisection.needed(len(words), MISS)

        def enough(compared: list[Compared]) -> bool:
            seen = _seen(compared[0], metric)
            if seen is None or whole is None:
                return False
            return abs(bisection.nats(*seen, whole)) >= needed

        made = comparing.measure(c, "bisect", plan, designed, kept, verbose=verbose, enough=enough)
        measured.append(made)
        metric = metric or comparing.surest(c, made.compared[0])
        seen = _seen(made.compared[0], metric)
        if seen is None:
            what = f"{metric} can't" if metric else "no metric that matters can"
            raise RunError(
                f"{side.words}: {what} be estimated", hint=f"telar report {made.session.id} says why"
            )
        return seen

    whole, error = effect_of(sides[-1], None)
    if abs(whole) < 3 * error:
        raise RunError(
            f"{good} and {bad} differ by {math.expm1(whole):+.1%} ± {error:.1%} in {metric}"
            f"{'' if asked_for else ', which differs the surest'}: "
            "too little to search for",
            hint="a longer --budget, or another --metric",
        )
    console.print(
        f"{good} → {bad}: {metric} {math.expm1(whole):+.1%}, {len(words)} candidates", highlight=False
    )

    def ask(number: int) -> Answer:
        effect, error = effect_of(sides[number], whole)
        found_nats = bisection.nats(effect, error, whole)
        effects[number] = math.expm1(effect)
        answer = Answer(candidate=number, side="bad" if found_nats > 0 else "good", nats=found_nats)
        console.print(
            f"{words[number][:20]}: {math.expm1(effect):+.1%}, {answer.side} ({answer.sure:.1%} sure)",
            highlight=False,
        )
        return answer

    first, asked = bisection.first_bad(len(words), ask)
    sure = math.prod(a.sure for a in asked)
    minutes = (time.monotonic() - started) / 60
    last, runs = measured[-1], sum(len(made.records) for made in measured)
    page = evidence.of_search(
        c,
        session=last.session.id,
        records=last.records,
        good=good,
        bad=bad,
        command=_command(good, bad, found[0].variant, str(metric)),
        metric=str(metric),
        words=words,
        first=first,
        whole=math.expm1(whole),
        asked=asked,
        effects=effects,
        sure=sure,
        minutes=minutes,
    )
    write_atomically(last.session.folder / evidence_file.FILE, msgspec.json.encode(page) + b"\n")
    if as_json:
        print_json(
            {
                "first_bad": words[first],
                "metric": metric,
                "sure": sure,
                "asked": asked,
                "runs": runs,
                "minutes": minutes,
            }
        )
        return
    console.print(
        f"\n[bold]{words[first]}[/bold] is the first bad one ({sure:.1%} sure): "
        f"{len(asked) + 1} comparisons, {runs} windows, {minutes:.0f} minutes",
        highlight=False,
    )


def _command(good: str, bad: str, variant: str, metric: str) -> str:
    return shlex.join(["./telar", "bisect", good, bad, "--only", variant, "--metric", metric])


def candidates(c: Catalog, good: str, bad: str) -> list[str]:
    """The words of all after the good end up to the bad one, oldest first. Raises ConfigError."""
    if "=" not in good and "=" not in bad:
        commits = git.between(c.home, git.commit_of(c.home, good), git.commit_of(c.home, bad))
        if not commits:
            raise ConfigError(f"{bad} doesn't come after {good}", hint="git log GOOD..BAD is empty")
        return commits
    axis, _, first = good.rpartition("=")
    other, _, last = bad.rpartition("=")
    if axis != other:
        raise ConfigError(
            f"{good} and {bad} are not on one axis", hint="two commits, JDKs, or versions of a driver"
        )
    known("axis", axis.partition("=")[0], {"jdk": None, "driver": None})
    name = axis.partition("=")[2]
    if name:
        known("driver", name, c.file.driver)
    versions = list(c.file.driver[name].versions if name else sorted(c.file.jdk, key=int))
    for version in (first, last):
        known(f"version of {name or 'the JDK'}", version, dict.fromkeys(versions))
    start, end = versions.index(first), versions.index(last)
    if start >= end:
        raise ConfigError(f"{last} doesn't come after {first} in telar.toml")
    return [f"{axis}={version}" for version in versions[start + 1 : end + 1]]


def _seen(compared: Compared, metric: str | None) -> tuple[float, float] | None:
    """The effect's logarithm and its error."""
    verdict = compared.of(metric) if metric else None
    return verdict.log if verdict else None

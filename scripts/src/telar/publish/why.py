"""The methods that two sides differ in, as a verdict's readers see them."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from telar.analyse.methods import Difference
from telar.analyse.stacks import Stack
from telar.analyse.timed import Timed
from telar.analyse.why import Why
from telar.collect.profile import collapsed
from telar.publish import folding, threads
from telar.store.evidence import Table
from telar.tools import components, shell
from telar.words import digits, many

FOLDER = "why"  # in a session's folder
SHOWN = 4  # libraries
SMALLEST = "0.1"  # percent of all: narrower frames can't be seen
NANOSECONDS = 1000  # in a µs: a flame graph counts in whole numbers


def flame(base: Mapping[Stack, float], head: Mapping[Stack, float], title: str, target: Path) -> Path:
    """A page that shows both sides' CPU-ns per request in one flame graph, and by colour what head has more
    (red) or less (blue). It needs nothing but itself. Raises MissingToolError, TelarError."""
    jar = components.ensure("jfr-converter", lambda _: None).path
    jdk = components.ensure("jdk", lambda _: None).path
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        sides = []
        for name, stacks in (("base", base), ("head", head)):
            sides.append(Path(scratch) / f"{name}.collapsed")
            sides[-1].write_text(collapsed({s: NANOSECONDS * n for s, n in stacks.items()}), encoding="utf-8")
        options = ["--diff", "--output", "html", "--minwidth", SMALLEST, "--title", title]
        shell.run([jdk / "bin" / "java", "-jar", jar, *options, *sides, target], timeout=60, quiet=True)
    return target


def markdown(why: Why, plain: Callable[[str], str]) -> Iterator[str]:
    """For a comment; `plain` makes text harmless: a profile's names come from the outside."""
    yield f"**Why**, {plain(why.variant)}: {plain(first(why))}"
    if why.libraries:
        yield ""
        yield f"{plain(differing(why))}."
    if timed := timed_rows(why):
        yield ""
        yield f"Methods of the change, timed by the JVM{plain(_sure(why))}:"
        yield ""
        heads = ("", "method", "calls per request", "µs a call", "change")
        yield from _table(heads, "|---|---|--:|--:|--:|", timed, plain)
    elif why.untimed:
        yield ""
        yield f"Methods of the change aren't timed: {plain(why.untimed)}."
    if not why.refused:
        yield ""
        yield f"{plain(summary(why))}:" if rows(why) else f"{plain(summary(why))}."
    if found := rows(why):
        yield ""
        yield from _table(("method, per request", "base → head", "change"), "|---|--:|--:|", found, plain)
    if why.threads:
        yield ""
        yield from _table(("threads", "base", "head"), "|---|--:|--:|", threads.rows(*why.threads), plain)
        yield ""
        yield from (f"* {plain(line)}" for line in threads.places(*why.threads))
    if why.flame:
        yield ""
        yield f"Flame graph of the difference: {plain(why.flame)}, in the session's folder."


def _table(
    heads: Sequence[str], aligned: str, rows: Sequence[Sequence[str]], plain: Callable[[str], str]
) -> Iterator[str]:
    yield "| " + " | ".join(heads) + " |"
    yield aligned
    yield from ("| " + " | ".join(map(plain, row)) + " |" for row in rows)


def print_why(console: Console, why: Why) -> None:
    console.print(f"\n[bold]why[/bold], {escape(why.variant)}: {escape(first(why))}")
    if why.libraries:
        console.print(differing(why), markup=False, highlight=False)
    if timed := timed_rows(why):
        console.print(f"methods of the change, timed by the JVM{_sure(why)}", highlight=False)
        folding.print_table(console, TIMED, timed, where=f"why.json, and {folding.WIDER}")
    elif why.untimed:
        console.print(f"methods of the change aren't timed: {why.untimed}", markup=False, highlight=False)
    if not why.refused:
        console.print(summary(why), markup=False, highlight=False)
    if found := rows(why):
        folding.print_table(console, COLUMNS, found, where=f"why.json, and {folding.WIDER}")
    if why.threads:
        folding.print_table(console, THREADS, [list(row) for row in threads.rows(*why.threads)])
        for line in threads.places(*why.threads):
            console.print(line, markup=False, highlight=False, style="dim")
    if why.flame:
        console.print(f"flame graph of the difference: {why.flame}", markup=False, highlight=False)


def first(why: Why) -> str:
    """The answer in one line: what the JVM counted and timed comes before what was sampled."""
    if why.refused:
        return f"no profile: {why.refused}"
    sure = next((each for each in why.timed if each.word), None)
    if sure:
        return f"{short(sure.method)} is {sure.word}{_by(sure)}"
    sampled = next((each for each in (*why.cpu, *why.allocated)), None)
    if sampled:
        return f"{named(sampled)}, {change(sampled)} {'CPU-µs' if why.cpu else 'KiB'} per request"
    return "no method surely differs"


def differing(why: Why) -> str:
    """The libraries of two versions, as far as a line has room."""
    more = len(why.libraries) - SHOWN
    return f"libraries that differ: {', '.join(why.libraries[:SHOWN])}" + (
        f" and {more:,} more, in why.json" if more > 0 else ""
    )


def _by(timed: Timed) -> str:
    if timed.word in ("slower", "faster"):
        return f": {_sides(timed.base, timed.head)} µs a call"
    if timed.word in ("called more", "called less"):
        return f": {_sides(timed.base_calls, timed.head_calls)} times per request"
    return ""


def _sides(base: float | None, head: float | None) -> str:
    return " → ".join("–" if n is None else digits(n) for n in (base, head))


def summary(why: Why) -> str:
    """One sentence: what is known, from what, and what it cost."""
    if why.cpu or why.allocated:
        return f"what differs in {cost(why)}"
    return f"no method surely differs in {cost(why)}"


COLUMNS = (
    folding.text("method, per request", 30),
    folding.figure("base → head"),
    folding.figure("change (interval)"),
)


def tables(why: Why) -> list[Table]:
    """For the page of the comparison; none where nothing was profiled."""
    found: list[tuple[str, tuple[str, ...], Sequence[Sequence[str]]]] = [
        (
            f"Methods of the change, timed by the JVM{_sure(why)}",
            ("", "Method", "Calls per request", "µs a call", "Change"),
            timed_rows(why),
        ),
        ("" if why.refused else summary(why), ("Method, per request", "Base → head", "Change"), rows(why)),
        ("What threads do", ("", "Base", "Head"), threads.rows(*why.threads) if why.threads else []),
    ]
    return [
        Table(title=f"{why.variant}: {title}", heads=heads, rows=tuple(map(tuple, own)))
        for title, heads, own in found
        if own
    ]


THREADS = (folding.text("threads", 24), folding.figure("base"), folding.figure("head"))
TIMED = (
    folding.text("", 11),
    folding.text("method", 24),
    folding.figure("calls per request"),
    folding.figure("µs a call"),
    folding.figure("change"),
)


def timed_rows(why: Why) -> list[list[str]]:
    """Of each side, base → head."""
    return [
        [
            each.word or "same calls",
            short(each.method),
            _sides(each.base_calls, each.head_calls),
            _sides(each.base, each.head),
            "–" if each.change is None else f"{each.change:+.0%} ({each.low:+.0%} … {each.high:+.0%})",
        ]
        for each in why.timed
    ]


def _sure(why: Why) -> str:
    return "" if any(each.word for each in why.timed) else ": none surely differs"


def rows(why: Why) -> list[list[str]]:
    found = [(each, "CPU-µs") for each in why.cpu] + [(each, "KiB") for each in why.allocated]
    return [[named(each), f"{figures(each)} {unit}", change(each)] for each, unit in found]


def named(found: Difference) -> str:
    return short(found.method) + (f", for {short(found.caller)}" if found.caller else "")


def figures(found: Difference) -> str:
    return f"{found.base:.1f} → {found.head:.1f}"


def change(found: Difference) -> str:
    return f"{found.change:+.1f} ({found.low:+.1f} … {found.high:+.1f})"


def short(method: str) -> str:
    """The class without its package, and the method."""
    owner, _, name = method.rpartition(".")
    return f"{owner.rpartition('.')[2]}.{name}" if owner else name


def cost(why: Why) -> str:
    """What was looked at, and what looking cost."""
    sides = [side for side in (why.base, why.head) if side]
    said = (
        f"{many(sum(s.windows for s in sides), 'profiled window')} "
        f"({sum(s.samples for s in sides):,} samples, {why.seconds:.0f} s), in no number above"
    )
    costs = [f"{what} {max(known, key=abs):+.0%}" for what, known in (
        ("CPU", [s.cpu_cost for s in sides if s.cpu_cost is not None]),
        ("p50", [s.p50_cost for s in sides if s.p50_cost is not None]),
    ) if known]  # fmt: skip
    return said + (f"; the profiler itself: {', '.join(costs)}" if costs else "")

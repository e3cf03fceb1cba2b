"""The verdict on a comparison, from one model: for a pull request, a job's summary and a terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.text import Text

from telar.analyse import growth
from telar.analyse.attribution import Attributed
from telar.analyse.verdicts import Compared, Verdict
from telar.analyse.why import Why
from telar.catalog.types import Catalog
from telar.publish import attribution, figures, folding
from telar.publish import why as whys
from telar.publish.columns import metric_file
from telar.publish.deciding import lines, worth
from telar.publish.figures import NONE
from telar.publish.soundness import collectors, leaks, soundness
from telar.store.record import Machine
from telar.words import many

LIMIT = 55_000  # characters: GitHub takes 65,536, and the notes of a comment need up to nine thousand
BESIDE = 6  # of what else moved
NOTHING = 1e-9  # a change that is none but for rounding: the same count in every window
SURE = 0.05  # p-value up to which something is said to have moved beside
WORDS = {"worse": "🔴 worse", "better": "🟢 better", "same": "⚪ same", "undecided": "🟡 undecided"}
STYLES = {"worse": "red", "better": "green", "same": "dim", "undecided": "yellow"}


class Occasion(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was compared, when, and on what."""

    session: str
    base: str  # as the user said it
    head: str
    command: str  # that does it again
    base_commit: str
    head_commit: str
    machine: Machine | None
    minutes: float
    calibrated_on: Machine | None  # where the noise that it knew beforehand was measured
    flags: tuple[
        str, ...
    ] = ()  # of the JVM, in which the sides differ, and its version: `UseG1GC true → false`
    asked: int = 1  # how often the same bytes were compared here, this time included
    bumps: tuple[str, ...] = ()  # versions that build files bump between the two: `spring-boot 4.0.0 → 4.0.1`


class Comparison(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of it, also for machines."""

    occasion: Occasion
    compared: tuple[Compared, ...]
    why: tuple[Why, ...] = ()  # of the variants whose windows were profiled
    attributed: tuple[Attributed, ...] = ()  # of the variants whose factors were measured alone

    @property
    def word(self) -> str:
        words = [c.word for c in self.compared]
        return next((w for w in ("worse", "undecided", "better", "same") if w in words), "undecided")


def headline(catalog: Catalog, comparison: Comparison) -> str:
    """One line: the word, and what it rests on."""
    moved = [(c, v) for c in comparison.compared for v in c.verdicts if v.word in ("worse", "better")]
    worse = [(c, v) for c, v in moved if v.word == "worse"]
    told = worse or moved
    words = Counter(v.word for c in comparison.compared for v in c.verdicts)
    verb = "is" if words["undecided"] == 1 else "are"
    still = f"{words['undecided']} of {words.total()} questions {verb} still open"
    if told:
        # An endpoint first: its milliseconds are what users of the service feel.
        cell, verdict = max(told, key=lambda item: (bool(item[1].milliseconds), abs(item[1].effect or 1.0)))
        more = f", and {len(told) - 1} more" if len(told) > 1 else ""
        leak = next(filter(None, (leaks(c) for c in comparison.compared)), "")
        first = leak if verdict.metric == growth.METRIC else ""
        first = first or figures.moved(catalog, verdict, cell.head.label)
        said = f"{told[0][1].word}: {first}{more}" + (f"; {leak}" if leak and first != leak else "")
        if comparison.word != "undecided":
            return said
        return f"undecided: {still}; {said}"
    blind = [c.head.label for c in comparison.compared if not c.pairs]
    if len(blind) == len(comparison.compared):
        return "undecided: no pair of windows is sound on both sides"
    if blind:
        return f"undecided: no pair of windows is sound on both sides of {', '.join(blind)}"
    if words["undecided"]:
        return f"undecided: {still}"
    unseen = ", ".join(c.head.label for c in comparison.compared if not c.seen)
    nothing = (
        f"same: nothing moved by what matters, in {words.total()} questions; {_cost(catalog, comparison)}"
    )
    return f"undecided: so few pairs can't call any metric of {unseen} the same" if unseen else nothing


def _cost(catalog: Catalog, comparison: Comparison) -> str:
    """By how much less the service's processor time moved, where nothing moved, if that is known."""
    primary = catalog.file.verdict.primary
    asked = [
        [v.matters for v in c.verdicts if v.metric in primary and v.matters] for c in comparison.compared
    ]
    if not all(asked):
        return "what it costs in CPU couldn't be judged"
    return f"CPU per request by less than {max(m for own in asked for m in own):.0%}"


def markdown(catalog: Catalog, comparison: Comparison) -> str:
    """For a comment on a pull request; what is folded is cut first where it is too long."""
    parts = ["\n".join(_top(catalog, comparison)), *_folded(catalog, comparison)]
    text = parts[0]
    for part in parts[1:]:
        if len(text) + len(part) > LIMIT:
            text += "\n\n_More is in the artifact of this run: it is too long for a comment._"
            break
        text += "\n\n" + part
    return text + "\n"


def _top(catalog: Catalog, comparison: Comparison) -> Iterator[str]:
    occasion = comparison.occasion
    word, _, rest = headline(catalog, comparison).partition(":")
    yield f"### Telar: {WORDS[word]}"
    yield f"**{plain(rest.strip())}**"
    yield ""
    yield f"{plain(_short(occasion.base))} → {plain(_short(occasion.head))}"
    yield ""
    for compared in comparison.compared:
        yield "* " + plain(soundness(compared))
        for note in filter(None, (leaks(compared), collectors(catalog, compared))):
            yield "* " + plain(note)
    if again := asked_again(occasion):
        yield "* " + again
    if doubt := counts_alone(catalog, comparison) or doubt_of_noise(occasion):
        yield "* " + plain(doubt)
    what, which = bumped(comparison)
    if what:
        yield f"* {plain(what)}" + (f": `{code(which)}`" if which else "")
    yield from (f"* {plain(line)}" for line in worth(comparison.compared))
    every = [(c, v) for c in comparison.compared for v in ordered(c.verdicts)]
    rows = [(c, v) for c, v in every if v.word in ("worse", "better")]
    rows += [(c, v) for c, v in every if v.word == "undecided"]
    if rows:
        yield ""
        yield from _table(catalog, rows)
    if note := of_endpoints(catalog, [v for _, v in rows]):
        yield ""
        yield plain(note)
    for part in comparison.attributed:
        yield ""
        yield from attribution.markdown(catalog, part, plain)
    for each in comparison.why:
        yield ""
        yield from whys.markdown(each, plain)
    for line in _open(catalog, comparison):
        yield ""
        what, _, command = line.rpartition(": ")
        yield f"{plain(what)}: `{code(command)}`" if command.startswith("./telar") else plain(line)
    hints = [(c, v) for c in comparison.compared for v in beside(c)]
    if hints:
        yield ""
        yield "**What else moved**, not judged: " + "; ".join(
            plain(f"{figures.title(catalog, v)} {figures.change_or_values(catalog, v)}"
                  + (f" ({c.head.label})" if len(comparison.compared) > 1 else ""))
            for c, v in hints
        )  # fmt: skip


def _folded(catalog: Catalog, comparison: Comparison) -> Iterator[str]:
    still = [(c, v) for c in comparison.compared for v in ordered(c.verdicts) if v.word == "same"]
    if still:
        yield _details(f"{len(still)} that did not move", "\n".join(_table(catalog, still)))
    shown = [(c, v) for c in comparison.compared for v in sorted(c.beside, key=_doubt)]
    if sure := [(c, v) for c, v in shown if v.p is not None]:
        yield _details(f"{len(sure)} that are only shown", "\n".join(_table(catalog, sure)))
    if unsure := [(c, v) for c, v in shown if v.p is None]:
        what = "; ".join(
            " ".join(_row(catalog, c, v)[2:4])
            + (f" ({c.head.label})" if len(comparison.compared) > 1 else "")
            for c, v in unsure
        )
        yield _details(f"{len(unsure)} without an interval", plain(what))
    yield _details("Where, and how to do it again", "\n".join(_circumstances(comparison)))


def _table(catalog: Catalog, rows: Sequence[tuple[Compared, Verdict]]) -> Iterator[str]:
    yield "| | variant | metric | base → head | change | would have seen |"
    yield "|---|---|---|--:|--:|--:|"
    for compared, verdict in rows:
        yield "| " + " | ".join(map(plain, _row(catalog, compared, verdict))) + " |"


def _row(catalog: Catalog, compared: Compared, verdict: Verdict) -> tuple[str, ...]:
    return (
        WORDS[verdict.word] if verdict in compared.verdicts else "",
        compared.head.label,
        figures.title(catalog, verdict),
        f"{figures.values(catalog, verdict)} {figures.unit(catalog, verdict)}",
        figures.change(verdict),
        figures.smallest(verdict),
    )


def _circumstances(comparison: Comparison) -> Iterator[str]:
    occasion = comparison.occasion
    machine = occasion.machine
    if machine:
        yield f"* {plain(machine.cpu_model)}, {machine.processors} processors, {plain(machine.kernel)}"
    yield f"* {occasion.minutes:.0f} minutes; session `{code(occasion.session)}`"
    yield f"* base `{code(occasion.base_commit)}`, head `{code(occasion.head_commit)}`"
    if occasion.flags:
        yield f"* The JVMs differ in: {plain('; '.join(occasion.flags))}"
    yield ""
    yield "```sh"
    yield code(occasion.command)
    yield "```"


def _details(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"


def counts_alone(catalog: Catalog, comparison: Comparison) -> str:
    """What a runner whose clock says little can't judge; empty of any other."""
    runners = {c.head.runner for c in comparison.compared}
    judges = [m for r in runners if (own := catalog.file.runner.get(r)) for m in own.judges]
    if not judges:
        return ""
    titles = ", ".join(metric_file(catalog, m).title for m in judges)
    return (
        f"on a hosted machine only what is counted is judged ({titles}). Latency, throughput and processor "
        "time can't be: that takes a machine of your own"
    )


def doubt_of_noise(occasion: Occasion) -> str:
    """Why its errors may not be what the verdict says they are; empty where the noise was measured here."""
    here, there = occasion.machine, occasion.calibrated_on
    if there is None:
        return (
            "its noise was never measured on such a machine, and is taken for twice what others showed: "
            "it calls large changes alone; telar calibrate --write measures it"
        )
    if here is None or here.hostname_digest == there.hostname_digest:
        return ""
    if _processors(here) != _processors(there):  # a verdict of an older Telar
        return f"its noise was measured on {_processors(there)}, and this ran on {_processors(here)}"
    return (
        f"its noise was measured on another machine of this kind ({_processors(there)}): "
        "telar calibrate --write measures it here"
    )


def asked_again(occasion: Occasion) -> str:
    """Empty where it is the first time."""
    if occasion.asked == 1:
        return ""
    times = 2 ** (occasion.asked - 1)
    return f"asked {occasion.asked} times of the same two builds: a change must be {times} times surer by now"


def bumped(comparison: Comparison) -> tuple[str, str]:
    """The versions that were bumped, and the command that says which of several moved what moved; empty where
    there is none.
    """
    own, occasion = comparison.occasion.bumps, comparison.occasion
    if not own:
        return "", ""
    said = f"bumped between them: {', '.join(own)}"
    moved = any(v.word in ("worse", "better") for c in comparison.compared for v in c.verdicts)
    if len(own) == 1 or not moved or comparison.attributed:
        return said, ""
    return f"{said}; which of them it is", occasion.command.replace("./telar ab", "./telar attribute", 1)


def _processors(machine: Machine) -> str:
    return f"{machine.processors} × {machine.cpu_model}"


def print_verdict(catalog: Catalog, console: Console, comparison: Comparison) -> None:
    for compared in comparison.compared:
        console.print(f"\n[bold]{escape(compared.head.label)}[/bold]: {escape(soundness(compared))}")
        if leak := leaks(compared):
            console.print(f"[red]{escape(leak)}[/]")
        if told := collectors(catalog, compared):
            console.print(f"[yellow]{escape(told)}[/]")
        rows = [_figures(catalog, v, v.word) for v in ordered(compared.verdicts)]
        rows += [_figures(catalog, v, MOVED) for v in beside(compared)]
        folding.print_table(console, COLUMNS, rows, where=f"verdict.json, and {folding.WIDER}")
        if rest := len(compared.verdicts) + len(compared.beside) - len(rows):
            console.print(f"{many(rest, 'metric')} more, which did not surely move: verdict.md", style="dim")
    if note := of_endpoints(catalog, [v for c in comparison.compared for v in (*c.verdicts, *beside(c))]):
        console.print(f"\n{note}", style="dim", markup=False, highlight=False)
    _print_causes(catalog, console, comparison)
    for line in worth(comparison.compared):
        console.print(f"\n{line}", style="yellow", markup=False, highlight=False)
    if comparison.occasion.flags:
        console.print(f"\nThe JVMs differ in: {escape('; '.join(comparison.occasion.flags))}")
    what, which = bumped(comparison)
    if what:
        console.print(f"\n{what}" + (f":\n{which}" if which else ""), markup=False, soft_wrap=True)
    if again := asked_again(comparison.occasion):
        console.print(f"\n[yellow]{escape(again)}[/]")
    if doubt := counts_alone(catalog, comparison) or doubt_of_noise(comparison.occasion):
        console.print(f"\n[yellow]{escape(doubt)}[/]")
    word, _, rest_of_it = headline(catalog, comparison).partition(":")
    console.print(f"\n[bold {STYLES[word]}]{word}[/]:{escape(rest_of_it)}")
    for line in _open(catalog, comparison):
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _print_causes(catalog: Catalog, console: Console, comparison: Comparison) -> None:
    for part in comparison.attributed:
        attribution.print_attributed(catalog, console, part)
    for each in comparison.why:
        whys.print_why(console, each)


def of_endpoints(catalog: Catalog, shown: Sequence[Verdict]) -> str:
    """What the figures of endpoints are; empty where none is shown."""
    judged = [metric_file(catalog, v.metric).title for v in shown if v.endpoint]
    if not judged:
        return ""
    return (
        f"An endpoint's milliseconds are medians over windows; its change is that of its {judged[0]}, "
        "which the machine's speed moves less."
    )


COLUMNS = (
    folding.text("verdict", 9),
    folding.text("metric", 14),
    folding.figure("base → head"),
    folding.figure("change (interval)"),
    folding.figure("would have seen"),
    folding.figure("matters from"),
)
MOVED = "moved"  # surely, and nothing rests on it


def _figures(catalog: Catalog, verdict: Verdict, word: str) -> list[str | Text]:
    """The row of a terminal's table."""
    return [
        Text(word, style=STYLES.get(word, "dim")),
        figures.headed(catalog, verdict),
        figures.values(catalog, verdict),
        figures.change(verdict),
        figures.smallest(verdict),
        NONE if verdict.matters is None else f"{verdict.matters:.1%}",
    ]


def ordered(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """What moved first, then what is open, then what is the same; of each the surest first."""
    order = ("worse", "better", "undecided", "same")
    return sorted(verdicts, key=lambda v: (order.index(v.word), _doubt(v)))


def _doubt(verdict: Verdict) -> float:
    """The p-value; of what has none the last, and of them the largest change first."""
    if verdict.p is not None:
        return verdict.p
    return 2.0 - min(1.0, abs(verdict.effect or 0.0))


def _open(catalog: Catalog, comparison: Comparison) -> list[str]:
    """What would decide what is still open; nothing where something is worse already."""
    if comparison.word != "undecided":
        return []
    occasion = comparison.occasion
    return list(lines(catalog, comparison.compared, occasion.command, occasion.minutes))


def beside(compared: Compared) -> list[Verdict]:
    """What moved surely enough to be a hint at the cause: an interval that is shown doesn't hold zero."""
    sure = [v for v in compared.beside if v.p is not None and v.p <= SURE and not figures.may_be_zero(v)]
    return [v for v in sure if v.effect is None or abs(v.effect) > NOTHING][:BESIDE]


def _short(text: str) -> str:
    """A commit's whole hash says no more than its beginning."""
    return re.sub(r"\b([0-9a-f]{12})[0-9a-f]{28}\b", r"\1", text)


def plain(text: str) -> str:
    """Text that Markdown and HTML take for nothing but text: names come from the outside."""
    text = re.sub(r"([\\`*_{}\[\]#!|<>&@~])", lambda m: f"&#{ord(m.group(1))};", text.replace("\n", " "))
    return re.sub(r"(?<=:)//|(?<=www)\.", lambda m: "".join(f"&#{ord(c)};" for c in m.group()), text)


def code(text: str) -> str:
    """Text between backticks, or on a line of a block."""
    return re.sub(r"[^A-Za-z0-9 ._+:/=,'-]", "?", text)

"""The verdict on a comparison, from one model: for a pull request, a job's summary and a terminal."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from telar.analyse.verdicts import Compared, Verdict
from telar.catalog.jvm import collector
from telar.catalog.types import Catalog
from telar.publish.columns import metric_file
from telar.store.record import Machine
from telar.words import many

LIMIT = 65_000  # characters: GitHub takes 65,536
BESIDE = 6  # of what else moved
SURE = 0.05  # p-value up to which something is said to have moved beside
WORDS = {"worse": "🔴 worse", "better": "🟢 better", "same": "⚪ same", "undecided": "🟡 undecided"}
STYLES = {"worse": "red", "better": "green", "same": "dim", "undecided": "yellow"}
NONE = "–"


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
    asked: int = 1  # how often the same bytes were compared here, this time included


class Comparison(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All of it, also for machines."""

    occasion: Occasion
    compared: tuple[Compared, ...]

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
        cell, verdict = max(told, key=lambda item: abs(item[1].effect or 1.0))
        more = f", and {len(told) - 1} more" if len(told) > 1 else ""
        said = (f"{told[0][1].word}: {metric_file(catalog, verdict.metric).title} of {cell.head.variant} "
                f"{_change(verdict)}{more}")  # fmt: skip
        if comparison.word != "undecided":
            return said
        return f"undecided: {still}; {said}"
    blind = [c.head.variant for c in comparison.compared if not c.pairs]
    if len(blind) == len(comparison.compared):
        return "undecided: no pair of windows is sound on both sides"
    if blind:
        return f"undecided: no pair of windows is sound on both sides of {', '.join(blind)}"
    if words["undecided"]:
        return f"undecided: {still}"
    unseen = ", ".join(c.head.variant for c in comparison.compared if not c.seen)
    nothing = f"same: nothing moved by what matters, in {words.total()} questions"
    return f"undecided: so few pairs can't call any metric of {unseen} the same" if unseen else nothing


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
        if told := collectors(catalog, compared):
            yield "* " + plain(told)
    if again := asked_again(occasion):
        yield "* " + again
    if doubt := doubt_of_noise(occasion):
        yield "* " + plain(doubt)
    rows = [(c, v) for c in comparison.compared for v in c.verdicts if v.word in ("worse", "better")]
    rows += [(c, v) for c in comparison.compared for v in c.verdicts if v.word == "undecided"]
    if rows:
        yield ""
        yield from _table(catalog, rows)
    hints = [(c, v) for c in comparison.compared for v in beside(c)]
    if hints:
        yield ""
        yield "**What else moved**, not judged: " + "; ".join(
            plain(f"{metric_file(catalog, v.metric).title} {_change(v)}"
                  + (f" ({c.head.variant})" if len(comparison.compared) > 1 else ""))
            for c, v in hints
        )  # fmt: skip


def _folded(catalog: Catalog, comparison: Comparison) -> Iterator[str]:
    still = [(c, v) for c in comparison.compared for v in c.verdicts if v.word == "same"]
    if still:
        yield _details(f"{len(still)} that did not move", "\n".join(_table(catalog, still)))
    shown = [(c, v) for c in comparison.compared for v in c.beside]
    if shown:
        yield _details(f"{len(shown)} that are only shown", "\n".join(_table(catalog, shown)))
    yield _details("Where, and how to do it again", "\n".join(_circumstances(comparison)))


def _table(catalog: Catalog, rows: Sequence[tuple[Compared, Verdict]]) -> Iterator[str]:
    yield "| | variant | metric | base → head | change | would have seen |"
    yield "|---|---|---|--:|--:|--:|"
    for compared, verdict in rows:
        yield "| " + " | ".join(map(plain, _row(catalog, compared, verdict))) + " |"


def _row(catalog: Catalog, compared: Compared, verdict: Verdict) -> tuple[str, ...]:
    file = metric_file(catalog, verdict.metric)
    values = " → ".join(NONE if v is None else f"{v:,.{file.digits}f}" for v in (verdict.base, verdict.head))
    return (
        WORDS[verdict.word] if verdict in compared.verdicts else "",
        compared.head.variant,
        file.title,
        f"{values} {file.unit}",
        _change(verdict),
        NONE if verdict.smallest is None else f"{verdict.smallest:.1%}",
    )


def _circumstances(comparison: Comparison) -> Iterator[str]:
    occasion = comparison.occasion
    machine = occasion.machine
    if machine:
        yield f"* {plain(machine.cpu_model)}, {machine.processors} processors, {plain(machine.kernel)}"
    yield f"* {occasion.minutes:.0f} minutes; session `{code(occasion.session)}`"
    yield f"* base `{code(occasion.base_commit)}`, head `{code(occasion.head_commit)}`"
    yield ""
    yield "```sh"
    yield code(occasion.command)
    yield "```"


def _details(title: str, body: str) -> str:
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"


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


def _processors(machine: Machine) -> str:
    return f"{machine.processors} × {machine.cpu_model}"


def print_verdict(catalog: Catalog, console: Console, comparison: Comparison) -> None:
    for compared in comparison.compared:
        console.print(f"\n[bold]{escape(compared.head.variant)}[/bold]: {escape(soundness(compared))}")
        if told := collectors(catalog, compared):
            console.print(f"[yellow]{escape(told)}[/]")
        table = Table(box=None, pad_edge=False, header_style="bold")
        for heading in ("", "metric", "base → head", "change", "would have seen", "matters from"):
            table.add_column(heading, justify="left" if heading in ("", "metric") else "right")
        for verdict in (*compared.verdicts, *compared.beside):
            _, _, metric, values, change, smallest = _row(catalog, compared, verdict)
            judged = verdict in compared.verdicts
            word = f"[{STYLES[verdict.word]}]{verdict.word}[/]" if judged else "[dim]shown[/]"
            matters = NONE if verdict.matters is None else f"{verdict.matters:.1%}"
            table.add_row(word, metric, values, change, smallest, matters)
        console.print(table)
    if again := asked_again(comparison.occasion):
        console.print(f"\n[yellow]{escape(again)}[/]")
    if doubt := doubt_of_noise(comparison.occasion):
        console.print(f"\n[yellow]{escape(doubt)}[/]")
    word, _, rest = headline(catalog, comparison).partition(":")
    console.print(f"\n[bold {STYLES[word]}]{word}[/]:{escape(rest)}")


def soundness(compared: Compared) -> str:
    said = f"{many(compared.pairs, 'sound pair')} in {many(compared.forks, 'fork')}"
    if compared.left_out:
        said += f", {compared.left_out} left out: {', '.join(compared.refused)}"
    if compared.moved:
        said += f"; in {compared.moved} the machine's speed moved: not compared in seconds"
    return said


def collectors(catalog: Catalog, compared: Compared) -> str:
    """What to mind where garbage collectors differ; empty where they don't."""
    variants = catalog.variants
    base, head = (
        collector(catalog, variants.get(c.variant), c.flags) for c in (compared.base, compared.head)
    )
    if base == head:
        return ""
    title = metric_file(catalog, "gc-cpu").title
    return f"the garbage collectors differ, and no verdict rests on their threads' CPU: see {title}"


def beside(compared: Compared) -> list[Verdict]:
    """What moved surely enough to be a hint at the cause."""
    return [v for v in compared.beside if v.p is not None and v.p <= SURE][:BESIDE]


def _change(verdict: Verdict) -> str:
    if verdict.effect is None:
        return NONE
    said = f"{verdict.effect:+.1%}"
    if verdict.low is None or verdict.high is None:
        return said
    return f"{said} ({verdict.low:+.1%} … {verdict.high:+.1%})"


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

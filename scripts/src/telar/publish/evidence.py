"""What a comparison, a search or an attribution found, put together for its page."""

from __future__ import annotations

import calendar
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from telar.analyse.attribution import Attributed
from telar.analyse.bisection import Answer
from telar.analyse.verdicts import Compared, Verdict
from telar.catalog.types import Catalog
from telar.errors import StoreError
from telar.publish import soundness
from telar.publish import verdict as verdicts
from telar.publish import why as whys
from telar.publish.columns import metric_file
from telar.publish.verdict import Comparison
from telar.store.evidence import Evidence, Figure, Word
from telar.store.record import Machine, Record


def of_comparison(catalog: Catalog, comparison: Comparison) -> Evidence:
    occasion = comparison.occasion
    _, _, rest = verdicts.headline(catalog, comparison).partition(":")
    notes = [f"{c.head.label}: {soundness.soundness(c)}" for c in comparison.compared]
    for c in comparison.compared:
        notes += filter(None, (soundness.leaks(c), soundness.collectors(catalog, c)))
    doubt = verdicts.counts_alone(catalog, comparison) or verdicts.doubt_of_noise(occasion)
    notes += filter(None, (verdicts.asked_again(occasion), doubt))
    if occasion.flags:
        notes.append(f"The JVMs differ in: {'; '.join(occasion.flags)}")
    return Evidence(
        format=1,
        id=occasion.session,
        kind="comparison",
        time=started(occasion.session),
        word=_word(comparison),
        headline=rest.strip(),
        base=occasion.base,
        head=occasion.head,
        command=occasion.command,
        base_commit=occasion.base_commit,
        head_commit=occasion.head_commit,
        machine=machine_words(occasion.machine),
        minutes=occasion.minutes,
        notes=tuple(notes),
        figures=tuple(f for c in comparison.compared for f in _figures(c)),
        tables=tuple(table for each in comparison.why for table in whys.tables(each)),
    )


def _word(comparison: Comparison) -> Word:
    word: Word = msgspec.convert(comparison.word, Word)
    return word


def _figures(compared: Compared) -> list[Figure]:
    judged = [_figure(compared, v, v.word) for v in verdicts.ordered(compared.verdicts)]
    return judged + [_figure(compared, v, "") for v in compared.beside]


def _figure(compared: Compared, verdict: Verdict, word: str) -> Figure:
    return msgspec.convert(
        {
            "name": compared.head.label,
            "word": word,
            **{
                name: getattr(verdict, name)
                for name in ("metric", "base", "head", "effect", "low", "high", "smallest")
            },
        },
        Figure,
    )


def of_search(
    catalog: Catalog,
    *,
    session: str,
    records: Sequence[Record],
    good: str,
    bad: str,
    command: str,
    metric: str,
    words: Sequence[str],
    first: int,
    whole: float,
    asked: Sequence[Answer],
    effects: Mapping[int, float],
    sure: float,
    minutes: float,
) -> Evidence:
    """`effects`: of each candidate against the good end, as a share. `whole`: the bad end's."""
    title = metric_file(catalog, metric).title
    figures = [
        Figure(name=words[a.candidate], metric=metric, word=a.side, effect=effects[a.candidate], share=a.sure)
        for a in asked
    ]
    figures.append(Figure(name=words[-1], metric=metric, word="bad", effect=whole))
    return Evidence(
        format=1,
        id=session,
        kind="search",
        time=started(session),
        word="found",
        headline=f"{words[first]} is the first bad one ({sure:.1%} sure): {title} {whole:+.1%}",
        base=good,
        head=bad,
        command=command,
        base_commit="",
        head_commit=words[first] if re.fullmatch(r"[0-9a-f]{40}", words[first]) else "",
        machine=machine_words(records[0].provenance.machine if records else None),
        minutes=minutes,
        notes=(f"{len(words)} candidates, {len(asked) + 1} comparisons",),
        figures=tuple(figures),
    )


def of_attribution(
    catalog: Catalog,
    *,
    session: str,
    records: Sequence[Record],
    base: str,
    head: str,
    command: str,
    found: Sequence[Attributed],
    minutes: float,
) -> Evidence:
    said = [
        f"{each.variant}: {metric_file(catalog, each.metric).title} {each.parts[-1].effect:+.1%}, "
        f"most of it {each.parts[0].name}"
        for each in found
    ]
    return Evidence(
        format=1,
        id=session,
        kind="attribution",
        time=started(session),
        word="found",
        headline="; ".join(said),
        base=base,
        head=head,
        command=command,
        base_commit="",
        head_commit="",
        machine=machine_words(records[0].provenance.machine if records else None),
        minutes=minutes,
        notes=(),
        figures=tuple(
            Figure(
                name=part.name if len(found) == 1 else f"{each.variant}: {part.name}",
                metric=each.metric,
                word="",
                effect=part.effect,
                low=part.low,
                high=part.high,
                share=part.share,
            )
            for each in found
            for part in each.parts
        ),
    )


def machine_words(machine: Machine | None) -> str:
    return f"{machine.processors} × {machine.cpu_model}, kernel {machine.kernel}" if machine else ""


def started(session: str) -> float:
    """When a session began, in seconds since 1970: its name begins with it. Raises StoreError."""
    try:
        return calendar.timegm(time.strptime(session[:15], "%Y%m%d-%H%M%S"))
    except ValueError as error:
        raise StoreError(f"{session!r} doesn't begin with the time of a session") from error


def in_file(catalog: Catalog, path: Path) -> Evidence:
    """Of a verdict.json, as `telar ab` writes it or prints it with --json. Raises StoreError."""
    try:
        said = msgspec.json.decode(path.read_bytes(), type=dict[str, msgspec.Raw])
        said.pop("word", None)
        comparison = msgspec.json.decode(msgspec.json.encode(said), type=Comparison)
    except OSError as error:
        raise StoreError(f"{path}: can't be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StoreError(f"{path}: {error}", hint="telar ab writes it: verdict.json") from error
    return of_comparison(catalog, comparison)

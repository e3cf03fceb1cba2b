"""What happened to levels, as a feed (Atom, RFC 4287): regressions that opened or grew, those that were
cured, and improvements. By commit, app and group of metrics, as the pages' inbox has it.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlencode
from xml.sax.saxutils import escape, quoteattr

from telar.publish.standing import Moment, Now, Standing
from telar.words import digits

PATH = "feed.atom"
LONGEST = 50  # entries: what was before has been read
NAMED = 3  # metrics in a title
SPACE = uuid.UUID("6f3f0d0e-6f0d-5a53-9d3c-1f1f2b6a7c11")  # of the entries' ids
Kind = Literal["regression", "growth", "drift", "cured", "improvement"]
WORDS: dict[Kind, str] = {
    "regression": "worse",
    "growth": "worse again",
    "drift": "drifted",
    "cured": "cured",
    "improvement": "better",
}


@dataclass(frozen=True, kw_only=True)
class Event:
    kind: Kind
    series: str
    metric: str
    at: Moment
    before: float
    level: float


def feed(now: Now) -> bytes:
    """The newest entries, newest first. Links are relative to the feed, which lies in data/."""
    entries: dict[tuple[int, str, str, Kind], list[Event]] = {}
    for event in events(now):
        key = (event.at.time, app_of(now, event.series), _group(now, event.metric), event.kind)
        entries.setdefault(key, []).append(event)
    newest = sorted(entries.items(), key=lambda e: (-e[0][0], e[0][1:]))[:LONGEST]
    updated = newest[0][0][0] if newest else 0
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        '<feed xmlns="http://www.w3.org/2005/Atom">',
        "<title>Telar: levels that shifted</title>",
        f"<id>urn:uuid:{uuid.uuid5(SPACE, now.repository)}</id>",
        f"<updated>{_moment(updated)}</updated>",
        '<link rel="self" href="feed.atom"/>',
        '<link rel="alternate" type="text/html" href="../#/inbox"/>',
        "<author><name>Telar</name></author>",
        *(line for key, own in newest for line in _entry(now, key, own)),
        "</feed>",
    ]
    return "\n".join(lines).encode() + b"\n"


def events(now: Now) -> Iterator[Event]:
    """Of every finding but suspicions: what isn't sure yet wakes no one."""
    for standing in now.standing:
        for finding in standing.findings:
            if finding.state == "suspected":
                continue
            steps = finding.growth
            first = steps[0].reference if steps else finding.level
            yield _event(standing, finding.kind, finding.since, finding.reference, first)
            for step in steps:
                yield _event(standing, "growth", step.since, step.reference, step.level)
            if finding.state == "cured" and finding.over:
                yield _event(standing, "cured", finding.over, finding.level, finding.reference)


def app_of(now: Now, series: str) -> str:
    """System and app; of another tool's series, its name."""
    cell = now.cells.get(series)
    if cell is None:
        return series
    words = now.variants.get(cell.label)
    return f"{words.system}/{cell.variant.removesuffix(f'-{words.launch}')}" if words else cell.label


def _event(standing: Standing, kind: Kind, at: Moment, before: float, level: float) -> Event:
    return Event(kind=kind, series=standing.series, metric=standing.metric, at=at, before=before, level=level)


def _entry(now: Now, key: tuple[int, str, str, Kind], own: list[Event]) -> Iterator[str]:
    moment, app, group, kind = key
    own = sorted(own, key=lambda e: -abs(e.level / e.before - 1) if e.before else 0.0)
    by_metric = {e.metric: e for e in reversed(own)}
    named = [f"{_label(now, m)} {_change(e)}" for m, e in reversed(by_metric.items())]
    more = f", {len(named) - NAMED} more" if len(named) > NAMED else ""
    title = f"{app}, {group}: {WORDS[kind]}, {', '.join(named[:NAMED])}{more}"
    words = now.commits.get(own[0].at.commit)
    commit = f"commit {own[0].at.commit[:12]}" if own[0].at.commit else "commit not known"
    who = f" {words.subject}, by {words.author}" if words else ""
    text = "\n".join([f"{commit}{who}", *(f"{e.series}: {_label(now, e.metric)} {_change(e)}" for e in own)])
    query = urlencode({"metric": own[0].metric, "series": own[0].series, "range": "all"})
    yield "<entry>"
    yield f"<title>{_text(title)}</title>"
    yield f"<id>urn:uuid:{uuid.uuid5(SPACE, repr((now.repository, *key)))}</id>"
    yield f"<updated>{_moment(moment)}</updated>"
    yield f'<category term="{kind}"/>'
    yield f"<link href={quoteattr(f'../#/trend?{query}')}/>"
    yield f"<content>{_text(text)}</content>"
    yield "</entry>"


def _label(now: Now, metric: str) -> str:
    return now.metrics[metric].label if metric in now.metrics else metric


def _group(now: Now, metric: str) -> str:
    return (now.metrics[metric].group if metric in now.metrics else "") or "other"


def _change(event: Event) -> str:
    return f"{event.level / event.before - 1:+.1%}" if event.before else f"from 0 to {digits(event.level)}"


def _moment(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _text(text: str) -> str:
    """Without the control characters that XML has no way to write."""
    return escape("".join(c if c >= " " or c in "\n\t" else " " for c in text))

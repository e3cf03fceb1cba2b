"""The text of an issue about what got worse on main."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urlencode

import msgspec

from telar.publish.regressions import Moved, day
from telar.publish.verdict import code, plain

SHOWN = 30  # rows: what is more is counted
ACCEPTED = 10  # commands: the others are as these


class Authors(msgspec.Struct, frozen=True, kw_only=True):
    """What lies between the last good point and the first bad one."""

    commits: int = 0  # 0: not known
    logins: tuple[str, ...] = ()
    of: str = ""  # the repository's URL


def title(first: Moved) -> str:
    since = first.finding.since
    where = f"since {since.commit[:12]}" if since.commit else f"since {day(since)}"
    return f"Telar: {first.title} {_percent(first.share)} {where} ({first.series})"[:250]


def body(moved: Sequence[Moved], authors: Authors, pages: str) -> str:
    """Markdown, of `moved` the surest first; `pages`: where the trend pages are, or empty."""
    return "\n".join((*_head(moved[0], authors), "", *_table(moved, pages), "", *_commands(moved))) + "\n"


def _head(first: Moved, authors: Authors) -> Iterator[str]:
    yield f"**{plain(first.title)} of {plain(first.series)}: {_values(first)}, {plain(_interval(first))}**"
    before, since = first.finding.before, first.finding.since
    yield ""
    yield f"```text\n{first.spark}\n```"
    if not since.commit:
        yield f"It began on {day(since)}; the points name no commit."
        return
    if authors.commits == 1:
        yield f"It began with commit {code(since.commit)} ({day(since)})."
    elif authors.commits:
        link = f"{authors.of}/compare/{before.commit}...{since.commit}"
        yield (
            f"It began within [{authors.commits} commits]({link}): the last good point is of "
            f"{code(before.commit[:12])} ({day(before)}), the first bad one of {code(since.commit)} "
            f"({day(since)}). The night looks between them, and says here what it finds."
        )
    else:
        yield f"The first bad point is of {code(since.commit)} ({day(since)})."
    if authors.logins:
        yield "By " + ", ".join(f"@{login}" for login in authors.logins) + "."


def _table(moved: Sequence[Moved], pages: str) -> Iterator[str]:
    yield "| series | metric | before → now | change (95 % confidence interval) | points |"
    yield "|---|---|--:|--:|--:|"
    for each in moved[:SHOWN]:
        name = plain(each.series)
        if pages:
            query = urlencode({"metric": each.metric, "series": each.series})
            name = f"[{name}]({pages.rstrip('/')}/#/trend?{query})"
        row = (name, plain(each.title), _values(each), plain(_interval(each)), str(each.finding.points))
        yield "| " + " | ".join(row) + " |"
    if len(moved) > SHOWN:
        yield f"\nand {len(moved) - SHOWN} more"


def _commands(moved: Sequence[Moved]) -> Iterator[str]:
    yield "Run it again, or accept levels with a reason (and commit `benchmarks-data/accepted.toml`):"
    yield ""
    yield "```sh"
    if moved[0].record:
        whole = " | gunzip" if moved[0].record.endswith(".gz") else ""
        yield f"git fetch origin gh-pages && git show FETCH_HEAD:{code(moved[0].record)}{whole} > record.json"
        yield "./telar replay record.json"
    for each in moved[:ACCEPTED]:
        yield f"./telar accept '{code(each.series)}' {code(each.metric)} --remote origin --reason 'WHY'"
    yield "```"


def _values(moved: Moved) -> str:
    old, new = (f"{v:,.{moved.digits}f}" for v in (moved.finding.reference, moved.finding.level))
    return plain(f"{old} → {new} {moved.unit}".rstrip())


def _interval(moved: Moved) -> str:
    if moved.change is None:
        return f"{_percent(moved.share)} (too few points for an interval)"
    return f"{_percent(moved.share)} ({_percent(moved.change.low)} … {_percent(moved.change.high)})"


def _percent(share: float) -> str:
    return f"{share:+.1%}"

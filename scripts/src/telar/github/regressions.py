"""One issue for what a commit made worse on main: opened once, grown while it lasts, closed when it is over.

An issue is found again by a note in its text, which only a workflow's token writes. One that a person
closed is left closed, and isn't opened again for the same series.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from telar.errors import RunError
from telar.github.api import GitHub
from telar.github.pull_request import WRITER
from telar.publish import issue
from telar.publish.issue import Authors
from telar.publish.regressions import Group, Moved

LABEL: Final = "telar-regression"
AT_ONCE: Final = 5  # open issues; what is more waits, and the newest issue says so
MENTIONED: Final = 5
_NOTE = re.compile(r"^<!-- telar:regression (\{[^<>]*\}) -->$", re.MULTILINE)
_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}")
_SHA = re.compile(r"[0-9a-f]{40}")


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """What `telar bisect` needs to look between the two points."""

    good: str
    bad: str
    variant: str
    jdk: str
    drivers: str
    workload: str


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """What an issue is about, for this program; not shown."""

    keys: tuple[str, ...]  # digests of series and metric
    search: Search | None = None  # None: the range holds one commit, or the series isn't Telar's own
    over: bool = False  # closed by this program


class Done(msgspec.Struct, frozen=True, kw_only=True):
    opened: tuple[str, ...] = ()  # URLs
    written: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    waiting: int = 0  # groups without an issue: there are enough


def sync(github: GitHub, groups: Sequence[Group], states: dict[str, str], pages: str) -> Done:
    """Makes the issues say what is open. `states`: by digest of series and metric, how the newest finding
    of each stands; `pages`: where the trend pages are.
    """
    there = [(i, note) for i in _issues(github) if (note := note_of(i["body"])) is not None]
    opened, written, closed, waiting = list[str](), list[str](), list[str](), 0
    wanted: dict[int, list[Moved]] = {}
    new: list[Group] = []
    for group in groups:
        own = _best(there, {digest(m) for m in group.moved})
        if own is None:
            new.append(group)
        elif own["state"] == "open":
            wanted.setdefault(int(own["number"]), []).extend(group.moved)
    for found, note in there:
        if found["state"] != "open":
            continue
        moved = wanted.get(int(found["number"]))
        if moved is None and _waits(note, states):
            continue  # it isn't sure any more, nor is it over
        if moved is None:
            _close(github, found, note, states)
            closed.append(str(found["html_url"]))
        elif _rewrite(github, found, moved, pages):
            written.append(str(found["html_url"]))
    room = AT_ONCE - sum(found["state"] == "open" for found, _ in there) + len(closed)
    for group in new:
        if len(opened) >= room:
            waiting += 1
            continue
        opened.append(_open(github, group, pages))
    return Done(opened=tuple(opened), written=tuple(written), closed=tuple(closed), waiting=waiting)


def note_of(body: Any) -> Note | None:
    found = _NOTE.search(str(body or ""))
    try:
        return msgspec.json.decode(found[1], type=Note) if found else None
    except msgspec.DecodeError:
        return None


def digest(moved: Moved) -> str:
    return digest_of(*moved.key)


def digest_of(series: str, metric: str) -> str:
    return f"{zlib.crc32(f'{series} {metric}'.encode()):08x}"


def open_issues(github: GitHub) -> list[tuple[Any, Note]]:
    found = ((i, note_of(i["body"])) for i in _issues(github) if i["state"] == "open")
    return [(i, note) for i, note in found if note is not None]


def _issues(github: GitHub) -> list[Any]:
    """This program's own, open or not."""
    every = github.every("issues", state="all", labels=LABEL)
    return [i for i in every if i["user"]["login"] == WRITER and "pull_request" not in i]


def _best(there: Sequence[tuple[Any, Note]], keys: set[str]) -> Any:
    """The issue that has the most of these series, of those that aren't over."""
    shared = [(len(keys & set(note.keys)), i) for i, note in there if not note.over]
    count, found = max(shared, key=lambda item: (item[0], item[1]["state"] == "open"), default=(0, None))
    return found if count else None


def _waits(note: Note, states: dict[str, str]) -> bool:
    return any(states.get(key) == "open" for key in note.keys)


def _open(github: GitHub, group: Group, pages: str) -> str:
    title, body = _text(github, group.moved, pages)
    made = github.post("issues", {"title": title, "body": body, "labels": [LABEL]})
    return str(made["html_url"])


def _rewrite(github: GitHub, found: Any, moved: Sequence[Moved], pages: str) -> bool:
    title, body = _text(github, tuple(moved), pages)
    if body == found["body"] and title == found["title"]:
        return False
    github.patch(f"issues/{found['number']}", {"title": title, "body": body})
    return True


def _close(github: GitHub, found: Any, note: Note, states: dict[str, str]) -> None:
    number = found["number"]
    how = sorted({states.get(key, "gone") for key in note.keys})
    words = {"cured": "the level is back", "accepted": "the level was accepted"}
    said = "; ".join(dict.fromkeys(words.get(state, "nothing of it is open any more") for state in how))
    github.post(f"issues/{number}/comments", {"body": f"It is over: {said}."})
    body = str(found["body"]).replace(written(note), written(msgspec.structs.replace(note, over=True)))
    github.patch(f"issues/{number}", {"body": body, "state": "closed", "state_reason": "completed"})


def written(note: Note) -> str:
    return f"<!-- telar:regression {msgspec.json.encode(note).decode()} -->"


def _text(github: GitHub, moved: Sequence[Moved], pages: str) -> tuple[str, str]:
    first = moved[0]
    authors = _authors(github, first.finding.before.commit, first.finding.since.commit)
    keys = tuple(sorted({digest(m) for m in moved}))
    note = Note(keys=keys, search=_search(first, authors))
    return issue.title(first), issue.body(moved, authors, pages) + f"\n{written(note)}\n"


def _search(first: Moved, authors: Authors) -> Search | None:
    if first.cell is None or authors.commits <= 1:
        return None
    cell = first.cell
    return Search(
        good=first.finding.before.commit,
        bad=first.finding.since.commit,
        variant=cell.label,
        jdk=cell.jdk,
        drivers=",".join(f"{name}={version}" for name, version in sorted(cell.drivers.items())),
        workload=cell.workload,
    )


def _authors(github: GitHub, before: str, since: str) -> Authors:
    """Who wrote what lies between two commits, as GitHub knows them."""
    if not (_SHA.fullmatch(before) and _SHA.fullmatch(since)):
        return Authors()
    try:
        found = github.get(f"compare/{before}...{since}")
    except RunError:  # not of this repository, or gone from it
        return Authors()
    logins = [str((commit.get("author") or {}).get("login", "")) for commit in found["commits"]]
    server = os.environ.get("GITHUB_SERVER_URL", "https://github.com")
    named = [login for login in dict.fromkeys(logins) if _LOGIN.fullmatch(login)]
    return Authors(
        commits=int(found["total_commits"]),
        logins=tuple(named[-MENTIONED:]),
        of=f"{server}/{github.repository}",
    )

"""The night's searches: between the two points of an open issue, which commit it was."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import msgspec

from telar.github.api import GitHub
from telar.github.pull_request import WRITER
from telar.github.regressions import Search, open_issues
from telar.publish.verdict import code, plain

AT_ONCE: Final = 2  # a search takes an hour or two, and the night has other work
MARK: Final = "<!-- telar:search {good} {bad} -->"
LONGEST: Final = 1_500  # characters of what a search said when it found nothing
_FILE = re.compile(r"([0-9]{1,9})\.json")


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    issue: int
    search: Search


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """What `telar bisect --json` says."""

    first_bad: str
    metric: str
    sure: float
    runs: int
    minutes: float


def wanted(github: GitHub) -> list[Wanted]:
    """What wasn't searched yet, oldest issues first."""
    found: list[Wanted] = []
    for issue, note in sorted(open_issues(github), key=lambda item: int(item[0]["number"])):
        number = int(issue["number"])
        if note.search and len(found) < AT_ONCE and not _said(github, number, _mark(note.search)):
            found.append(Wanted(issue=number, search=note.search))
    return found


def tell(github: GitHub, folder: Path) -> list[int]:
    """Writes on each issue what its search found, from files ISSUE.json and ISSUE.txt; the issues."""
    said: list[int] = []
    searches = {int(i["number"]): note.search for i, note in open_issues(github) if note.search}
    for path in sorted(folder.rglob("*.json")):
        named = _FILE.fullmatch(path.name)
        search = searches.get(int(named[1])) if named else None
        if named is None or search is None:
            continue  # closed meanwhile
        text = _words(github, search, path)
        github.post(f"issues/{named[1]}/comments", {"body": f"{_mark(search)}\n{text}\n"})
        said.append(int(named[1]))
    return said


def _words(github: GitHub, search: Search, path: Path) -> str:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Found)
    except msgspec.DecodeError:
        ended = path.with_suffix(".txt").read_text("utf-8", "replace")[-LONGEST:]
        return f"The search ended without a commit:\n\n```text\n{ended.replace('```', '')}\n```"
    again = f"./telar bisect {code(search.good)} {code(search.bad)} --only {code(search.variant)}"
    return (
        f"**{code(found.first_bad)}** is the first bad commit ({found.sure:.1%} sure): searched by "
        f"{plain(found.metric)}, {found.runs} windows in {found.minutes:.0f} minutes."
        f"{_author(github, found.first_bad)}\n\n```sh\n{again}\n```"
    )


def _author(github: GitHub, sha: str) -> str:
    if not re.fullmatch(r"[0-9a-f]{40}", sha):
        return ""
    login = str((github.get(f"commits/{sha}").get("author") or {}).get("login", ""))
    return f" By @{login}." if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}", login) else ""


def _said(github: GitHub, number: int, mark: str) -> bool:
    comments: Any = github.every(f"issues/{number}/comments")
    return any(c["user"]["login"] == WRITER and mark in str(c["body"]) for c in comments)


def _mark(search: Search) -> str:
    return MARK.format(good=search.good, bad=search.bad)

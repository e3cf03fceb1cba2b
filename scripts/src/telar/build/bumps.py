"""The versions that a change bumps, each as a commit of its own: what an attribution compares.

It reads build files as text, whatever tool they are for: a line of which only the version differs is a bump.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from telar.tools import git

FILES = (":(glob)**/pom.xml", "*.gradle", "*.gradle.kts", ":(glob)**/gradle.properties", "*.versions.toml")
_VERSION = re.compile(r"\d+(?:\.\d+)+(?:[.-]?[A-Za-z0-9]+)*")
_TAG = re.compile(r"<([\w.-]+?)(?:[.-]version)?>")
_ARTIFACT = re.compile(r"<artifactId>([^<]+)</artifactId>")
_COORDINATE = re.compile(r"""['"][\w.-]+:([\w.-]+):""")
_PLUGIN = re.compile(r"""id[ (]+['"]([\w.-]+)['"]""")
_KEY = re.compile(r"""^\s*(?:val |ext\.|def )?([\w.-]+)\s*=""")
ABOVE = 6  # lines in which the artifact of a <version> is looked for


@dataclass(frozen=True, kw_only=True)
class Bump:
    name: str
    before: str
    after: str
    lines: tuple[tuple[str, int, str], ...]  # path, number in the base, what stands there in the head

    @property
    def words(self) -> str:
        return f"{self.name} {self.before} → {self.after}"


def between(root: Path, base: str, head: str) -> list[Bump]:
    """In the order of the files. The same version of the same name in several places is one bump."""
    found: dict[tuple[str, str, str], list[tuple[str, int, str]]] = {}
    for path, (gone, come) in git.lines_changed(root, base, head, FILES).items():
        if len(gone) != len(come) or not gone:
            continue
        before, after = (git.show(root, side, path).splitlines() for side in (base, head))
        for old, new in zip(sorted(gone), sorted(come), strict=True):
            versions = _versions(before[old - 1], after[new - 1])
            if versions:
                key = (_name(path, after, new), *versions)
                found.setdefault(key, []).append((path, old, after[new - 1]))
    return [Bump(name=name, before=b, after=a, lines=tuple(own)) for (name, b, a), own in found.items()]


def words(root: Path, base: str, head: str) -> tuple[str, ...]:
    """Of each bump between two commits; none where this clone doesn't have both."""
    if base == head or {base, head} - git.commits(root, (base, head)).keys():
        return ()
    return tuple(bump.words for bump in between(root, base, head))


def alone(root: Path, base: str, bump: Bump) -> str:
    """A commit: the base, with this version bumped and nothing else. The same bump is the same commit."""
    files: dict[str, str] = {}
    for path, number, line in bump.lines:
        text = files.get(path) or git.show(root, base, path)
        lines = text.splitlines(keepends=True)
        lines[number - 1] = line + lines[number - 1][len(lines[number - 1].rstrip("\r\n")) :]
        files[path] = "".join(lines)
    return git.commit_with(root, base, files, bump.words)


def _versions(before: str, after: str) -> tuple[str, str] | None:
    """The version of both lines, where nothing else differs."""
    old, new = _VERSION.findall(before), _VERSION.findall(after)
    if _VERSION.sub("", before) != _VERSION.sub("", after):
        return None
    apart = [(a, b) for a, b in zip(old, new, strict=False) if a != b]
    return apart[0] if len(apart) == 1 and len(old) == len(new) else None


def _name(path: str, lines: Sequence[str], number: int) -> str:
    """What has the version, as the file calls it."""
    line = lines[number - 1]
    if PurePosixPath(path).suffix == ".xml":
        tag = _TAG.search(line)
        if tag and tag.group(1) != "version":
            return tag.group(1)
        above = (_ARTIFACT.search(each) for each in reversed(lines[max(0, number - 1 - ABOVE) : number]))
        return next((found.group(1) for found in above if found), "version")
    named = (pattern.search(line) for pattern in (_COORDINATE, _PLUGIN, _KEY))
    return next((found.group(1).removesuffix(".version") for found in named if found), "version")

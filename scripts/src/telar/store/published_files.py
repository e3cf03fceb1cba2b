"""What the files of the published store say: the index, and a month's sessions."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from telar.store.points import Location, Text
from telar.store.record import Part, Validity

Month = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{4}-[01][0-9]$(?!\n)")]


class Kept(Part, frozen=True):
    """A published run."""

    run_id: str
    seconds: float  # that it took, from nothing to nothing
    validity: Validity
    compacted: float | None = None  # when its readings by the second were dropped
    packed: bool = False  # whether its file is packed with gzip


class CommitWords(Part, frozen=True):
    """What git says of a commit."""

    subject: str  # the first line of its message
    author: str
    parent: str  # the first one; empty where it has none
    branch: str  # that holds it, the default branch before others; empty where none is known


class Row(Part, frozen=True):
    """A published session."""

    id: Text
    time: float
    commit: str
    suite: str
    environments: dict[str, dict[str, str]]  # digest -> what it is of, in words
    runs: dict[Text, Kept]  # by the file's name


class Sessions(Part, frozen=True):
    format: Literal[1]
    sessions: tuple[Row, ...]
    commits: dict[Text, CommitWords] = msgspec.field(default_factory=dict)  # of this month's points


class Files(Part, frozen=True):
    """A month's."""

    sessions: Location | None = None
    points: dict[Text, Location] = msgspec.field(default_factory=dict)  # metric -> file, or its year's


class Index(Part, frozen=True):
    format: Literal[1] = 1
    written: float = 0.0
    points: int = 0
    runs: int = 0
    bytes: int = 0  # of all files but this one
    now: Location | None = None
    levels: Location | None = None
    months: dict[Month, Files] = msgspec.field(default_factory=dict)
    evidence: Location | None = None  # what was found by comparing
    report: Location | None = None  # of the one session that a report is of

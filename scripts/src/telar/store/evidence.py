"""What a comparison, a search or an attribution found, as its page on the site shows it."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import msgspec

from telar.errors import StoreError
from telar.store.points import Location, Text
from telar.store.record import Number, Part

FILE: Final = "evidence.json"  # in a session's folder: a search's or an attribution's
Kind = Literal["comparison", "search", "attribution"]
Word = Literal["worse", "better", "same", "undecided", "good", "bad", "found", ""]


class Figure(Part, frozen=True):
    """A line of the result: a metric of a variant, a candidate of a search, a factor of an attribution."""

    name: str  # the variant, the candidate or the factor
    metric: Text  # a key of telar.toml's [metric.*]
    word: Word  # empty where no verdict rests on it
    base: Number | None = None  # medians over windows, in the metric's unit
    head: Number | None = None
    effect: Number | None = None  # head ÷ base, less one
    low: Number | None = None  # of the effect's confidence interval
    high: Number | None = None
    smallest: Number | None = None  # the minimum detectable effect
    share: Number | None = None  # of the whole effect, of a factor; of certainty, of a candidate


class Table(Part, frozen=True):
    """Words, as they are shown: why the sides differ."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Evidence(Part, frozen=True):
    """All that a page shows."""

    format: Literal[1]
    id: Text  # the session's
    kind: Kind
    time: Number  # seconds since 1970
    word: Word
    headline: str
    base: str  # as the user said it
    head: str
    command: str  # that does it again
    base_commit: str
    head_commit: str
    machine: str
    minutes: Number
    notes: tuple[str, ...]
    figures: tuple[Figure, ...]
    tables: tuple[Table, ...] = ()  # of a comparison whose windows were profiled


class Line(Part, frozen=True):
    """Of the list of all."""

    id: Text
    kind: Kind
    time: Number
    word: Word
    headline: str
    file: Location  # below data/


class Listing(Part, frozen=True):
    format: Literal[1]
    lines: tuple[Line, ...]  # newest first


def read(path: Path) -> Evidence:
    """Raises StoreError when the file can't be read or isn't what it should be."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Evidence)
    except OSError as error:
        raise StoreError(f"{path}: can't be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StoreError(f"{path}: {error}", hint="telar bisect and telar attribute write it") from error

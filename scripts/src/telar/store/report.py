"""A session's comparison, as its page shows it: words, figures, and the files of its runs."""

from __future__ import annotations

from typing import Literal

import msgspec

from telar.store.points import Text
from telar.store.record import Number, Part


class ReportColumn(Part, frozen=True):
    """A metric that heads a column."""

    label: str
    unit: str
    title: str
    better: str


class ReportFigure(Part, frozen=True):
    """What stands in a row for a metric."""

    text: str
    spread: str = ""  # lowest to highest of several runs
    bad: bool = False  # something failed or was dropped: a fact, not a judgement
    ratio: Number | None = None  # of a row that compares


class ReportRow(Part, frozen=True):
    """A cell, what one is to another, or runs that failed."""

    kind: Literal["cell", "ratio", "failed"]
    name: str  # of the cell
    label: str  # how the app was launched
    runs: str  # how many stand behind it
    validity: str = ""
    message: str = ""  # why there are no figures
    figures: dict[Text, ReportFigure] = msgspec.field(default_factory=dict)  # by metric
    files: tuple[Text, ...] = ()  # of all its runs
    behind: tuple[Text, ...] = ()  # of those whose figures these are


class ReportGroup(Part, frozen=True):
    """Cells that differ in how the app was launched, in nothing else."""

    app: str
    where: str  # the database, and what else tells it from the other groups
    rows: tuple[ReportRow, ...]


class ReportTable(Part, frozen=True):
    title: str
    metrics: tuple[Text, ...]


class Report(Part, frozen=True):
    format: Literal[1]
    id: Text  # the session's
    suite: str
    findings: tuple[str, ...]  # a sentence or two
    facts: tuple[tuple[str, str], ...]  # what is true of all of it: name, value
    notes: tuple[str, ...]
    columns: dict[Text, ReportColumn]  # of every metric that is known of any cell
    ratios: tuple[Text, ...]  # metrics whose ratios are shown at a glance
    tables: tuple[ReportTable, ...]
    groups: tuple[ReportGroup, ...]
    p99_limit_ms: Number  # that a rate must keep to count as capacity

"""How series stand: what the pages read first, and what older points left behind."""

from __future__ import annotations

from typing import Literal

import msgspec

from telar.analyse import tracking
from telar.analyse.tracking import Level
from telar.plan.cells import Cell
from telar.store import detector as rates
from telar.store.floors import Floors
from telar.store.points import Text
from telar.store.published_files import CommitWords
from telar.store.record import Number, Part, Validity


class Moment(Part, frozen=True):
    time: int
    commit: str


class Grown(Part, frozen=True):
    """A step for the worse of a regression that was open already."""

    before: Moment
    since: Moment
    reference: Number  # the level before the step
    level: Number


class PublishedFinding(Part, frozen=True):
    """A finding, as the pages show it."""

    kind: tracking.Kind
    state: tracking.State
    before: Moment
    since: Moment
    decided: Moment
    reference: Number
    level: Number
    evidence: Number
    points: int
    reason: str
    growth: tuple[Grown, ...] = ()  # empty in a history from before it was published
    over: Moment | None = None  # since when a cured one is; not known in a history from before


class Standing(Part, frozen=True):
    """A series as it stands."""

    series: Text
    metric: Text
    unit: str
    better: Literal["smaller", "bigger"]
    time: int  # of its newest point
    commit: str
    origin: str
    validity: Validity
    value: Number | None  # the newest valid one
    reference: Number | None
    level: Number | None
    values: tuple[Number, ...]  # the last valid ones
    findings: tuple[PublishedFinding, ...]
    # Lowest and highest of the last points' runs; null in a history from before they were published.
    low: Number | None = None
    high: Number | None = None


class VariantWords(Part, frozen=True):
    system: str
    framework: str
    database: str
    launch: str
    description: str
    model: Literal["blocking", "nonblocking"] | None = None  # null where it isn't a service
    p99_limit_ms: Number | None = None  # of its system; null in a history from before systems had their own


class MetricWords(Part, frozen=True):
    label: str
    title: str
    unit: str
    better: Literal["smaller", "bigger"]
    digits: int
    matters: Number | None
    group: str = ""  # of metrics that one change tends to move together


class Now(Part, frozen=True):
    """What the pages read first, after the index."""

    format: Literal[1]
    variants: dict[Text, VariantWords]
    metrics: dict[Text, MetricWords]
    jdks: dict[Text, str]
    slo_p99_ms: Number
    floors: Floors  # this runner's noise
    cells: dict[Text, Cell]  # series -> what it is of; those of other tools have none
    standing: tuple[Standing, ...]
    detector: rates.Detector | None = None  # how often it errs, where that was measured
    repository: str = ""  # https address of what is measured; empty where it has none
    commits: dict[Text, CommitWords] = msgspec.field(default_factory=dict)  # that a finding names


class Left(Part, frozen=True):
    """What the points up to the end of a month left behind."""

    format: Literal[1]
    until: str  # the month
    levels: tuple[tuple[str, str, Level], ...]  # series, metric
    cells: dict[Text, Cell]

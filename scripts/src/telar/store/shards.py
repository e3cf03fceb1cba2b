"""A month's points of a metric, or a year's, as they are published: in columns, to few digits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, Final, Literal

from telar.errors import StoreError
from telar.store.points import Point, Text
from telar.store.record import Number, Part, Validity

LETTERS: Final[dict[Validity, str]] = {"valid": "v", "limited": "l", "invalid": "i"}
VALIDITY: Final[dict[str, Validity]] = {letter: validity for validity, letter in LETTERS.items()}
DIGITS: Final = 6  # of a published number: far more than any measurement has
SPREAD_DIGITS: Final = 3


class Columns(Part, frozen=True):
    """One series' points in a month, or a year, in the order of time: all columns are as long."""

    time: tuple[int, ...]  # seconds since 1970
    origin: tuple[int, ...]  # places in the shard's `origins`
    environment: tuple[int, ...]
    value: tuple[Number, ...]
    low: tuple[Number | None, ...]
    high: tuple[Number | None, ...]
    runs: tuple[int, ...]
    validity: str  # a letter each: valid, limited, invalid
    # As in a point; empty in a month from before they were published, and where no point has them.
    mean: tuple[Number | None, ...] = ()
    spread: tuple[Number | None, ...] = ()


class Shard(Part, frozen=True):
    """A month's points of a metric, or a year's."""

    format: Literal[1]
    metric: Text
    unit: str
    better: Literal["smaller", "bigger"]
    origins: tuple[tuple[str, str], ...]  # session or file, and commit
    environments: tuple[str, ...]
    series: dict[Text, Columns]


def shard_of(points: Sequence[Point]) -> Shard:
    """Points of one metric."""
    origins = list(dict.fromkeys((p.origin, p.commit) for p in points))
    environments = list(dict.fromkeys(p.environment for p in points))
    place = {origin: n for n, origin in enumerate(origins)}
    environment = {name: n for n, name in enumerate(environments)}
    ordered = sorted(points, key=lambda p: (p.series, p.time, p.origin))
    series = {}
    for name, group in groupby(ordered, key=lambda p: p.series):
        own = list(group)
        series[name] = Columns(
            time=tuple(int(p.time) for p in own),
            origin=tuple(place[p.origin, p.commit] for p in own),
            environment=tuple(environment[p.environment] for p in own),
            value=tuple(rounded(p.value) for p in own),
            low=tuple(None if p.low is None else rounded(p.low) for p in own),
            high=tuple(None if p.high is None else rounded(p.high) for p in own),
            runs=tuple(p.runs for p in own),
            validity="".join(LETTERS[p.validity] for p in own),
            mean=_known(p.mean for p in own),
            spread=_known((p.spread for p in own), SPREAD_DIGITS),
        )
    last = ordered[-1]
    return Shard(
        format=1,
        metric=last.metric,
        unit=last.unit,
        better=last.better,
        origins=tuple(origins),
        environments=tuple(environments),
        series=series,
    )


def _known(values: Iterable[float | None], digits: int = DIGITS) -> tuple[float | None, ...]:
    """A column that is left out where nothing is known."""
    column = tuple(None if v is None else rounded(v, digits) for v in values)
    return column if any(v is not None for v in column) else ()


def points_in(shard: Shard) -> list[Point]:
    """Raises StoreError when its columns don't fit together."""
    found = []
    for name, own in shard.series.items():
        unknown = (None,) * len(own.time)
        columns: tuple[Sequence[Any], ...] = (
            own.time, own.origin, own.environment, own.value, own.low, own.high, own.runs, own.validity,
            own.mean or unknown, own.spread or unknown,
        )  # fmt: skip
        try:
            for moment, origin, environment, value, low, high, runs, letter, mean, spread in zip(
                *columns, strict=True
            ):
                session, commit = shard.origins[origin]
                found.append(
                    Point(
                        series=name,
                        metric=shard.metric,
                        unit=shard.unit,
                        better=shard.better,
                        time=moment,
                        commit=commit,
                        value=value,
                        low=low,
                        high=high,
                        runs=runs,
                        mean=mean,
                        spread=spread,
                        validity=VALIDITY[letter],
                        environment=shard.environments[environment],
                        origin=session,
                    )
                )
        except (ValueError, IndexError, KeyError) as error:
            raise StoreError(f"{shard.metric} of {name}: its columns don't fit together: {error}") from error
    return found


def rounded(value: float, digits: int = DIGITS) -> float:
    """To so many significant digits."""
    if not value or not math.isfinite(value):
        return value
    return round(value, digits - 1 - math.floor(math.log10(abs(value))))

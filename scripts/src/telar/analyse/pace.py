"""How fast the machine was in each of several windows, by what the database needed for a request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from telar.store.record import Record

DATABASE, STATEMENTS = "database-cpu", "statements"  # metrics of a window
ALIKE = 1.01  # times as many statements per request are no more work for a database


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Of one window, per request; None where it isn't known."""

    database: float | None  # CPU-ms of the database
    statements: float | None  # that it was asked


def of(record: Record) -> Pace:
    database, statements = (record.metrics.get(name) for name in (DATABASE, STATEMENTS))
    return Pace(
        database=database.value if database else None, statements=statements.value if statements else None
    )


def factors(windows: Sequence[Pace]) -> list[float]:
    """What each window's times are to be multiplied by, so that they are as if the machine had been as fast
    in each as in all of them. Ones where the databases weren't asked the same in all: what they needed says
    nothing of the machine then.
    """
    known = [w.database for w in windows if w.database]
    asked = [w.statements or 0.0 for w in windows]
    if len(known) < len(windows) or not min(asked) or max(asked) > min(asked) * ALIKE:
        return [1.0] * len(windows)
    return [fmean(known) / own for own in known]

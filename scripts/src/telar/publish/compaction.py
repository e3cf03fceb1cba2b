"""Drops readings by the second of old runs from a published history; all else of a record stays.

A record's metrics, histograms, gates and provenance say what was measured. Its readings at 1 Hz show how it
went, and grow with the window's length. Old ones are dropped on an explicit command, never by publishing.
"""

from __future__ import annotations

import time
from pathlib import Path

import msgspec

from telar.store import seal
from telar.store.decode import decode
from telar.store.published import Published
from telar.store.published_files import Row


class Compacted(msgspec.Struct, frozen=True, kw_only=True):
    runs: int  # whose readings were dropped
    freed: int  # bytes
    months: int  # that were looked at


def first_kept(now: float, months: int) -> str:
    """The first month, YYYY-MM, that stays whole when `months` of them before this one do."""
    year, month = map(int, time.strftime("%Y %m", time.gmtime(now)).split())
    place = year * 12 + (month - 1) - months
    return f"{place // 12:04d}-{place % 12 + 1:02d}"


def compact(published: Published, first: str, now: float) -> Compacted:
    """Every month before `first` (YYYY-MM). Raises StoreError, with nothing changed, for a record that isn't
    whole.
    """
    before = published.index.bytes
    runs = 0
    months = [month for month in published.months if month < first]
    published.want(months, metrics=())
    for month in months:
        published.want_runs(month)
        changed: dict[tuple[str, str], bytes] = {}
        rows = [_dropped(published, month, row, changed, now) for row in published.sessions(month)]
        if changed:
            published.compact(month, rows, changed)
            runs += len(changed)
    if runs:
        published.write()
    return Compacted(runs=runs, freed=before - published.index.bytes, months=len(months))


def _dropped(
    published: Published, month: str, row: Row, changed: dict[tuple[str, str], bytes], now: float
) -> Row:
    runs = dict(row.runs)
    for name, kept in row.runs.items():
        if kept.compacted is not None:
            continue
        record = decode(Path(f"{month}/{row.id}/{name}"), published.run(month, row.id, name, kept))
        if record.series is None or not record.series.values:
            continue
        # A completed run has readings, be it none: without them it would say of itself that it failed.
        empty = msgspec.structs.replace(record.series, values={})
        changed[row.id, name] = seal.sealed(
            msgspec.json.encode(msgspec.structs.replace(record, series=empty))
        )
        runs[name] = msgspec.structs.replace(kept, compacted=round(now))
    return msgspec.structs.replace(row, runs=runs)

"""github-action-benchmark's `data.js`: a project moves over with its history."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from telar.collect.finite import finite
from telar.collect.imports.foreign import Occasion, decoded
from telar.store.points import Point

ASSIGNMENT = b"window.BENCHMARK_DATA ="
# Its tools whose results are better when bigger, as its documentation has it.
BIGGER = {"customBiggerIsBetter", "benchmarkjs", "benchmarkluau", "pytest"}


class _Commit(msgspec.Struct):
    id: str


class _Bench(msgspec.Struct):
    name: str
    value: Any
    unit: str = ""


class _Entry(msgspec.Struct):
    commit: _Commit
    date: float  # milliseconds
    benches: list[_Bench]
    tool: str = ""


class _Data(msgspec.Struct):
    entries: dict[str, list[_Entry]]


def read(content: bytes, occasion: Occasion) -> list[Point]:
    """A point for each benchmark of each entry, with its own commit and date."""
    text = content.strip().removeprefix(b"\xef\xbb\xbf")
    if not text.startswith(ASSIGNMENT):
        raise occasion.fault(
            f"doesn't begin with {ASSIGNMENT.decode()!r}",
            hint="the file is dev/bench/data.js of the gh-pages branch",
        )
    text = text.removeprefix(ASSIGNMENT).strip().removesuffix(b";")
    data = decoded(text, _Data, occasion, "github-action-benchmark's history")
    return [
        Point(
            series=f"{occasion.prefix}{suite} {bench.name}",
            metric="value",
            unit=bench.unit,
            better=_better(entry, bench),
            time=entry.date / 1000,
            commit=entry.commit.id,
            value=value,
            origin=occasion.origin,
        )
        for suite, entries in data.entries.items()
        for entry in entries
        for bench in entry.benches
        if (value := finite(bench.value)) is not None
    ]


def _better(entry: _Entry, bench: _Bench) -> Literal["smaller", "bigger"]:
    """JMH's and Catch2's tools have no direction of their own: a rate is better when bigger."""
    per_time = bench.unit.lower().startswith(("ops/", "iter/")) or bench.unit.lower().endswith(("/s", "/sec"))
    return "bigger" if entry.tool in BIGGER or per_time else "smaller"

"""Any record that a run could leave, for properties that must hold for all of them."""

from __future__ import annotations

import string
from collections.abc import Callable
from typing import Any, get_args, get_origin

import msgspec
from hypothesis import strategies as st

from telar.analyse import histogram
from telar.store.record import (
    FORMAT,
    Benchmark,
    DatabaseState,
    Failure,
    Gate,
    Latency,
    Load,
    Metric,
    Program,
    Record,
    Series,
    Stage,
    Stop,
)

from .shapes import choices, is_struct, shape

KEY = st.text(string.ascii_lowercase + "é. ", min_size=1, max_size=5)


def _number(bound: Any) -> st.SearchStrategy[float]:
    least, above = bound("ge"), bound("gt")
    low = above if least is None else least
    return st.floats(low, bound("le"), exclude_min=above is not None, allow_nan=False, allow_infinity=False)


def _text(bound: Any) -> st.SearchStrategy[str]:
    if pattern := bound("pattern"):
        return st.from_regex(pattern)
    return st.text(min_size=bound("min_length") or 0, max_size=8)


SINGLE: dict[type, Callable[[Any], st.SearchStrategy[Any]]] = {
    bool: lambda _: st.booleans(),
    int: lambda bound: st.integers(bound("ge"), bound("le")),
    float: _number,
    str: _text,
}


def of(type_: Any) -> st.SearchStrategy[Any]:
    """Any value of a type of the record's, within its bounds."""
    found = shape(type_)
    made = _plain(found.plain, found.bound)
    return st.none() | made if found.optional else made


def _plain(plain: Any, bound: Any) -> st.SearchStrategy[Any]:
    if plain in SINGLE:
        return SINGLE[plain](bound)
    if get_origin(plain) is dict:
        key, value = get_args(plain)
        return st.dictionaries(KEY if key is str else of(key), of(value), max_size=2)
    if get_origin(plain) is tuple:
        return st.lists(of(get_args(plain)[0]), max_size=2).map(tuple)
    if is_struct(shape(plain)):
        return st.builds(plain, **{f.name: of(f.type) for f in msgspec.structs.fields(plain)})
    return st.sampled_from(choices(shape(plain)))


STAGES = st.lists(
    of(Stage).filter(lambda s: s.start < s.end), min_size=1, max_size=3, unique_by=lambda s: s.name
)
GATES = st.lists(of(Gate), max_size=3).map(tuple)


@st.composite
def loads(draw: st.DrawFn) -> Load:
    requests = draw(st.dictionaries(KEY, st.integers(1, 2**53), min_size=1, max_size=3))
    sizes = draw(st.dictionaries(st.sampled_from(sorted(requests)), st.floats(0, 1e6)))
    load: Load = draw(of(Load))
    return msgspec.structs.replace(load, requests=requests, bytes=sizes, stages=tuple(draw(STAGES)))


@st.composite
def latencies(draw: st.DrawFn, load: Load) -> Latency:
    held = draw(st.lists(st.floats(1, 6e7), min_size=1, max_size=5))
    return Latency(
        endpoint=draw(st.sampled_from(sorted(load.requests))),
        stage=draw(st.sampled_from(load.stages)).name,
        count=len(held),
        histogram=histogram.encode(histogram.of(held)),
    )


@st.composite
def series(draw: st.DrawFn) -> Series:
    size = draw(st.integers(1, 4))
    line = st.lists(st.none() | st.floats(-1e18, 1e18), min_size=size, max_size=size).map(tuple)
    values = draw(st.dictionaries(KEY, line, min_size=1, max_size=3))
    made: Series = draw(of(Series))
    return msgspec.structs.replace(made, values=values)


@st.composite
def records(draw: st.DrawFn) -> Record:
    """Completed and failed ones, whose parts don't contradict each other."""
    common = {f.name: draw(of(f.type)) for f in msgspec.structs.fields(Record) if f.name not in RELATED}
    record = Record(format=FORMAT, outcome="failed", stopped=draw(of(Stop)), **common)
    if draw(st.booleans()):
        return record
    load, gates = draw(loads()), draw(GATES)
    failures = st.builds(
        msgspec.structs.replace,
        of(Failure),
        endpoint=st.sampled_from(sorted(load.requests)),
        stage=st.sampled_from([s.name for s in load.stages]),
    )
    sound = gates and all(gate.verdict != "fail" for gate in gates)
    return msgspec.structs.replace(
        record,
        benchmark=draw(of(Benchmark).filter(lambda b: bool(b.iterations))) if record.kind == "jmh" else None,
        program=draw(of(Program)) if record.kind == "task" else None,
        outcome="completed",
        stopped=None,
        load=load,
        latencies=tuple(draw(st.lists(latencies(load), min_size=1, max_size=3))),
        failures=tuple(draw(st.lists(failures, max_size=2))),
        metrics=record.metrics or {"p50": draw(of(Metric))},
        series=draw(series()),
        database=draw(of(DatabaseState)),
        gates=gates,
        validity="valid" if sound else draw(st.sampled_from(["limited", "invalid"])),
    )


# Fields that must fit others, and those that the writer sets.
RELATED = {
    "format", "outcome", "stopped", "load", "latencies", "failures", "series", "database", "gates",
    "validity", "digest", "benchmark", "program",
}  # fmt: skip

"""A suite: a named choice of cells, in telar.toml or in the system.toml of the system that it is of."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from telar.catalog.shapes import Budget, Duration, File, JdkNumber, Name, PositiveInt, Selection, Text, Times

EngineName = Literal["embedded", "compose"]


class WarmupFile(File, frozen=True):
    workload: Name  # its mix, at one rate
    rate: Annotated[int, msgspec.Meta(ge=1, le=100_000)]
    seconds: Duration | None = None  # so long
    # In cycles, until so many were answered. Neither: until the service is steady.
    requests: PositiveInt | None = None
    each: PositiveInt = 1  # requests of an arrival, about: what a warm-up takes is foreseen by it


class CompareFile(File, frozen=True):
    """Two sides, said as to telar ab (plan/sides.py): alive at once, and measured in turns."""

    base: tuple[Text, ...]
    head: tuple[Text, ...]
    budget: Budget  # of each of the suite's cells


class SuiteFile(File, frozen=True):
    description: Text
    variants: tuple[Selection, ...]  # of the workload's system: names or patterns with *
    workload: Selection  # or a pattern: a part for each, all of one system
    warmup: WarmupFile | None = None  # of services; a benchmark's own is with its iterations
    repeat: Times = 1
    # Times at most that a disturbed window is measured again, and then at once. None: as [again] says.
    again: Annotated[int, msgspec.Meta(ge=0, le=100)] | None = None
    engine: EngineName | None = None  # None: compose where Docker runs, embedded elsewhere
    compare: CompareFile | None = None  # None: each cell by itself
    flags: tuple[
        Text, ...
    ] = ()  # of the JVM: each line an arm, beside one another; none: no more than every cell's
    jdks: tuple[JdkNumber, ...] = ()  # each an arm; none: the default
    drivers: tuple[Text, ...] = ()  # "name=version", each version of a driver an arm; none: the default's
    also: tuple[Name, ...] = ()  # suites whose cells are run with its own, in the same rounds
    next: tuple[Text, ...] = ()  # what to try afterwards: lines for whoever ran it

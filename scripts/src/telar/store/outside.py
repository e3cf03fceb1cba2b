"""What a file of another load tool or of JMH says, in one form (collect/outside)."""

from __future__ import annotations

from typing import Literal

import msgspec


class Run(msgspec.Struct, frozen=True, kw_only=True):
    """One start of what was measured, and how sure its value is by itself."""

    value: float
    parts: tuple[float, ...] = ()  # of it: iterations, stretches of time; empty where only the whole is known


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """A figure that can be compared."""

    unit: str
    better: Literal["smaller", "bigger"]
    runs: tuple[Run, ...]


class Load(msgspec.Struct, frozen=True, kw_only=True):
    """What a load tool did. None: the file doesn't say."""

    requests: int
    failed: int | None = None
    contradicted: int | None = None  # k6's checks that failed
    dropped: int | None = None  # arrivals for which no user was free
    iterations: int | None = None
    iteration_ms: float | None = None  # mean
    users: int | None = None  # at most at once; connections of tools that have no users
    seconds: float | None = None
    closed: bool = False  # by construction: it asks again as soon as an answer is there
    late: bool | None = None  # whether latency counts what waited in the tool, from when it was due
    connecting_p95_ms: float | None = None  # k6's http_req_blocked
    p95_ms: float | None = None


class Outside(msgspec.Struct, frozen=True, kw_only=True):
    path: str
    tool: str
    series: dict[str, Series]
    load: Load | None = None  # None: of benchmarks

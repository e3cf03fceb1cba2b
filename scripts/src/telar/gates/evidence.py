"""What gates read from a record."""

from __future__ import annotations

from telar.store.record import Gate, Limiter, Record, Verdict


def gate(
    name: str,
    verdict: Verdict,
    observed: str,
    *,
    expected: str,
    advice: str,
    limited_by: Limiter | None = None,
) -> Gate:
    """A verdict; advice is kept only where there is something to do."""
    passed = verdict == "pass"
    return Gate(
        name=name,
        verdict=verdict,
        observed=observed,
        expected=expected,
        advice="" if passed else advice,
        limited_by=None if passed else limited_by,
    )


def readings(record: Record, series: str) -> list[tuple[float, float]]:
    """(second of the window, value) of each reading of a series."""
    if record.series is None:
        return []
    values = record.series.values.get(series, ())
    return [(second * record.series.step, v) for second, v in enumerate(values) if v is not None]


def growth(record: Record, series: str, start: float = 0.0, end: float = float("inf")) -> float | None:
    """How much a counter grew between its first and its last reading within [start, end] seconds."""
    found = [v for second, v in readings(record, series) if start <= second <= end]
    return found[-1] - found[0] if len(found) > 1 else None


def span(record: Record, series: str) -> tuple[float, float] | None:
    """The seconds of a series' first and last reading."""
    found = readings(record, series)
    return (found[0][0], found[-1][0]) if len(found) > 1 else None


def cores(record: Record, component: str, start: float = 0.0, end: float = float("inf")) -> float | None:
    """Processors that a component kept busy in the mean."""
    series = f"{component}.cpu_seconds"
    inside = [second for second, _ in readings(record, series) if start <= second <= end]
    used = growth(record, series, start, end)
    return None if used is None else used / (inside[-1] - inside[0])


def processors(cpuset: str) -> set[int]:
    """`0-1,4` is {0, 1, 4}."""
    found: set[int] = set()
    for part in filter(None, cpuset.split(",")):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found

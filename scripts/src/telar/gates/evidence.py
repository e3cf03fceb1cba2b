"""What gates read from a record."""

from __future__ import annotations

from itertools import pairwise

from telar.store.record import Gate, Limiter, Load, Record, Stage, Verdict

BEHIND = 0.9  # of what is offered: a stall of a moment loses less
IDLE = 0.5  # of its processors: a generator that is busier may be what holds arrivals up


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
    """How much a counter grew between its first and its last reading within [start, end] seconds.

    One that fell was begun again, by another process: what it then shows is growth too.
    """
    found = [v for second, v in readings(record, series) if start <= second <= end]
    rises = [after - before if after >= before else after for before, after in pairwise(found)]
    return sum(rises) if rises else None


def fell(record: Record, series: str) -> bool:
    """Whether a counter was begun again: another process than the first one was read."""
    return any(after < before for (_, before), (_, after) in pairwise(readings(record, series)))


def span(record: Record, *series: str) -> tuple[float, float] | None:
    """The first and the last second at which all of these were read: growths over it can be compared.

    Not the window's first second: its reading may be half a second older than the window, when k6's setup was
    still asking.
    """
    seconds = [{second for second, _ in readings(record, name)} for name in series]
    shared = sorted(second for second in set.intersection(*seconds) if second > 0)
    return (shared[0], shared[-1]) if len(shared) > 1 else None


def counted(record: Record, first: float, last: float, *series: str) -> tuple[float, float]:
    """What series of the load hold from one reading of a counter to another, and by how much that is unsure.

    A reading may be up to a second off: half of what the seconds on both sides of each hold.
    """
    found = [(second, v) for name in series for second, v in readings(record, name)]
    beside = {first - 1, first, last - 1, last}
    return (
        sum(v for second, v in found if first <= second < last),
        sum(v for second, v in found if second in beside) / 2,
    )


def cores(record: Record, component: str, start: float = 0.0, end: float = float("inf")) -> float | None:
    """Processors that a component kept busy in the mean."""
    series = f"{component}.cpu_seconds"
    inside = [second for second, _ in readings(record, series) if start <= second <= end]
    used = growth(record, series, start, end)
    return None if used is None else used / (inside[-1] - inside[0])


def falls_behind(record: Record) -> bool:
    """Whether the service answered less than was offered all through the later half of the window, while the
    generator had processors to spare: more and more requests wait for it, until no more fit.
    """
    seconds = load_of(record).stages[-1].end
    offered, answered = (
        sum(v for second, v in readings(record, name) if seconds / 2 <= second < seconds)
        for name in ("load.offered", "load.answered")
    )
    own = len(share(record, "generator"))
    used = cores(record, "generator", seconds / 2, seconds)
    return answered < BEHIND * offered and used is not None and used / own < IDLE


def load_of(record: Record) -> Load:
    assert record.load, "a completed run has its load"
    return record.load


def ceiling(record: Record) -> Stage:
    """The stage at the highest rate, the last of them: a limit shows there if anywhere."""
    return max(load_of(record).stages, key=lambda s: (min(s.from_rate, s.to_rate), s.end))


def share(record: Record, *components: str) -> set[int]:
    """The processors on which these may run; without a word about it, all that there are."""
    told = [processors(record.provenance.cpus.get(name, "")) for name in components]
    everything = set(range(record.provenance.machine.processors))
    return set[int]().union(*(own or everything for own in told))


def processors(cpuset: str) -> set[int]:
    """`0-1,4` is {0, 1, 4}."""
    found: set[int] = set()
    for part in filter(None, cpuset.split(",")):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return found

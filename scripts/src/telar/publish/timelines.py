"""What happened in each second of a run, and how long its phases took."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from telar.publish.svg import Scale, figure, polyline, tag
from telar.store.record import Phase, Record

Values = tuple[float | None, ...]

MIB = 1024 * 1024
WIDTH, HEIGHT, PAD = 240, 60, 4
MARKED = ("warm-up", "window")  # phases that a chart shows behind its line


@dataclass(frozen=True, kw_only=True)
class Unit:
    """How a recorded series is shown; a counter is shown as what it grew by in a second."""

    unit: str
    scale: float = 1.0
    counter: bool = False


# By the end of a series' name; what fits none is shown as it was read.
UNITS = {
    "cpu_seconds": Unit(unit="cores", counter=True),
    "busy_seconds": Unit(unit="cores", counter=True),
    "steal_seconds": Unit(unit="cores", counter=True),
    "compiler_seconds": Unit(unit="cores", counter=True),
    "gc_seconds": Unit(unit="cores", counter=True),
    "request_seconds": Unit(unit="in flight", counter=True),
    "waited_seconds": Unit(unit="in flight"),
    "jit_seconds": Unit(unit="s/s", counter=True),
    "throttled_seconds": Unit(unit="s/s", counter=True),
    "pinned_seconds": Unit(unit="s/s", counter=True),
    "pinned_count": Unit(unit="1/s", counter=True),
    "submit_failed": Unit(unit="1/s", counter=True),
    "switches": Unit(unit="1/s", counter=True),
    "requests_served": Unit(unit="1/s", counter=True),
    "_used": Unit(unit="MiB", scale=1 / MIB),
    "_committed": Unit(unit="MiB", scale=1 / MIB),
    "rss": Unit(unit="MiB", scale=1 / MIB),
    "memory": Unit(unit="MiB", scale=1 / MIB),
    "_ms": Unit(unit="ms"),
    "load.offered": Unit(unit="1/s"),
    "load.answered": Unit(unit="1/s"),
    "load.failed": Unit(unit="1/s"),
}


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """A column of the overview: the series it draws, and how each is styled."""

    title: str
    series: dict[str, str]
    log: bool = False

    @property
    def unit(self) -> str:
        return unit_of(next(iter(self.series))).unit


OVERVIEW = (
    Quantity(
        title="requests", series={"load.answered": "main", "load.offered": "thin", "load.failed": "bad"}
    ),
    Quantity(title="p99", series={"load.p99_ms": "main", "load.p50_ms": "thin"}, log=True),
    Quantity(title="app CPU", series={"app.cpu_seconds": "main"}),
    Quantity(title="heap used", series={"app.heap_used": "main"}),
    Quantity(title="app RSS", series={"app.rss": "main"}),
    Quantity(title="OS threads", series={"app.os_threads": "main"}),
    Quantity(title="pool in use", series={"app.pool_active": "main"}),
    Quantity(title="pool waiting", series={"app.pool_waiting": "main"}),
    Quantity(title="database CPU", series={"database.cpu_seconds": "main"}),
    Quantity(title="generator CPU", series={"generator.cpu_seconds": "main"}),
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Chart:
    title: str
    unit: str
    drawing: Markup
    low: str
    high: str


@dataclass(frozen=True, kw_only=True)
class Bounds:
    low: float
    high: float


def unit_of(series: str) -> Unit:
    return next((unit for end, unit in UNITS.items() if series.endswith(end)), Unit(unit=""))


def shown(record: Record, name: str) -> Values:
    """A series in the unit it is shown in."""
    if record.series is None or name not in record.series.values:
        return ()
    unit, values = unit_of(name), record.series.values[name]
    if unit.counter:
        values = (None, *(_growth(a, b, record.series.step) for a, b in pairwise(values)))
    return tuple(None if v is None else v * unit.scale for v in values)


def overview_bounds(records: Iterable[Record]) -> dict[str, Bounds]:
    """For each quantity the bounds that all runs fit in, so that they can be compared by eye."""
    kept = list(records)
    found = {}
    for quantity in OVERVIEW:
        values = [v for r in kept for name in quantity.series for v in shown(r, name) if v is not None]
        if values:
            low = min((v for v in values if v > 0), default=1.0) if quantity.log else min(*values, 0.0)
            found[quantity.title] = Bounds(low=low, high=max(values))
    return found


def overview(record: Record, bounds: dict[str, Bounds], seconds: float) -> list[Chart]:
    """A chart for each quantity that any run has readings of."""
    return [
        _chart(record, quantity, bounds[quantity.title], seconds)
        for quantity in OVERVIEW
        if quantity.title in bounds
    ]


def the_others(record: Record) -> tuple[list[Chart], list[str]]:
    """A chart, on its own scale, for all else that changed; and in words what didn't."""
    told = {name for quantity in OVERVIEW for name in quantity.series}
    charts, flat = [], []
    for name in record.series.values if record.series else ():
        known = [v for v in shown(record, name) if v is not None]
        if name in told:
            continue
        if not known:
            flat.append(f"{name} never read")
        elif min(known) == max(known):
            flat.append(f"{name} {number(known[0])} {unit_of(name).unit}".rstrip())
        else:
            bounds = Bounds(low=min(*known, 0.0), high=max(known))
            quantity = Quantity(title=name, series={name: "main"})
            charts.append(_chart(record, quantity, bounds, seconds_of(record)))
    return charts, flat


def seconds_of(record: Record) -> float:
    """How long the readings last."""
    series = record.series
    longest = max((len(v) for v in series.values.values()), default=0) if series else 0
    return (longest - 1) * series.step if series and longest else 0.0


def marked(record: Record) -> list[tuple[str, float, float]]:
    """Warm-up and window, in seconds since the first reading, as far as there are readings of them."""
    if record.series is None:
        return []
    start, length = record.series.start, seconds_of(record)
    spans = ((p.name, max(p.start - start, 0.0), min(p.end - start, length)) for p in record.timeline)
    return [(name, a, b) for name, a, b in spans if name in MARKED and b > a]


def number(value: float) -> str:
    """Three significant digits, never with an exponent."""
    digits = next((d for above, d in ((99.95, 0), (9.995, 1), (0.9995, 2)) if abs(value) >= above), 3)
    return f"{value:,.{digits}f}" if value % 1 else f"{value:,.0f}"


def phase_names(records: Iterable[Record]) -> list[str]:
    return list(dict.fromkeys(phase.name for r in records for phase in r.timeline))


def phase_bar(record: Record, longest: float) -> Markup:
    """The run from its start, phase after phase."""
    x = Scale(low=0, high=longest, start=0, end=1000)
    return figure(
        "Phases: " + ", ".join(f"{p.name} {p.end - p.start:.1f} s" for p in record.timeline),
        1000,
        14,
        *(_phase(p, record.started, x) for p in record.timeline),
        class_="phases",
        preserveAspectRatio="none",
    )


def _phase(phase: Phase, zero: float, x: Scale) -> Markup:
    start, end = x.at(phase.start - zero), x.at(phase.end - zero)
    kind = phase.name if phase.name in {"database", "start", "warm-up", "window", "stop"} else "between"
    title = tag("title", f"{phase.name} {phase.end - phase.start:.1f} s")
    return tag("rect", title, class_=f"phase-{kind}", x=start, y=0, width=end - start, height=14)


def _growth(before: float | None, after: float | None, step: float) -> float | None:
    if before is None or after is None or after < before:  # a counter that fell was another process's
        return None
    return (after - before) / step


def _chart(record: Record, quantity: Quantity, bounds: Bounds, seconds: float) -> Chart:
    y = Scale(low=bounds.low, high=bounds.high, start=HEIGHT - PAD, end=PAD, log=quantity.log)
    x = Scale(low=0, high=seconds, start=PAD, end=WIDTH - PAD)
    lines = {style: shown(record, name) for name, style in quantity.series.items()}
    known = [v for v in lines["main"] if v is not None]
    low, high = (number(min(known)), number(max(known))) if known else ("", "")
    return Chart(
        title=quantity.title,
        unit=quantity.unit,
        drawing=figure(
            f"{quantity.title}, {record.cell.label}: {low} to {high} {quantity.unit}",
            WIDTH,
            HEIGHT,
            *(_band(name, x.at(a), x.at(b)) for name, a, b in marked(record)),
            *(_line(style, values, x, y, record) for style, values in reversed(lines.items()) if any(values)),
            class_="spark",
            preserveAspectRatio="none",
        ),
        low=low,
        high=high,
    )


def _band(name: str, start: float, end: float) -> Markup:
    title = tag("title", name)
    return tag("rect", title, class_=f"band-{name}", x=start, y=0, width=end - start, height=HEIGHT)


def _line(style: str, values: Values, x: Scale, y: Scale, record: Record) -> Markup:
    step = record.series.step if record.series else 1.0
    points = [None if v is None else (x.at(n * step), y.at(v)) for n, v in enumerate(values)]
    return tag("path", class_=f"line {style}", d=polyline(points))

"""Latency against the offered rate of each stage: a panel for each app, all on the same scales."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from telar.analyse import histogram
from telar.publish.arms import BASE, OTHER, Arm, Group
from telar.publish.svg import Scale, figure, linear_ticks, log_ticks, polyline, spread, tag
from telar.store.record import Stage

PERCENTILES = {"p50": 50.0, "p95": 95.0, "p99": 99.0}
WIDTH, HEIGHT = 400, 250
LEFT, RIGHT, TOP, BOTTOM = 40, 364, 24, 212
LABEL = 12  # a label's height
APART = 30  # at least, between labels side by side


@dataclass(frozen=True, kw_only=True)
class Point:
    stage: str
    rate: float  # offered, mean over the stage
    held: bool  # the same from its start to its end
    count: int
    percentiles: dict[str, float]  # milliseconds; those that `count` requests can tell


@dataclass(frozen=True, kw_only=True)
class Panel:
    title: str
    where: str
    curves: tuple[tuple[Arm, tuple[Point, ...]], ...]


@dataclass(frozen=True, kw_only=True)
class Scales:
    x: Scale
    y: Scale
    x_ticks: tuple[float, ...]
    y_ticks: tuple[float, ...]


def panels(groups: list[Group]) -> list[Panel]:
    """Of all endpoints together."""
    return [_panel(g, g.where, lambda _: True) for g in groups if _measured(g)]


def endpoint_panels(groups: list[Group]) -> list[Panel]:
    names = sorted({h.endpoint for g in groups for arm in g.arms for r in arm.records for h in r.latencies})
    return [
        _panel(g, endpoint, lambda own, wanted=endpoint: own == wanted)  # type: ignore[misc]
        for g in groups
        if _measured(g)
        for endpoint in names
    ]


def scales(panels: Iterable[Panel]) -> Scales | None:
    """Those that all the panels fit in; None when there is nothing to draw."""
    points = [p for panel in panels for _, curve in panel.curves for p in curve if p.percentiles]
    if not points:
        return None
    values = [v for p in points for v in p.percentiles.values()]
    rates = [p.rate for p in points]
    y_ticks = log_ticks(max(min(values), 0.001), max(values))
    margin = (max(rates) - min(rates)) * 0.04
    x = Scale(low=min(rates) - margin, high=max(rates) + margin, start=LEFT, end=RIGHT)
    return Scales(
        x=x,
        y=Scale(low=y_ticks[0], high=y_ticks[-1], start=BOTTOM, end=TOP, log=True),
        x_ticks=tuple(_rate_ticks(x, rates)),
        y_ticks=tuple(y_ticks),
    )


def draw(panel: Panel, on: Scales, slo_ms: float) -> Markup:
    return figure(
        f"Latency against offered rate: {panel.title}, {panel.where}",
        WIDTH,
        HEIGHT,
        _axes(on),
        _slo(on, slo_ms),
        *(_curve(arm, points, on) for arm, points in panel.curves),
        _labels(panel, on),
        class_="curves",
    )


def launch_class(launch: str) -> str:
    """Only names that the style sheet knows become classes."""
    return {BASE: "base", OTHER: "other"}.get(launch, "third")


def _measured(group: Group) -> bool:
    return any(arm.summary.stages for arm in group.arms)


def _panel(group: Group, where: str, fits: Callable[[str], bool]) -> Panel:
    curves = ((arm, tuple(_points(arm, fits))) for arm in group.arms)
    return Panel(title=group.app, where=where, curves=tuple((a, points) for a, points in curves if points))


def _points(arm: Arm, fits: Callable[[str], bool]) -> Iterable[Point]:
    done = [r for r in arm.records if r.outcome == "completed" and r.load]
    stages: tuple[Stage, ...] = done[0].load.stages if done and done[0].load else ()
    for stage in stages:
        own = [h for r in done for h in r.latencies if h.stage == stage.name and fits(h.endpoint)]
        count = sum(h.count for h in own)
        if count:
            merged = histogram.merged(h.histogram for h in own)
            yield Point(
                stage=stage.name,
                rate=(stage.from_rate + stage.to_rate) / 2,
                held=stage.from_rate == stage.to_rate,
                count=count,
                percentiles={
                    name: histogram.percentile_ms(merged, p)
                    for name, p in PERCENTILES.items()
                    if count * (100 - p) >= 100  # noqa: PLR2004 - at least one request beyond it
                },
            )


def _rate_ticks(x: Scale, rates: list[float]) -> list[float]:
    """The stages' own rates, or round ones where those are too close together."""
    own = sorted(set(rates))
    close = any(x.at(b) - x.at(a) < APART for a, b in pairwise(own))
    return linear_ticks(own[0], own[-1]) if close else own


def _axes(on: Scales) -> Markup:
    parts = [tag("text", "latency, ms", class_="unit", x=0, y=11)]
    few = len(on.y_ticks) * LABEL < BOTTOM - TOP
    for tick in on.y_ticks:
        y = on.y.at(tick)
        parts.append(tag("line", class_="grid", x1=LEFT, x2=RIGHT, y1=y, y2=y))
        if few or f"{tick:e}".startswith("1."):
            parts.append(tag("text", f"{tick:g}", class_="tick end", x=LEFT - 6, y=y + 3.5))
    for tick in on.x_ticks:
        x = on.x.at(tick)
        parts.append(tag("line", class_="axis", x1=x, x2=x, y1=BOTTOM, y2=BOTTOM + 4))
        parts.append(tag("text", f"{tick:g}", class_="tick middle", x=x, y=BOTTOM + 16))
    parts.append(tag("line", class_="axis", x1=LEFT, x2=RIGHT, y1=BOTTOM, y2=BOTTOM))
    middle = (LEFT + RIGHT) / 2
    parts.append(tag("text", "offered rate, 1/s", class_="unit middle", x=middle, y=HEIGHT - 6))
    return tag("g", *parts)


def _slo(on: Scales, slo_ms: float) -> Markup:
    if not on.y.low < slo_ms < on.y.high:
        return Markup("")
    y = on.y.at(slo_ms)
    return tag("line", class_="slo", x1=LEFT, x2=RIGHT, y1=y, y2=y)


def _curve(arm: Arm, points: tuple[Point, ...], on: Scales) -> Markup:
    parts = []
    for name in PERCENTILES:
        known = [(p, on.x.at(p.rate), on.y.at(p.percentiles[name])) for p in points if name in p.percentiles]
        parts.append(tag("path", class_=f"line {name}", d=polyline([(x, y) for _, x, y in known])))
        parts += [_marker(p, name, x, y) for p, x, y in known]
    return tag("g", *parts, class_=launch_class(arm.launch))


def _marker(point: Point, name: str, x: float, y: float) -> Markup:
    return tag(
        "circle",
        tag("title", f"{name} {point.percentiles[name]:,.2f} ms in {point.stage}"),
        class_="held" if point.held else "climbing",
        cx=x,
        cy=y,
        r=2.5,
    )


def _labels(panel: Panel, on: Scales) -> Markup:
    """p50, p95 and p99 beside the ends of their curves."""
    ends = [
        (launch_class(arm.launch), name, on.y.at(known[-1]))
        for arm, points in panel.curves
        for name in PERCENTILES
        if (known := [p.percentiles[name] for p in points if name in p.percentiles])
    ]
    placed = spread([y for _, _, y in ends], LABEL, TOP, BOTTOM)
    return tag(
        "g",
        *(
            tag("text", name, class_=f"label {launch}", x=RIGHT + 6, y=y + 3.5)
            for (launch, name, _), y in zip(ends, placed, strict=True)
        ),
    )

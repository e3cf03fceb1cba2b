"""The crossover map as a picture: wait × rate, both logarithmic, and the line where the pool is used up."""

from __future__ import annotations

from collections.abc import Iterator

from markupsafe import Markup

from telar.analyse.crossover import Crossing, Reach
from telar.publish.crossover import Map, rate, summary, wait
from telar.publish.svg import Scale, figure, log_ticks, tag

WIDTH, HEIGHT = 720, 470
LEFT, RIGHT, TOP, BOTTOM = 74, 700, 84, 410
NONE = 62  # pixels of the column of no wait at all, which has no place on a logarithmic scale
BESIDE = {"platform": -8, "virtual": 8}  # pixels from the wait's own place
ROOM = 1.6  # times, beyond the lowest and the highest
STYLE = """
svg{font:13px system-ui,sans-serif;background:#fff}text{fill:#222}
.quiet{fill:#666;font-size:12px}.title{font-weight:600;font-size:15px}
.grid{stroke:#e2e2e2}.line{stroke:#444;stroke-width:2;stroke-dasharray:7 5}
.interval{stroke-width:2.5}.open{stroke-dasharray:2 4}
.platform{stroke:#b3541e;fill:#b3541e}.virtual{stroke:#1a6fb5;fill:#1a6fb5}
.hollow{fill:#fff;stroke-width:2}
@media (prefers-color-scheme:dark){svg{background:#16181b}text{fill:#e6e6e6}.quiet{fill:#a5a5a5}
.grid{stroke:#2b2e32}.line{stroke:#bbb}.platform{stroke:#f0a070;fill:#f0a070}
.virtual{stroke:#7db8ee;fill:#7db8ee}.hollow{fill:#16181b}}
"""


class _Axes:
    def __init__(self, found: Map) -> None:
        waits = [own.wait_ms for own in found.crossings]
        rates = [s.rate for own in found.crossings for r in (own.platform, own.virtual) if r for s in r.steps]
        lines = [own.predicted for own in found.crossings if own.predicted]
        self.some = [w for w in waits if w] or [1]
        low, high = min(rates or lines or [1.0]) / ROOM, max(rates or lines or [1.0]) * ROOM
        self.rates = [t for t in log_ticks(low, high) if low <= t <= high]
        self.y = Scale(low=low, high=high, start=BOTTOM, end=TOP, log=True)
        start = LEFT + NONE * (0 in waits)
        self.x = Scale(
            low=min(self.some) / ROOM, high=max(self.some) * ROOM, start=start, end=RIGHT, log=True
        )

    def at(self, wait_ms: int) -> float:
        return self.x.at(wait_ms) if wait_ms else LEFT + NONE / 2


def draw(found: Map) -> Markup:
    """An SVG file's content, readable on light and on dark."""
    axes = _Axes(found)
    return figure(
        f"When virtual threads pay. {summary(found)}",
        WIDTH,
        HEIGHT,
        tag("style", Markup(STYLE)),  # noqa: S704 - our own
        tag("text", "When do virtual threads pay?", class_="title", x=14, y=22),
        tag(
            "text",
            f"Rate that was held, by each request's wait: {found.pool} platform threads beside virtual ones",
            class_="quiet",
            x=14,
            y=42,
        ),
        *_legend(),
        *_grid(found, axes),
        *_line(found, axes),
        *(part for own in found.crossings for part in _marks(own, axes)),
        xmlns="http://www.w3.org/2000/svg",
    )


def _grid(found: Map, axes: _Axes) -> Iterator[Markup]:
    for tick in axes.rates:
        y = axes.y.at(tick)
        yield tag("line", class_="grid", x1=LEFT, x2=RIGHT, y1=y, y2=y)
        yield tag("text", f"{rate(tick)}/s", class_="quiet", x=LEFT - 8, y=y + 4, text_anchor="end")
    for own in found.crossings:
        x = axes.at(own.wait_ms)
        yield tag("text", wait(own.wait_ms), class_="quiet", x=x, y=BOTTOM + 20, text_anchor="middle")
    middle = {"x": (LEFT + RIGHT) / 2, "text_anchor": "middle"}
    yield tag("text", "how long a request waits", class_="quiet", y=BOTTOM + 42, **middle)


def _line(found: Map, axes: _Axes) -> Iterator[Markup]:
    """rate × wait = pool, as far as it is inside."""
    first = max(axes.x.low, found.pool * 1000 / axes.y.high)
    last = min(axes.x.high, found.pool * 1000 / axes.y.low)
    if first >= last:
        return
    ends = [(axes.x.at(ms), axes.y.at(found.pool * 1000 / ms)) for ms in (first, last)]
    (x1, y1), (x2, y2) = ends
    yield tag("line", class_="line", x1=x1, y1=y1, x2=x2, y2=y2)
    yield tag(
        "text", f"rate × wait = {found.pool}", class_="quiet", x=min(x1 + 26, RIGHT - 110), y=max(y1, TOP) + 8
    )  # fmt: skip


def _marks(own: Crossing, axes: _Axes) -> Iterator[Markup]:
    for model, reach in (("platform", own.platform), ("virtual", own.virtual)):
        if reach:
            yield from _reach(model, reach, axes.at(own.wait_ms) + BESIDE[model], axes)


def _reach(model: str, reach: Reach, x: float, axes: _Axes) -> Iterator[Markup]:
    low = axes.y.at(reach.held) if reach.held is not None else float(BOTTOM)
    if reach.not_held is not None:
        high = axes.y.at(reach.not_held)
        yield tag("line", class_=f"interval {model}", x1=x, x2=x, y1=low, y2=high)
        yield _not_held(model, reach, x, high)
    elif reach.end == "rounds differ":
        high = axes.y.at(max(s.rate for s in reach.steps))
        yield tag("line", class_=f"interval open {model}", x1=x, x2=x, y1=low, y2=high)
    else:
        yield tag("path", class_=model, d=f"M{x - 5:.1f} {low - 9:.1f}h10l-5 -8z")
    if reach.held is not None:
        yield tag("circle", class_=model, cx=x, cy=low, r=4.5)


def _not_held(model: str, reach: Reach, x: float, y: float) -> Markup:
    if reach.end == "machine":
        return tag("rect", class_=f"hollow {model}", x=x - 4, y=y - 4, width=8, height=8)
    return tag("circle", class_=f"hollow {model}", cx=x, cy=y, r=4.5)


def _legend() -> Iterator[Markup]:
    y, text = 60, {"class_": "quiet", "y": 64}
    for x, model in ((20, "platform"), (100, "virtual")):
        yield tag("circle", class_=model, cx=x, cy=y, r=4.5)
        yield tag("text", model, x=x + 10, **text)
    yield tag("text", "held", x=166, **text)
    yield tag("circle", class_="hollow platform", cx=216, cy=y, r=4.5)
    yield tag("text", "not held", x=226, **text)
    yield tag("rect", class_="hollow platform", x=292, y=y - 4, width=8, height=8)
    yield tag("text", "not held: the machine", x=306, **text)
    yield tag("path", class_="platform", d=f"M468 {y + 4}h10l-5 -8z")
    yield tag("text", "held all that was offered", x=484, **text)

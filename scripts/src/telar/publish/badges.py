"""Pictures with an address that stays, for a README: a badge of what is open, in all and of each app, and a
chart of the last points of each variant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from markupsafe import Markup

from telar.publish.feed import app_of
from telar.publish.standing import MetricWords, Now, Standing
from telar.publish.svg import Scale, tag

METRIC = "p99"  # that a chart is of
CHARACTER, PAD, HEIGHT = 6.6, 7, 20  # pixels, at 11 px
WIDE, TALL, EDGE = 360, 120, 12
GOOD, BAD, NEUTRAL = "#0b5c8a", "#7a0c1c", "#59616b"  # as on the pages
FONT = "system-ui, sans-serif"


def pictures(now: Now) -> dict[str, bytes]:
    """Path below data/ -> SVG."""
    apps = sorted({app_of(now, s) for s in now.cells})
    opened = [(app_of(now, s.series), s) for s in now.standing if _open(s)]
    found = {"badges/all.svg": _status("regressions", len(opened), bool(now.standing))}
    for app in apps:
        found[f"badges/{slug(app)}.svg"] = _status(app, sum(own == app for own, _ in opened), True)
    for variant, standing in _newest(now).items():
        found[f"charts/{slug(variant)}-{METRIC}.svg"] = chart(variant, standing, now.metrics[METRIC])
    return {
        path: b'<?xml version="1.0" encoding="utf-8"?>\n' + str(svg).encode() for path, svg in found.items()
    }


def slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name).strip("-.")[:120] or "unnamed"


def badge(label: str, said: str, colour: str) -> Markup:
    left, right = (len(text) * CHARACTER + 2 * PAD for text in (label, said))
    words = {"y": 14, "fill": "#ffffff", "font_family": FONT, "font_size": 11, "text_anchor": "middle"}
    return _drawing(
        f"{label}: {said}",
        left + right,
        HEIGHT,
        tag("rect", x=0, y=0, width=left, height=HEIGHT, fill="#31373d"),
        tag("rect", x=left, y=0, width=right, height=HEIGHT, fill=colour),
        tag("text", label, x=left / 2, textLength=left - 2 * PAD, **words),
        tag("text", said, x=left + right / 2, textLength=right - 2 * PAD, **words),
    )


def chart(variant: str, standing: Standing, words: MetricWords) -> Markup:
    """The last valid values, oldest first, and the accepted level."""
    values = standing.values
    every = [*values, *([standing.reference] if standing.reference is not None else [])]
    across = Scale(low=0, high=max(len(values) - 1, 1), start=EDGE, end=WIDE - EDGE)
    up = Scale(low=min(every), high=max(every), start=TALL - EDGE, end=34)
    points = [(across.at(n), up.at(v)) for n, v in enumerate(values)]
    last = f"{values[-1]:,.{words.digits}f} {words.unit}"
    title = f"{variant}: {words.label} {last}, {len(values)} points"
    level = None if standing.reference is None else up.at(standing.reference)
    return _drawing(
        title,
        WIDE,
        TALL,
        tag("rect", x=0, y=0, width=WIDE, height=TALL, rx=6, fill="#ffffff", stroke="#e4e1da"),
        tag("text", title, x=EDGE, y=20, fill="#1d2126", font_family=FONT, font_size=12),
        *(
            [tag("line", x1=EDGE, x2=WIDE - EDGE, y1=level, y2=level, stroke=NEUTRAL, stroke_dasharray="2 3")]
            if level is not None
            else []
        ),
        tag(
            "polyline",
            points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points),
            fill="none",
            stroke=GOOD,
            stroke_width=1.5,
        ),
        tag("circle", cx=points[-1][0], cy=points[-1][1], r=3, fill=BAD if _open(standing) else GOOD),
    )


def _drawing(label: str, width: float, height: float, *children: Markup) -> Markup:
    """A file of its own: with its namespace, and its size."""
    return tag(
        "svg",
        *children,
        xmlns="http://www.w3.org/2000/svg",
        width=round(width),
        height=height,
        viewBox=f"0 0 {round(width)} {height}",
        role="img",
        aria_label=label,
    )


def _status(label: str, opened: int, measured: bool) -> Markup:
    if not measured:
        return badge(label, "nothing measured", NEUTRAL)
    return badge(label, f"{opened} series worse" if opened else "none worse", BAD if opened else GOOD)


def _open(standing: Standing) -> bool:
    return any(f.kind != "improvement" and f.state == "open" for f in standing.findings)


def _newest(now: Now) -> Mapping[str, Standing]:
    """Of each variant, the series of the metric that was measured last."""
    found: dict[str, Standing] = {}
    for standing in now.standing:
        cell = now.cells.get(standing.series)
        if cell is None or standing.metric != METRIC or not standing.values or METRIC not in now.metrics:
            continue
        if cell.label not in found or found[cell.label].time < standing.time:
            found[cell.label] = standing
    return found

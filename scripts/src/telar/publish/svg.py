"""The few pieces of SVG that the charts are made of. Whatever comes in as text is escaped."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape


def tag(name: str, *children: str, **attributes: object) -> Markup:
    """An element; `class_` is `class`, other underscores are hyphens, None leaves an attribute out.

    Children are text, and escaped, unless they are Markup.
    """
    pairs = ((k.rstrip("_").replace("_", "-"), _text(v)) for k, v in attributes.items() if v is not None)
    opening = "".join(f' {k}="{escape(v)}"' for k, v in pairs)
    content = Markup("").join(children)
    return Markup(f"<{name}{opening}>{content}</{name}>")  # noqa: S704 - every part of it is escaped


def figure(label: str, width: float, height: float, *children: str, **attributes: object) -> Markup:
    """A whole drawing, named for those who don't see it."""
    box = f"0 0 {_text(width)} {_text(height)}"
    return tag("svg", *children, role="img", aria_label=label, viewBox=box, **attributes)


@dataclass(frozen=True, kw_only=True)
class Scale:
    """From values to pixels; the pixels may run downwards."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        low, high, here = (self._of(v) for v in (self.low, self.high, value))
        share = (here - low) / (high - low) if high > low else 0.5
        return self.start + (self.end - self.start) * min(max(share, 0.0), 1.0)

    def _of(self, value: float) -> float:
        return math.log10(max(value, self.low)) if self.log else value


def log_ticks(low: float, high: float) -> list[float]:
    """1, 2 and 5 of each decade: the ones within the bounds, and one on each side."""
    decades = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    all_ = [float(f"{step}e{decade}") for decade in decades for step in (1, 2, 5)]
    first = max(n for n, tick in enumerate(all_) if tick <= low)
    last = min(n for n, tick in enumerate(all_) if tick >= high)
    return all_[first : last + 1]


def linear_ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round values within the bounds."""
    if high <= low:
        return [low]
    raw = (high - low) / about
    decade = 10.0 ** math.floor(math.log10(raw))
    step = next(s * decade for s in (1, 2, 5, 10) if s * decade >= raw)
    return [n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1)]


def spread(positions: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """The positions, moved apart until labels of that height don't overlap, kept within the bounds."""
    order = sorted(range(len(positions)), key=lambda n: positions[n])
    placed = list(positions)
    floor = low
    for n in order:
        placed[n] = floor = max(placed[n], floor)
        floor += gap
    ceiling = high
    for n in reversed(order):
        placed[n] = ceiling = min(placed[n], ceiling)
        ceiling -= gap
    return placed


def polyline(points: Sequence[tuple[float, float] | None]) -> str:
    """The path through points in whole pixels, broken where there is none; a lone point is a dot."""
    path: list[str] = []
    here: tuple[int, int] | None = None
    for n, point in enumerate(points):
        if point is None:
            here = None
            continue
        x, y = round(point[0]), round(point[1])
        alone = here is None and (n + 1 == len(points) or points[n + 1] is None)
        path.append(f"M{x} {y}" if here is None else f"l{x - here[0]} {y - here[1]}")
        path.append("h0" if alone else "")
        here = (x, y)
    return "".join(path)


def _text(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)

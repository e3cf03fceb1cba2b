"""The few pieces of SVG that the charts are made of. Whatever comes in as text is escaped."""

from __future__ import annotations

import math
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


def _text(value: object) -> str:
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)

"""Draws the readme's chart: what comparisons of five minutes said, a line for each session.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/chart.py \\
        docs/pictures/verdicts.svg

All sessions of five minutes and this variant in benchmarks-data/reference/verdicts/ that asked about it are
drawn: none is left out. Each shows the metric that its change is about.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from markupsafe import Markup

from telar.publish.svg import Scale, figure, tag
from telar.store.files import write_atomically

ROOT = Path(__file__).resolve().parents[2]
VERDICTS = ROOT / "benchmarks-data" / "reference" / "verdicts"
VARIANT = "spring-mysql-blocking-virtual"
CPU = "work-cpu-by-database"
SHOWN = {  # what was compared -> in words, and what is drawn of it
    "aa": ("the same build twice", CPU),
    "comment-only": ("a comment", CPU),
    "json-twice": ("JSON written twice", CPU),
    "cpu-of-a-tenth": ("about a tenth more CPU", CPU),
    "worse-index": ("a better index: rows read", "rows-read"),
    "3-ms-in-post": ("3 ms more in POST: its latency", "latency-relative@create"),
    "delete-times-5": ("DELETE five times: its latency", "latency-relative@delete"),
}
TITLE = "What comparisons of five minutes say"
SUBTITLE = "Head against base: app CPU, or what the line says"
LEFT, RIGHT, ROW, TOP, BOTTOM = 250, 690, 17, 58, 30
TICKS = (0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 4.0)
STYLE = """
svg{font:13px system-ui,sans-serif;background:#fff}text{fill:#222}
.quiet{fill:#666;font-size:12px}.title{font-weight:600;font-size:15px}
line{stroke:#ccc}.mark{stroke:#666}.interval{stroke-width:2}
.worse{stroke:#b3261e;fill:#b3261e}.same{stroke:#1a6fb5;fill:#1a6fb5}.better{stroke:#0b7a3b;fill:#0b7a3b}.undecided{stroke:#777;fill:#fff}
@media (prefers-color-scheme:dark){svg{background:#16181b}text{fill:#e6e6e6}.quiet{fill:#a5a5a5}
line{stroke:#3a3d41}.mark{stroke:#a5a5a5}.worse{stroke:#ff8a80;fill:#ff8a80}
.same{stroke:#7db8ee;fill:#7db8ee}.better{stroke:#6fd39a;fill:#6fd39a}.undecided{stroke:#aaa;fill:#16181b}}
"""


def rows() -> list[tuple[str, dict[str, Any]]]:
    """What was compared, and what was said of its metric; by what was compared, then in the files' order."""
    found = []
    for path in sorted(VERDICTS.glob(f"*-{VARIANT}*-5m.json")):
        name = path.name.partition(f"-{VARIANT}")[0]
        _, metric = SHOWN[name]
        for compared in json.loads(path.read_bytes())["compared"]:
            every = (*compared["verdicts"], *compared["beside"])
            found += [(name, v) for v in every if v["metric"] == metric]
    order = list(SHOWN)
    return sorted(found, key=lambda row: order.index(row[0]))


def draw(own: list[tuple[str, dict[str, Any]]]) -> Markup:
    height = TOP + ROW * len(own) + BOTTOM
    x = Scale(low=TICKS[0], high=TICKS[-1] + 0.05, start=LEFT, end=RIGHT, log=True)
    parts = [
        tag("style", Markup(STYLE)),  # noqa: S704 - our own
        tag("text", TITLE, class_="title", x=14, y=22),
        tag("text", SUBTITLE, class_="quiet", x=14, y=42),
        *_legend(),
    ]
    for tick in TICKS:
        at = x.at(tick)
        parts.append(
            tag("line", class_="mark" if tick == 1 else None, x1=at, x2=at, y1=TOP - 4, y2=height - BOTTOM)
        )
        label = f"{tick - 1:+.0%}" if tick != 1 else "no change"
        parts.append(tag("text", label, class_="quiet", x=at, y=height - 10, text_anchor="middle"))
    before = ""
    for n, (name, verdict) in enumerate(own):
        y = float(TOP + ROW * n + ROW / 2)
        if name != before:
            parts.append(tag("text", SHOWN[name][0], x=LEFT - 14, y=y + 4, text_anchor="end"))
        before = name
        parts += _row(verdict, x, y)
    return figure(
        f"{TITLE}: " + "; ".join(f"{SHOWN[n][0]} {v['word']} {v['effect']:+.1%}" for n, v in own),
        720,
        height,
        *parts,
        xmlns="http://www.w3.org/2000/svg",
    )


def _row(verdict: dict[str, Any], x: Scale, y: float) -> list[Markup]:
    word = verdict["word"]
    low, high = (x.at(1 + verdict[end]) for end in ("low", "high"))
    return [
        tag("line", class_=f"interval {word}", x1=low, x2=high, y1=y, y2=y),
        tag("circle", class_=word, cx=x.at(1 + verdict["effect"]), cy=y, r=4),
    ]


def _legend() -> list[Markup]:
    parts: list[Markup] = []
    for n, word in enumerate(("worse", "better", "same", "undecided")):
        at = 404 + 76 * n
        parts += [
            tag("circle", class_=word, cx=at, cy=38, r=4),
            tag("text", word, class_="quiet", x=at + 9, y=42),
        ]
    return parts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=re.sub(r"\s+", " ", (__doc__ or "").partition("\n")[0]))
    parser.add_argument("to", type=Path)
    write_atomically(parser.parse_args().to, str(draw(rows())).encode())

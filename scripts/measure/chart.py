"""Draws the readme's chart: what comparisons of five minutes said of one metric, a line for each session.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/chart.py \\
        docs/pictures/verdicts.svg

All sessions of benchmarks-data/reference/verdicts/ that lasted five minutes, were of this variant and judged
this metric are drawn: none is left out.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from markupsafe import Markup

from telar.catalog.load import load
from telar.publish.svg import Scale, figure, tag
from telar.store.files import write_atomically

ROOT = Path(__file__).resolve().parents[2]
VERDICTS = ROOT / "benchmarks-data" / "reference" / "verdicts"
METRIC, VARIANT = "service-cpu-by-database", "spring-mysql-blocking-virtual"
WORDS = {
    "aa": "the same build twice",
    "cpu-of-a-tenth": "about 10 % more CPU",
    "leak": "a leak of 256 bytes a movie",
    "square-roots": "square roots in each request",
    "json-twice": "JSON written twice",
    "pool-of-2": "a pool of 2 connections",
    "5-ms-in-find": "5 ms of sleep in one endpoint",
    "c1-only": "without the C2 compiler",
    "gc-g1-to-z": "G1 → ZGC",
    "jdk-21-to-25": "JDK 21 → 25",
}
SUBTITLE = "Head against base in five minutes: estimate and confidence interval"
LEFT, RIGHT, ROW, TOP, BOTTOM = 250, 690, 17, 58, 30
TICKS = (0.9, 1.0, 1.1, 1.2, 1.4, 1.6, 1.8)
STYLE = """
svg{font:13px system-ui,sans-serif;background:#fff}text{fill:#222}
.quiet{fill:#666;font-size:12px}.title{font-weight:600;font-size:15px}
line{stroke:#ccc}.mark{stroke:#666}.interval{stroke-width:2}
.worse{stroke:#b3261e;fill:#b3261e}.same{stroke:#1a6fb5;fill:#1a6fb5}.undecided{stroke:#777;fill:#fff}
@media (prefers-color-scheme:dark){svg{background:#16181b}text{fill:#e6e6e6}.quiet{fill:#a5a5a5}
line{stroke:#3a3d41}.mark{stroke:#a5a5a5}.worse{stroke:#ff8a80;fill:#ff8a80}
.same{stroke:#7db8ee;fill:#7db8ee}.undecided{stroke:#aaa;fill:#16181b}}
"""


def rows() -> list[tuple[str, dict[str, Any]]]:
    """What was compared, and the verdict on the metric; by what was compared, then in the files' order."""
    found = []
    for path in sorted(VERDICTS.glob(f"*-{VARIANT}*-5m.json")):
        name = path.name.partition(f"-{VARIANT}")[0]
        compared = json.loads(path.read_bytes())["compared"]
        found += [(name, v) for c in compared for v in c["verdicts"] if v["metric"] == METRIC]
    order = list(WORDS)
    return sorted(found, key=lambda row: order.index(row[0]))


def draw(own: list[tuple[str, dict[str, Any]]]) -> Markup:
    title = load(ROOT).file.metric[METRIC].title
    height = TOP + ROW * len(own) + BOTTOM
    x = Scale(low=TICKS[0], high=TICKS[-1] + 0.05, start=LEFT, end=RIGHT, log=True)
    parts = [
        tag("style", Markup(STYLE)),  # noqa: S704 - our own
        tag("text", title[:1].upper() + title[1:], class_="title", x=14, y=22),
        tag(
            "text",
            SUBTITLE,
            class_="quiet",
            x=14,
            y=42,
        ),
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
            parts.append(tag("text", WORDS[name], x=LEFT - 14, y=y + 4, text_anchor="end"))
        before = name
        parts += _row(verdict, x, y)
    return figure(
        f"{title}: " + "; ".join(f"{WORDS[n]} {v['word']} {v['effect']:+.1%}" for n, v in own),
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
    for n, word in enumerate(("worse", "same", "undecided")):
        at = 480 + 76 * n
        parts += [
            tag("circle", class_=word, cx=at, cy=38, r=4),
            tag("text", word, class_="quiet", x=at + 9, y=42),
        ]
    return parts


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=re.sub(r"\s+", " ", (__doc__ or "").partition("\n")[0]))
    parser.add_argument("to", type=Path)
    write_atomically(parser.parse_args().to, str(draw(rows())).encode())

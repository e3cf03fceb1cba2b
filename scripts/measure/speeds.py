"""Which metrics follow the machine's speed: windows of one JVM, those in which it moved and those in which it
stayed.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/speeds.py SESSION...

Reads the records of sessions of pairs (telar ab, telar calibrate), also those that were superseded, in which
no gate but *speed* failed. Each value is taken relative to its JVM's mean. Prints a Markdown table: standard
deviations of the logarithms, and the slope of the metric's on that of the fixed work's seconds (1: where that
takes a tenth longer, so does this), with its standard error.
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from pathlib import Path
from statistics import fmean

from telar.store.files import Session
from telar.store.record import Record, Ruler

METRICS = (
    "service-cpu-by-database", "p50-by-database", "p95-by-database", "allocated", "context-switches", "rss",
    "service-cpu-relative", "service-cpu", "p50", "p99",
)  # fmt: skip
LEAST = 3  # windows of a JVM


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sessions", type=Path, nargs="+")
    said = parser.parse_args()
    jvms: dict[object, list[tuple[Record, Ruler]]] = defaultdict(list)
    for folder in said.sessions:
        session = Session(folder)
        for record in (*session.contents(), *session.superseded()):
            if isinstance(record, Record) and record.pair and record.ruler and record.outcome == "completed":
                failed = {g.name for g in record.gates if g.verdict == "fail"}
                if failed <= {"speed"}:
                    key = session.id, record.cell.variant, record.pair.fork, record.pair.side
                    jvms[key].append((record, record.ruler))
    print("| metric | windows, steady | spread | windows, speed moved | spread | slope on the fixed work |")
    print("|---|--:|--:|--:|--:|--:|")
    for metric in METRICS:
        steady: list[float] = []
        moved: list[float] = []
        points: list[tuple[float, float]] = []
        for own in jvms.values():
            known = [(r, ruler) for r, ruler in own if metric in r.metrics]
            if len(known) < LEAST:
                continue
            values = around([math.log(r.metrics[metric].value) for r, _ in known])
            works = around([math.log((ruler.before + ruler.after) / 2) for _, ruler in known])
            points += list(zip(works, values, strict=True))
            loss = math.sqrt(len(known) / (len(known) - 1))  # of a mean that is the values' own
            for (record, _), value in zip(known, values, strict=True):
                (steady if record.validity == "valid" else moved).append(value * loss)
        slope, error = line(points)
        print(f"| {metric} | {len(steady)} | {spread(steady):.1%} | {len(moved)} | {spread(moved):.1%} "
              f"| {slope:+.2f} ± {error:.2f} |")  # fmt: skip


def around(values: list[float]) -> list[float]:
    mean = fmean(values)
    return [v - mean for v in values]


def spread(values: list[float]) -> float:
    return math.sqrt(fmean(v * v for v in values)) if values else math.nan


def line(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Least squares through the origin: slope, and its standard error."""
    square = sum(x * x for x, _ in points)
    slope = sum(x * y for x, y in points) / square
    left = sum((y - slope * x) ** 2 for x, y in points)
    return slope, math.sqrt(left / (len(points) - 1) / square)


if __name__ == "__main__":
    main()

"""What the database's processor time takes off the noise: how far windows that follow each other differ.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/rulers.py VARIANT SESSION...

Reads the records of sessions of pairs of one build (telar calibrate), and those that were superseded. Windows
of one JVM that begin within half a minute of each other are compared; prints a Markdown table of the standard
deviations of the logarithm's differences, as those of one window (divided by √2).
"""

from __future__ import annotations

import argparse
import math
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from statistics import correlation

from telar.store.files import Session
from telar.store.record import Record

METRICS = ("service-cpu", "p50", "p95", "p99")
UNIT = "database-cpu"
NEAR = 30.0  # seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("variant")
    parser.add_argument("sessions", type=Path, nargs="+")
    said = parser.parse_args()
    jvms: dict[object, list[Record]] = defaultdict(list)
    for folder in said.sessions:
        session = Session(folder)
        for record in (*session.contents(), *session.superseded()):
            if not isinstance(record, Record) or record.outcome != "completed" or not record.pair:
                continue
            if record.cell.variant == said.variant:
                jvms[session.id, record.pair.fork, record.pair.side].append(record)
    near = [
        (a, b)
        for own in jvms.values()
        for a, b in pairwise(sorted(own, key=begin))
        if begin(b) - begin(a) < NEAR
    ]
    print(f"{len(near)} times two windows of one JVM, one after the other\n")
    print(f"| | as it is | in units of {UNIT} | correlation with it |\n|---|---:|---:|---:|")
    unit = [change(a, b, UNIT) for a, b in near]
    for metric in METRICS:
        own = [change(a, b, metric) for a, b in near]
        left = [m - u for m, u in zip(own, unit, strict=True)]
        print(f"| {metric} | {spread(own):.1%} | {spread(left):.1%} | {correlation(own, unit):.2f} |")


def begin(record: Record) -> float:
    return next(phase.start for phase in record.timeline if phase.name == "window")


def change(a: Record, b: Record, metric: str) -> float:
    return math.log(b.metrics[metric].value / a.metrics[metric].value)


def spread(values: list[float]) -> float:
    """Around no change, of one window."""
    return math.sqrt(sum(v * v for v in values) / len(values) / 2)


if __name__ == "__main__":
    main()

"""What the host's other guests do to latencies: windows of one variant by the time that was stolen in them.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/stolen.py VARIANT SESSION...

Reads the sessions' records and those that were superseded; prints a Markdown table.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path
from statistics import median

from telar.gates.evidence import growth
from telar.store.files import Session
from telar.store.record import Record

BOUNDS = (0.0, 0.5, 1.0, 2.0, 4.0, 8.0, float("inf"))  # seconds in 30


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("variant")
    parser.add_argument("sessions", type=Path, nargs="+")
    said = parser.parse_args()
    windows: list[tuple[float, Record]] = []
    for folder in said.sessions:
        session = Session(folder)
        for record in (*session.contents(), *session.superseded()):
            if isinstance(record, Record) and record.cell.variant == said.variant and record.load:
                stolen = growth(record, "host.steal_seconds")
                if stolen is not None:
                    windows.append((stolen * 30 / record.load.seconds, record))
    print("| stolen in 30 s | windows | p50 | p99, median | p99, highest | app CPU, compilers left out |")
    print("|---|---:|---:|---:|---:|---:|")
    for low, high in pairwise(BOUNDS):
        own = [record.metrics for stolen, record in windows if low <= stolen < high]
        if own:
            p50, p99 = ([m[name].value for m in own] for name in ("p50", "p99"))
            cpu = median(m["app-cpu"].value - m["compiler-cpu"].value for m in own)
            print(
                f"| {low:g} to {high:g} s | {len(own)} | {median(p50):.2f} ms | {median(p99):.1f} ms "
                f"| {max(p99):.1f} ms | {cpu:.2f} ms |"
            )


if __name__ == "__main__":
    main()

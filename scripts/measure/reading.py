"""A session's cells as a table of means with 95 % intervals, for a document of docs/readings.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/reading.py SESSION METRIC…
    [--also-limited] [--jdk] [--drivers] [--flags] [--workload] [--only PATTERN] [--against TEXT]

SESSION is a folder. Only valid records count; with --also-limited those, too, whose limit was the app, the
machine or the generator. The mean is the geometric one where no value is zero, with Student's interval of
the logarithms. With --against TEXT the first metric is also divided by that of the same variant's cell that
has TEXT in its key, with the spread of all cells taken together; --against=-platform divides by the same
service's variant on platform threads, of the same workload where the table has several. The last column
links the records, relative to docs/readings.
"""

from __future__ import annotations

import argparse
import math
import os
from collections import defaultdict
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import fmean, stdev

from scipy.special import stdtrit

from telar.catalog.load import load
from telar.gates import judged_again
from telar.store.files import Session
from telar.store.record import Record

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ROOT / "docs" / "readings"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("session", type=Path)
    parser.add_argument("metrics", nargs="+")
    parser.add_argument("--also-limited", action="store_true")
    parser.add_argument("--jdk", action="store_true", help="a column for the JDK")
    parser.add_argument("--drivers", action="store_true", help="and for the drivers")
    parser.add_argument("--flags", action="store_true", help="and for the JVM's flags")
    parser.add_argument("--workload", action="store_true", help="and for the workload")
    parser.add_argument("--only", metavar="PATTERN", default="*", help="records of these workloads")
    parser.add_argument("--against", metavar="TEXT", help="ratios of the first metric to the cells with it")
    said = parser.parse_args()
    catalog = load(ROOT)
    session = Session(said.session.resolve())
    kept = ("valid", "limited") if said.also_limited else ("valid",)
    cells: dict[tuple[str, ...], list[Record]] = defaultdict(list)
    left = 0
    for record in judged_again(session.records(), catalog):
        if not fnmatchcase(record.cell.workload, said.only):
            continue
        if record.validity not in kept:
            left += 1
            continue
        key = [record.cell.variant]
        key += [record.cell.workload] * said.workload
        key += [record.cell.jdk] * said.jdk
        key += [", ".join(f"{n} {v}" for n, v in sorted(record.cell.drivers.items()))] * said.drivers
        key += [" ".join(f"`{flag}`" for flag in record.cell.flags)] * said.flags
        cells[tuple(key)].append(record)
    columns = {"workload": said.workload, "JDK": said.jdk, "driver": said.drivers, "flags": said.flags}
    names = ["variant", *(name for name, wanted in columns.items() if wanted)]
    units = [f"{catalog.file.metric[m].title}, {catalog.file.metric[m].unit}" for m in said.metrics]
    print("| " + " | ".join([*names, *units, "records"]) + " |")
    print("|" + "---|" * len(names) + "--:|" * len(units) + "---|")
    for names_of, own in sorted(cells.items()):
        values = [_said([r.metrics[m].value for r in own if m in r.metrics]) for m in said.metrics]
        print("| " + " | ".join([*names_of, *values, _links(session, own)]) + " |")
    if said.against:
        _print_ratios(
            {k: [r.metrics[said.metrics[0]].value for r in own] for k, own in cells.items()}, said.against
        )
    print(f"\nLeft out: {left} of {left + sum(map(len, cells.values()))} runs.")


def _print_ratios(cells: dict[tuple[str, ...], list[float]], against: str) -> None:
    logs = {key: [math.log(v) for v in values] for key, values in cells.items()}
    freedom = sum(len(values) - 1 for values in logs.values())
    spread = math.sqrt(sum((v - fmean(own)) ** 2 for own in logs.values() for v in own) / freedom)
    t = float(stdtrit(freedom, 0.975))
    print(f"\nThe spread of all cells: {spread:.0%}\n")
    for key, own in sorted(logs.items()):
        base = _base(logs, key, against)
        if own is base:
            continue
        half = t * spread * math.sqrt(1 / len(own) + 1 / len(base))
        middle = fmean(own) - fmean(base)
        low, ratio, high = (f"{math.exp(v):.2f}" for v in (middle - half, middle, middle + half))
        print(f"{' · '.join(key)}: × {ratio} ({low} … {high})")


def _base(cells: dict[tuple[str, ...], list[float]], key: tuple[str, ...], against: str) -> list[float]:
    asked = {k: v for k, v in cells.items() if any(against in part for part in k)}
    same = [v for k, v in asked.items() if k[0] == key[0]]
    service = [k for k in asked if k[0].rpartition("-")[0] == key[0].rpartition("-")[0]]
    alike = [asked[k] for k in service if k[1:] == key[1:]]
    found = alike or same or [asked[k] for k in service]
    if not found:
        raise SystemExit(f"reading.py: --against={against}: no cell to divide {' · '.join(key)} by")
    return found[0]


def _said(values: Sequence[float]) -> str:
    if not values:
        return "–"
    if len(values) == 1:
        return _number(values[0])
    whole = min(values) <= 0
    own = list(values) if whole else [math.log(v) for v in values]
    half = float(stdtrit(len(own) - 1, 0.975)) * stdev(own) / math.sqrt(len(own))
    mean = fmean(own)
    if whole:
        return f"{_number(mean)} ({_number(mean - half)} … {_number(mean + half)})"
    low, middle, high = (_number(math.exp(v)) for v in (mean - half, mean, mean + half))
    return f"{middle} ({low} … {high})"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"  # noqa: PLR2004 - four digits


def _links(session: Session, own: Sequence[Record]) -> str:
    names = {run.position: run.name for run in session.plan.runs}
    paths = [session.record_path(names[r.position]) for r in own]
    relative = [Path(os.path.relpath(path, DOCUMENTS)) for path in paths]
    return " ".join(f"[{n}]({path.as_posix()})" for n, path in enumerate(relative, start=1))


if __name__ == "__main__":
    main()

"""A made-up history of many years, published: to measure and test the pages and `telar publish` with.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/history.py OUT [--years 10]
    [--series 40] [--metrics 12] [--one-more] [--data-js FILE]

Every name in it begins with "made-up": no number of it was measured. Each series has its own noise, some
shifts, and now and then an invalid point; the environment changes every half year.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from itertools import islice, product
from pathlib import Path

import msgspec

from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.plan.cells import Cell
from telar.plan.parts import parts_of
from telar.publish import history
from telar.publish.standing import Now
from telar.store.points import Point
from telar.store.published import Published

ROOT = Path(__file__).resolve().parents[2]
END = 1_795_000_000  # 2026-11-18
DAY = 86_400


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--years", type=float, default=10)
    parser.add_argument("--series", type=int, default=40)
    parser.add_argument("--metrics", type=int, default=12)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--one-more", action="store_true", help="only one more commit, onto what is there")
    parser.add_argument("--data-js", type=Path, help="the same points for github-action-benchmark's own page")
    said = parser.parse_args()
    catalog = load(ROOT)
    cells = dict(islice(_cells(catalog), said.series))
    metrics = _metrics(catalog, said.metrics)
    last = int(said.years * 365)
    days = range(last, last + 1) if said.one_more else range(last)
    dice = random.Random(said.seed)  # noqa: S311 - nothing secret
    points = [p for name in cells for m in metrics for p in _series(catalog, name, m, days, last, dice)]
    if said.data_js:
        said.data_js.write_bytes(_data_js(points))
    started, used = time.monotonic(), time.process_time()
    store = Published(said.out)
    added = history.publish(catalog, store, [], points, [])
    seconds, used = time.monotonic() - started, time.process_time() - used
    now = store.now(Now)
    assert now
    if not now.cells:
        store.set_now(msgspec.structs.replace(now, cells=cells))
        store.write()
    print(
        f"{added.points:,} points, {added.bytes:,} bytes written, {seconds:.1f} s, {used:.2f} s of processor"
    )


def _data_js(points: list[Point]) -> bytes:
    """As that action keeps it: a suite for each direction, an entry a commit with all its numbers."""
    suites: dict[str, dict[str, dict[str, object]]] = {}
    for point in points:
        suite = f"{point.better} is better"
        entry = suites.setdefault(suite, {}).setdefault(
            point.commit,
            {
                "commit": {
                    "author": {"name": "made-up", "email": "made-up@localhost", "username": "made-up"},
                    "committer": {"name": "made-up", "email": "made-up@localhost", "username": "made-up"},
                    "id": point.commit,
                    "message": "made up",
                    "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(point.time)),
                    "url": f"https://example.invalid/commit/{point.commit}",
                },
                "date": int(point.time * 1000),
                "tool": "customSmallerIsBetter" if point.better == "smaller" else "customBiggerIsBetter",
                "benches": [],
            },
        )
        name = f"{point.series} {point.metric}"
        entry["benches"].append({"name": name, "value": point.value, "unit": point.unit})  # type: ignore[attr-defined]
    whole = {
        "lastUpdate": END * 1000,
        "repoUrl": "https://example.invalid",
        "entries": {suite: list(entries.values()) for suite, entries in suites.items()},
    }
    return b"window.BENCHMARK_DATA = " + msgspec.json.encode(whole)


def _cells(catalog: Catalog) -> Iterator[tuple[str, Cell]]:
    """The variants of the suite smoke on each JDK, then again with another workload."""
    system = catalog.file.defaults.system
    (part,) = parts_of(catalog, "smoke", (), None)
    workloads = [name for name, w in catalog.workloads.items() if w.file.system == system]
    for workload, jdk, variant in product(workloads, catalog.file.jdk, part.variants):
        drivers = {d: catalog.file.driver[d].default for d in variant.app.file.drivers}
        cell = Cell(
            variant=variant.name,
            workload=workload,
            jdk=jdk,
            drivers=drivers,
            engine="compose",
            runner="two-cpu",
            layout="co-located",
        )
        yield f"made-up {cell.name}+compose+two-cpu", cell


def _metrics(catalog: Catalog, count: int) -> list[str]:
    first = [m for m in ("p99", "p50", "throughput", "failures") if m in catalog.file.metric]
    return [*first, *(m for m in catalog.file.metric if m not in first)][:count]


def _series(
    catalog: Catalog, name: str, metric: str, days: range, last: int, dice: random.Random
) -> list[Point]:
    file = catalog.file.metric[metric]
    level, noise = dice.uniform(2, 60), dice.choice([0.005, 0.01, 0.03, 0.06])
    shifts = {day for day in days if dice.random() < 1 / 500}
    found = []
    for day in days:
        level *= dice.choice([0.9, 1.05, 1.1, 1.2]) if day in shifts else 1.0
        value = level * (1 + dice.gauss(0, noise))
        found.append(
            Point(
                series=name,
                metric=metric,
                unit=file.unit,
                better=file.better,
                time=float(END - (last - day) * DAY),
                commit=f"{day:040x}",
                value=value,
                low=value * (1 - noise),
                high=value * (1 + noise),
                runs=3,
                mean=value,
                spread=noise,
                validity="invalid" if dice.random() < 0.01 else "valid",  # noqa: PLR2004 - one in a hundred
                environment=f"made-up-{day // 180}",
                origin=f"made-up-{day}",
            )
        )
    return found


if __name__ == "__main__":
    main()

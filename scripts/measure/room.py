"""How much room ten years of history take, and whether publishing a day stays as quick as on the first.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/room.py OUT [--years 10]

Each day is a copy of the first round of benchmarks-data/reference/smoke, at another time, with metrics that
differ by some per cent: fourteen runs, as a push to main has, with the readings by the second of real ones.
The days of a year are added at once, but for the last two: these are published as `telar publish` does. The
last one is timed; the one before may put an old year's files together, which happens once a year.
Then the year is compacted, as compact.yml does each month (`--keep 24`).
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from telar.analyse.points import points_of
from telar.catalog.load import load
from telar.plan.cells import Plan
from telar.publish import history
from telar.publish.compaction import compact, first_kept
from telar.store import seal
from telar.store.files import Session
from telar.store.published import DATA, Published
from telar.store.published_files import Kept, Row
from telar.store.record import Record

ROOT = Path(__file__).resolve().parents[2]
BEGUN, DAY = 1_795_000_000.0, 86_400.0  # 2026-11-18
KEEP = 24  # months whole, as compact.yml
NOISE = 0.03


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--years", type=int, default=10)
    said = parser.parse_args()
    catalog = load(ROOT)
    base = Session(max((ROOT / "benchmarks-data" / "reference" / "smoke").iterdir()))
    runs = tuple(run for run in base.plan.runs if run.repetition == 1)
    plan = msgspec.structs.replace(base.plan, runs=runs)
    known = {record.position: record for record in base.records()}
    records = [known[run.position] for run in runs]
    print(f"{len(records)} runs a day, as {base.id}\n")
    print("| years | whole, MiB | records | points | the last day: written, KiB | seconds |")
    print("|--:|--:|--:|--:|--:|--:|")
    dice = random.Random(1)  # noqa: S311 - nothing secret
    for year in range(1, said.years + 1):
        store = Published(said.out)
        days = range((year - 1) * 365, year * 365 - 2)
        for day in days:
            own = list(_day(records, day, dice))
            store.add_session(_row(plan, own), _contents(plan, own))
            store.add_points(points_of(catalog, own))
            if day % 30 == 0:
                store.write()
        store.write()
        last = year * 365 - 1
        for day in (last - 1, last):
            with tempfile.TemporaryDirectory() as scratch:
                session = Session.create(Path(scratch) / _name(day), plan)
                for run, record in zip(plan.runs, _day(records, day, dice), strict=True):
                    session.add(run.name, record)
                started = time.monotonic()
                added = history.publish(catalog, Published(said.out), [session], [], [])
                seconds = time.monotonic() - started
        now = BEGUN + last * DAY
        compact(Published(said.out), first_kept(now, KEEP), now)
        sizes = [_size(said.out / DATA / part) for part in ("", "runs", "points")]
        print("| " + " | ".join((
            str(year), *(f"{n / 2**20:.0f}" for n in sizes), f"{added.bytes / 1024:.0f}", f"{seconds:.1f}"
        )) + " |", flush=True)  # fmt: skip


def _name(day: int) -> str:
    return f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime(BEGUN + day * DAY))}-made-up"


def _day(records: list[Record], day: int, dice: random.Random) -> Iterator[Record]:
    """The session's records at another time, with other numbers."""
    for n, record in enumerate(records):
        shift = BEGUN + day * DAY - records[0].started
        metrics = {
            name: msgspec.structs.replace(m, value=m.value * dice.lognormvariate(0, NOISE))
            for name, m in record.metrics.items()
        }
        yield msgspec.structs.replace(
            record,
            run_id=f"{day:012x}{n:04x}",
            session=_name(day),
            started=record.started + shift,
            finished=record.finished + shift,
            metrics=metrics,
            digest="",
        )


def _row(plan: Plan, own: list[Record]) -> Row:
    names = [f"{run.name}.json" for run in plan.runs]
    return Row(
        id=own[0].session,
        time=own[-1].finished,
        commit=own[0].provenance.commit,
        suite=plan.suite,
        environments={},
        runs={
            name: Kept(run_id=r.run_id, seconds=round(r.finished - r.started, 1), validity=r.validity)
            for name, r in zip(names, own, strict=True)
        },
    )


def _contents(plan: Plan, own: list[Record]) -> dict[str, bytes]:
    names = [f"{run.name}.json" for run in plan.runs]
    return {n: seal.sealed(msgspec.json.encode(r)) for n, r in zip(names, own, strict=True)}


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()

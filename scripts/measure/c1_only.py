"""Whether a real regression is seen with its right sign: a JVM that may only use its first compiler.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/c1_only.py \\
        [--variant NAME] [--workload movies-short] [--forks 2] [--windows 3] [--engine embedded]

Side a is the variant as it is, side b the same artefact with -XX:TieredStopAtLevel=1. Both are warmed up
until steady and measured in turns. Prints a line for each pair of windows, with the gates that failed in
either (*flags* is meant to, on side b); ends with 1 when a sign is wrong in any pair, or a pair is missing.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import time
from pathlib import Path

import msgspec

from telar.analyse.calibration import pairs_of
from telar.catalog.load import load
from telar.catalog.suite import EngineName
from telar.cli.engines import engine_for
from telar.plan.cells import Wishes, make_plan
from telar.plan.pairs import pair_runs
from telar.run.engine import AppLaunch
from telar.run.http.hooks import Hooks
from telar.run.http.stack import Stack
from telar.run.pair import fork
from telar.run.session import alone, require_ports
from telar.store.files import Session
from telar.store.record import Record

ROOT = Path(__file__).resolve().parents[2]
METRICS = ("app-cpu", "app-cpu-relative", "p50", "p99")  # each is smaller when better
OPTION = "-XX:TieredStopAtLevel=1"


class FirstCompilerOnly(Hooks):
    def launch(self, stack: Stack, launch: AppLaunch) -> AppLaunch:  # noqa: ARG002 - a hook's signature
        return msgspec.structs.replace(launch, arguments=lambda jar: [OPTION, *launch.arguments(jar)])

    def judged(self, record: Record) -> Record:
        gates = tuple(g for g in record.gates if g.name != "flags")
        return msgspec.structs.replace(record, gates=gates)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--variant", default="spring-mysql-blocking-virtual")
    parser.add_argument("--workload", default="movies-short")
    parser.add_argument("--forks", type=int, default=2)
    parser.add_argument("--windows", type=int, default=3)
    parser.add_argument("--engine", choices=["embedded", "compose"], default="embedded")
    said = parser.parse_args()
    catalog = load(ROOT)
    wishes = Wishes(suite="smoke", engine=said.engine, only=(said.variant,), workload=said.workload)
    once = make_plan(catalog, wishes)
    cell = once.runs[0].cell
    runs = pair_runs(
        [(cell, cell)],
        forks=said.forks,
        windows=said.windows,
        seed=once.seed,
        warmups=once.warmups,
    )
    name = f"{time.strftime('%Y%m%d-%H%M%S', time.gmtime())}-c1-only"
    session = Session.create(
        ROOT / "benchmarks-data" / "local" / name, msgspec.structs.replace(once, runs=tuple(runs))
    )
    records = measure(session, said.engine)
    found = [pair for pairs in pairs_of(records, sound=False).values() for pair in pairs]
    print(
        f"\n| fork | window | {' | '.join(METRICS)} | failed |\n|---:|---:|" + "--:|" * len(METRICS) + "---|"
    )
    sound = wrong = 0
    for a, b in found:
        ratios = [b.metrics[m].value / a.metrics[m].value for m in METRICS]
        failed = {g.name for r in (a, b) for g in r.gates if g.verdict == "fail"} - {"flags"}
        sound += not failed
        wrong += sum(r <= 1 for r in ratios)
        place = a.pair
        assert place
        told = " | ".join(f"{r - 1:+.0%}" for r in ratios)
        print(f"| {place.fork} | {place.window} | {told} | {', '.join(sorted(failed))} |")
    print(f"\n{len(found)} pairs, {sound} sound; {wrong} wrong signs; records: {session.folder}")
    sys.exit(1 if wrong or len(found) < said.forks * said.windows else 0)


def measure(session: Session, engine_name: EngineName) -> list[Record]:
    catalog, plan = load(ROOT), session.plan
    engine, records = engine_for(catalog, engine_name), []
    with alone(catalog):
        require_ports(catalog, pairs=True)
        try:
            engine.prepare([plan.runs[0].cell], print)
            for number in sorted({r.pair.fork for r in plan.runs if r.pair}):
                windows = [r for r in plan.runs if r.pair and r.pair.fork == number]
                made = fork(
                    catalog,
                    engine,
                    plan,
                    windows,
                    session=session.id,
                    folder=session.log_folder(f"fork-{number:03d}"),
                    supersede=session.supersede,
                    progress=lambda planned, phase: print(f"{planned.position}/{len(plan.runs)} {phase}"),
                    hooks={"b": FirstCompilerOnly()},
                )
                with contextlib.closing(made):
                    for planned, record in made:
                        session.add(planned.name, record)
                        records.append(record)
                        failed = [g.name for g in record.gates if g.verdict == "fail"]
                        print(f"  {planned.name}: {record.validity} {' '.join(failed)}", flush=True)
        finally:
            engine.close()
    return records


if __name__ == "__main__":
    main()

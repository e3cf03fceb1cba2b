"""What the JDK's ahead-of-time cache would save of a warm-up, and what it would cost a comparison.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/trained.py \\
        [--variant NAME] [--trainings 5] [--jvms 2] [--windows 3] [--train 20000] [--warm 14000]

A training is a JVM that records which classes and profiles `--train` requests need (JEP 483 and 515), from
which a cache is made. Each JVM with that cache is warmed with `--warm` requests and measured in windows. All
JVMs of a training share its luck: what trainings differ by, no number of JVMs averages out. It is told beside
what the JVMs of one training differ by (standard deviations, as shares). Compose engine, JDK 25 and later.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import shutil
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

import msgspec

from telar.analyse import noise
from telar.catalog.jvm import options
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.plan.cells import Plan, Wishes, make_plan, rewarmed
from telar.run.compose import ComposeEngine
from telar.run.engine import AppLaunch
from telar.run.http.cell import CellRun
from telar.run.http.hooks import Hooks
from telar.run.http.stack import Stack
from telar.run.session import alone, require_ports
from telar.store.record import Record
from telar.tools import shell

ROOT = Path(__file__).resolve().parents[2]
METRICS = ("service-cpu-by-database", "p50-by-database", "allocated", "context-switches", "rss")
CONFIGURATION, CACHE = "app.aotconf", "app.aot"
LEAST = 2
SETTLE = 5.0  # seconds in which the compilers finish what a short warm-up left them


class Trained(Hooks):
    """A JVM that records for a cache, or with one."""

    def __init__(self, cache: Path | None = None) -> None:
        self._cache = cache

    def launch(self, stack: Stack, launch: AppLaunch) -> AppLaunch:
        own = [f"-XX:AOTCache={stack.folder / CACHE}"]
        if self._cache is None:
            own = ["-XX:AOTMode=record", f"-XX:AOTConfiguration={stack.folder / CONFIGURATION}"]
        # Recording needs more than a run's gigabyte when it is written down.
        return msgspec.structs.replace(
            launch, memory="4g", arguments=lambda jar: [*own, *launch.arguments(jar)]
        )

    def app_starting(self, stack: Stack) -> None:
        if self._cache:
            shutil.copy(self._cache, stack.folder / CACHE)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--variant", default="spring-mysql-blocking-virtual")
    for name, default in (("trainings", 5), ("jvms", 2), ("windows", 3), ("train", 20_000), ("warm", 14_000)):
        parser.add_argument(f"--{name}", type=int, default=default)
    said = parser.parse_args()
    if min(said.trainings, said.jvms) < LEAST:
        parser.error("what trainings and JVMs differ by takes two of each")
    catalog = load(ROOT)
    plan = make_plan(catalog, Wishes(suite="pull-request", engine="compose", only=(said.variant,), repeat=1))
    engine = ComposeEngine(catalog)
    of_trainings: list[list[list[Record]]] = []
    with alone(catalog), tempfile.TemporaryDirectory(dir="/var/tmp", prefix="telar-trained-") as kept:
        Path(kept).chmod(0o755)
        require_ports(catalog, pairs=False)
        try:
            engine.prepare([plan.runs[0].cell], print)
            for n in range(1, said.trainings + 1):
                cache = train(catalog, engine, warmed(plan, said.train), Path(kept) / f"{n}")
                warm = warmed(plan, said.warm)
                folders = [Path(kept) / f"{n}-{j}" for j in range(1, said.jvms + 1)]
                of_trainings.append(
                    [measured(catalog, engine, warm, f, cache, said.windows) for f in folders]
                )
        finally:
            engine.close()
    tell(of_trainings)


def warmed(plan: Plan, requests: int) -> Plan:
    return rewarmed(plan, requests=requests)


def train(catalog: Catalog, engine: ComposeEngine, plan: Plan, folder: Path) -> Path:
    """The cache that a training leaves."""
    started, cell = time.monotonic(), plan.runs[0].cell
    with contextlib.closing(run_of(Trained(), catalog, engine, plan, folder)) as run:
        require_up(run)
    print(f"trained: {time.monotonic() - started:.0f} s", flush=True)
    variant = catalog.variants[cell.variant]
    java = [
        "-XX:AOTMode=create",
        f"-XX:AOTConfiguration={folder / CONFIGURATION}",
        f"-XX:AOTCache={folder / CACHE}",
        *options(catalog, variant, cell.flags),
        *("-jar", variant.app.file.build.start),
    ]
    isolated = ["docker", "run", "--rm", "--network=none", "--user=0:0", f"--volume={folder}:{folder}"]
    shell.run([*isolated, engine.artifact(cell).image, *java], timeout=300)
    (folder / CACHE).chmod(0o644)
    return folder / CACHE


def measured(
    catalog: Catalog, engine: ComposeEngine, plan: Plan, folder: Path, cache: Path, windows: int
) -> list[Record]:
    """The windows of a JVM with a cache."""
    started = time.monotonic()
    with contextlib.closing(run_of(Trained(cache), catalog, engine, plan, folder)) as run:
        require_up(run)
        print(f"  up and warm: {time.monotonic() - started:.0f} s", flush=True)
        time.sleep(SETTLE)
        found = []
        for n in range(1, windows + 1):
            record = run.window(msgspec.structs.replace(plan.runs[0], repetition=n))
            if record.stopped:
                raise SystemExit(record.stopped.error)
            found.append(record)
            shares = ", ".join(f"{m} {record.metrics[m].value:.3f}" for m in METRICS)
            compilers = record.metrics["compiler-cpu"].value / record.metrics["app-cpu"].value
            print(f"  window {n}: {shares}; compilers {compilers:.0%}", flush=True)
    return found


def run_of(hooks: Hooks, catalog: Catalog, engine: ComposeEngine, plan: Plan, folder: Path) -> CellRun:
    return CellRun(
        catalog,
        engine,
        plan,
        plan.runs[0],
        session="trained",
        folder=folder,
        progress=lambda _: None,
        supersede=lambda *_: None,
        hooks=hooks,
    )


def require_up(run: CellRun) -> None:
    failed = run.begin()
    if failed and failed.stopped:
        raise SystemExit(f"{failed.stopped.phase}: {failed.stopped.error}")


def tell(of_trainings: Sequence[Sequence[Sequence[Record]]]) -> None:
    print("\n| metric | JVMs of one training | trainings |\n|---|--:|--:|")
    for metric in METRICS:
        jvms = [
            [fmean(math.log(w.metrics[metric].value) for w in windows) for windows in jvms]
            for jvms in of_trainings
        ]
        found = noise.spread(jvms)
        print(f"| {metric} | {found.within:.2%} | {found.between:.2%} |")


if __name__ == "__main__":
    main()

"""What recording costs the generator: k6 with its raw results written, and without, turn by turn.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/recording_cost.py

One app stays up and warm for all turns; the order within a pair is drawn. Nothing else may run meanwhile.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import msgspec

from telar.catalog.load import load
from telar.collect import recording
from telar.databases import clients, types
from telar.plan.cells import Wishes, make_plan
from telar.run import java, probe
from telar.run.embedded import EmbeddedEngine
from telar.run.engine import AppLaunch
from telar.run.load import plan_for
from telar.run.session import alone
from telar.tools import components

ROOT = Path(__file__).resolve().parents[2]
VARIANT = "spring-mysql-blocking-platform"
WARM_UP = 60  # seconds from a tenth of the rate up to it: a cold service at full rate drowns


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rate", type=float, default=500, help="requests a second")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--pairs", type=int, default=6)
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), wanted.rate, wanted.seconds, wanted.pairs)


def measure(folder: Path, rate: float, seconds: float, pairs: int) -> None:
    catalog = load(ROOT)
    cell = make_plan(catalog, Wishes(suite="tour", only=(VARIANT,), engine="embedded")).runs[0].cell
    variant = catalog.variants[cell.variant]
    database = types.load(catalog.databases[variant.app.file.database])
    layout = catalog.file.layout[cell.layout]
    engine = EmbeddedEngine(catalog)
    with alone(catalog):
        engine.prepare([cell], print)
        engine.fresh_database(database, variant.app.file.system, folder)
        server = engine.start_database(database, folder, layout.database_cpus)
        try:
            clients.client(database.file.protocol, "127.0.0.1", database.file.port).wait_ready()
            recording.prepare(folder)
            app = engine.start_app(
                AppLaunch(
                    cell=cell,
                    folder=folder,
                    environment=java.environment(
                        variant,
                        http_port=catalog.file.ports.app,
                        metrics_port=catalog.file.ports.metrics,
                        database_port=database.file.port,
                    ),
                    arguments=lambda jar: java.arguments(catalog, variant, cell.flags, folder, jar),
                    start_jar=variant.app.file.build.start,
                    cpus=layout.app_cpus,
                    memory=layout.app_memory,
                )
            )
            try:
                metrics = f"http://127.0.0.1:{catalog.file.ports.metrics}"
                probe.wait_ready(metrics + variant.app.http.ready, lambda: None)
                generator = Generator(folder, rate)
                generator.cpu(WARM_UP, recorded=True, start=rate / 10)
                report([pair(generator, seconds, on_first=n % 2 == 0) for n in range(pairs)])
            finally:
                app.stop()
        finally:
            server.stop()


class Generator:
    """k6 as a run starts it."""

    def __init__(self, folder: Path, rate: float) -> None:
        self._folder, self._rate = folder, rate
        self._catalog = load(ROOT)
        self._k6 = components.ensure("k6", print).path

    def cpu(self, seconds: float, *, recorded: bool, start: float | None = None) -> float:
        """Processors that k6 kept busy, its start included."""
        workload = self._catalog.workloads["movies-constant"]
        stage = msgspec.structs.replace(
            workload.file.stage[0], from_=start or self._rate, to=self._rate, duration=seconds
        )
        plan = self._folder / "measure.plan.json"
        plan.write_bytes(plan_for(workload, 1, stages=(stage,)))
        out = ["--out", f"csv={self._folder / 'measure.csv'}"] if recorded else []
        process = subprocess.Popen(
            [self._k6, "run", "--quiet", "--no-usage-report", "--address", "", *out,
             workload.folder / workload.file.script],
            env={
                **os.environ,
                "TELAR_BASE_URL": f"http://127.0.0.1:{self._catalog.file.ports.app}",
                "TELAR_PLAN": str(plan),
                "TELAR_SUMMARY": str(self._folder / "measure.summary.json"),
                "K6_CSV_TIME_FORMAT": "unix_micro",
            },
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        _, status, used = os.wait4(process.pid, 0)
        if status:
            sys.exit(f"k6 ended with exit code {os.waitstatus_to_exitcode(status)}")
        return (used.ru_utime + used.ru_stime) / seconds


def pair(generator: Generator, seconds: float, *, on_first: bool) -> tuple[float, float]:
    """Busy processors with recording on, and off."""
    order = (on_first, not on_first)
    busy = {recorded: generator.cpu(seconds, recorded=recorded) for recorded in order}
    print(f"on {busy[True]:.3f}, off {busy[False]:.3f} processors ({'on' if on_first else 'off'} first)")
    return busy[True], busy[False]


def report(pairs: list[tuple[float, float]]) -> None:
    differences = [on - off for on, off in pairs]
    print(
        f"{len(pairs)} pairs: recording adds {statistics.median(differences):.3f} processors in the median "
        f"({min(differences):.3f} to {max(differences):.3f}); "
        f"off: {statistics.median(off for _, off in pairs):.3f}"
    )


if __name__ == "__main__":
    main()

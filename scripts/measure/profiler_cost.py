"""What a profiler costs the service that it looks at: windows with one and without, in turns, on one warm
service.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/profiler_cost.py \\
        [--times 6] [--only WAY…]

The first windows are of a service that has no profiler loaded; the others have it loaded, at rest or at
work, in an order drawn for each turn. CPU per request and p50 are compared with those of the same turn with a
profiler at rest. Embedded engine, windows of the suite pull-request.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import random
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean, stdev

from scipy.special import stdtrit

from telar.catalog.load import load
from telar.plan.cells import Wishes, make_plan
from telar.run.embedded import EmbeddedEngine
from telar.run.http import profiled
from telar.run.http.cell import CellRun
from telar.run.http.scheduler import watched
from telar.run.session import alone, require_ports
from telar.tools import agent, components

ROOT = Path(__file__).resolve().parents[2]
VARIANT = "spring-mysql-blocking-virtual"
AT_REST = "loaded, at rest"
OPTIONS = {
    "cpu-clock each ms, allocation each 512 KiB": "event=cpu-clock,interval=1ms,alloc=512k",
    "cpu-clock each ms": "event=cpu-clock,interval=1ms",
    "cpu-clock each 5 ms": "event=cpu-clock,interval=5ms",
    "ctimer": "event=ctimer,interval=1ms",
    "ctimer, allocation each 512 KiB": "event=ctimer,interval=1ms,alloc=512k",
    "ctimer, allocation each MiB": "event=ctimer,interval=1ms,alloc=1m",
    "ctimer, allocation each 2 MiB": "event=ctimer,interval=1ms,alloc=2m",
}
# The machine's speed moves more than a profiler costs, and the database's processor time with it.
METRICS = ("service-cpu-by-database", "p50-by-database", "service-cpu", "p50")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--times", type=int, default=6, help="turns (6)")
    parser.add_argument("--only", nargs="+", choices=tuple(OPTIONS), default=tuple(OPTIONS))
    said = parser.parse_args()
    catalog = load(ROOT)
    plan = make_plan(catalog, Wishes(suite="pull-request", engine="embedded", only=(VARIANT,), repeat=1))
    (planned,) = plan.runs
    engine = EmbeddedEngine(catalog)
    library = components.ensure("async-profiler", print).path
    values: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    with alone(catalog), tempfile.TemporaryDirectory(dir="/var/tmp") as scratch:
        require_ports(catalog, pairs=False)
        engine.prepare([planned.cell], print)
        run = CellRun(
            catalog, engine, plan, planned, session="cost", folder=Path(scratch) / "run",
            progress=lambda _: None, supersede=lambda *_: None,
        )  # fmt: skip
        with contextlib.closing(run), contextlib.closing(engine):
            failed = run.begin()
            if failed and failed.stopped:
                raise SystemExit(failed.stopped.error)
            own = profiled._place(library, run.stack.folder)
            pid = run.stack.services["app"].pid
            target = run.stack.folder / "cost.jfr"
            ways: dict[str, Callable[[], contextlib.AbstractContextManager[object]]] = {
                AT_REST: contextlib.nullcontext,
                "its scheduler watched": lambda: watched(pid),
                **{
                    name: partial(at_work, pid, own, target, options)
                    for name, options in OPTIONS.items()
                    if name in said.only
                },
            }

            def window(name: str, during: contextlib.AbstractContextManager[object]) -> None:
                record = run.extra_window(planned, during=during)
                if record.stopped:
                    raise SystemExit(record.stopped.error)
                for metric in METRICS:
                    values[name][metric].append(record.metrics[metric].value)
                shown = ", ".join(f"{m} {record.metrics[m].value:.3f}" for m in METRICS)
                print(f"{name}: {shown}", flush=True)

            for _ in range(said.times):
                window("not loaded", contextlib.nullcontext())
            with at_work(pid, own, target, OPTIONS["ctimer"]):
                pass
            dice = random.Random(1)  # noqa: S311 - nothing secret
            for _ in range(said.times):
                for name in dice.sample(sorted(ways), len(ways)):
                    window(name, ways[name]())
    print("\n| profiler | " + " | ".join(METRICS) + " |\n|---|" + "--:|" * len(METRICS))
    for name, own_values in values.items():
        if name != AT_REST:
            cells = [change(own_values[m], values[AT_REST][m]) for m in METRICS]
            print(f"| {name} | " + " | ".join(cells) + " |")


def change(found: Sequence[float], rest: Sequence[float]) -> str:
    """The geometric mean of a turn's ratios, less one, with Student's 95 % interval."""
    logs = [math.log(one / other) for one, other in zip(found, rest, strict=True)]
    reach = stdtrit(len(logs) - 1, 0.975) * stdev(logs) / math.sqrt(len(logs))
    mean, low, high = (math.expm1(fmean(logs) + n * reach) for n in (0, -1, 1))
    return f"{mean:+.1%} ({low:+.1%} … {high:+.1%})"


@contextlib.contextmanager
def at_work(pid: int, library: Path, target: Path, options: str) -> Iterator[None]:
    agent.order(pid, library, f"start,{options},jfr,file={target}")
    try:
        yield
    finally:
        agent.order(pid, library, f"stop,file={target}")


if __name__ == "__main__":
    main()

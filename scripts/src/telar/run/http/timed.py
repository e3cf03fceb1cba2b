"""Windows in which the JVM itself times the methods that a change touches (JDK 25 and newer, JEP 520).

No gate looks at these windows, and they are in no metric. Calls are counted, not sampled: how often a method
is called for a request has no noise.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from telar.analyse import pace
from telar.analyse.timed import Window
from telar.collect import recording
from telar.errors import RunError, TelarError
from telar.plan.cells import PlannedRun
from telar.run.http.cell import CellRun
from telar.tools import agent

FIRST = 25  # the JDK that has it
ORDER = ("a", "b", "b", "a")  # what drifts falls on both sides alike
WARM = 2  # windows a side before those: after one the base's next still had calls that took a fifth longer
MOST, OFTEN = 20, 10_000  # methods, and calls of one in a second: beyond, timing costs more than it tells
NAME = "telar-timing"
PERIOD = 0.25  # seconds between two of the JVM's sums
PATIENCE = 5.0  # seconds for the sums after a window's end to be on disk
STARTED = "Started recording"


def measure(
    sides: Mapping[str, object],
    loads: Mapping[str, PlannedRun],
    methods: Sequence[str],
    *,
    order: Sequence[str] = ORDER,
) -> dict[str, list[Window]]:
    """Side -> its windows, one after the other, as `order` names the sides. `loads`: side -> the window whose
    load it gets again. `methods` as `a.b.Class::method`, the most important first; those beyond the limits
    are left out.

    Raises RunError where a window fails, TelarError where a JVM doesn't time.
    """
    runs: dict[str, CellRun] = {}
    for side in dict.fromkeys(order):
        run = sides[side]
        if not isinstance(run, CellRun):
            raise RunError("only services under load are timed, and this is none")
        runs[side] = run
    asked = tuple(methods[:MOST])
    try:
        for run in runs.values():
            start(pid_of(run), asked)
        # What is timed is compiled again in these, and so is what calls it.
        warm = [_window(run, loads[side]) for _ in range(WARM) for side, run in runs.items()]
        rare = tuple(m for m in asked if max(w.rate(m) for w in warm) <= OFTEN)
        if not rare:
            raise RunError(f"each method of the change is called more than {OFTEN:,} times a second")
        if rare != asked:
            for run in runs.values():
                stop(pid_of(run))
                start(pid_of(run), rare)
            for _ in range(WARM):
                for side, run in runs.items():
                    _window(run, loads[side])
        found: dict[str, list[Window]] = {side: [] for side in runs}
        for side in order:
            found[side].append(_window(runs[side], loads[side]))
        return found
    finally:
        for run in runs.values():
            if "app" in run.stack.services:  # it may have died meanwhile
                stop(pid_of(run))


def _window(run: CellRun, planned: PlannedRun) -> Window:
    record = run.extra_window(planned)
    if record.stopped:
        raise RunError(f"a timed window failed: {record.stopped.error}", hint=record.stopped.hint)
    assert record.load, "a window that didn't stop has it"
    assert record.series, "and this"
    start = record.series.start
    end = start + record.load.seconds
    until = time.monotonic() + PATIENCE
    while recording.reached(run.stack.folder) < end + 2 * PERIOD and time.monotonic() < until:
        time.sleep(PERIOD)
    return Window(
        requests=sum(record.load.requests.values()),
        seconds=record.load.seconds,
        calls=recording.timings(run.stack.folder, start, end),
        pace=pace.of(record),
    )


def start(pid: int, methods: Sequence[str]) -> None:
    """The methods' code is replaced by one that counts and times; all that it was inlined into is compiled
    again. Raises TelarError where the JVM refuses.
    """
    settings = {"enabled": "true", "filter": ";".join(methods), "period": f"{PERIOD * 1000:.0f} ms"}
    words = (f"jdk.MethodTiming#{name}={_quoted(value)}" for name, value in settings.items())
    said = agent.ask(pid, "JFR.start", f"name={NAME}", *words)
    if STARTED not in said:
        raise TelarError(f"the JVM {pid} times no methods: {said.strip().splitlines()[-1]}")


def stop(pid: int) -> None:
    """Whether it had begun or not."""
    agent.ask(pid, "JFR.stop", f"name={NAME}")


def pid_of(run: CellRun) -> int:
    """The service's process."""
    return run.stack.services["app"].pid


def _quoted(value: str) -> str:
    """For the JVM, which else takes blanks for the end of an argument."""
    return f'"{value}"'

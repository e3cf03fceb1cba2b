"""Two stacks alive at once, and windows measured on them in turns.

A fresh JVM for every sample costs minutes of warm-up. Two that are both up and warm differ in nothing but
their sides, and windows a few seconds apart see the same machine. What another JVM would have come out as
is not in such windows: so there are several forks.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType

from telar.catalog.types import Catalog
from telar.plan.cells import Plan, PlannedRun
from telar.run.engine import Engine
from telar.run.http.hooks import Hooks
from telar.run.kinds import Run, run_of
from telar.store.record import Record

SHIFT = 100  # side b listens so many ports further
After = Callable[[Mapping[str, Run], Sequence[PlannedRun]], None]


def side_folder(folder: Path, side: str) -> Path:
    """Where one side of the fork with this folder keeps its logs."""
    return folder.with_name(f"{folder.name}-{side}")


def _tell(
    progress: Callable[[PlannedRun, str], None], now: dict[str, PlannedRun], side: str, phase: str
) -> None:
    progress(now[side], phase)


def fork(
    catalog: Catalog,
    engine: Engine,
    plan: Plan,
    windows: Sequence[PlannedRun],
    *,
    session: str,
    folder: Path,
    progress: Callable[[PlannedRun, str], None],
    supersede: Callable[[PlannedRun, Record], None],
    hooks: Mapping[str, Hooks] = MappingProxyType({}),
    enough: Callable[[], bool] = lambda: False,
    after: After | None = None,
) -> Generator[tuple[PlannedRun, Record], None, None]:
    """Measures the windows of one fork, in order. Ends early, with a record that says why, when a side fails.

    `progress(planned, phase)` gets what is done for which window; `supersede(planned, record)` keeps what
    is measured again; `hooks`: side -> what is put into its run from outside. `enough` is asked after each
    window whether the rest is still wanted. `after(sides, windows)` gets both sides while they are still up,
    after the last window, unless one failed.
    """
    first = {side: next(w for w in windows if w.pair and w.pair.side == side) for side in ("a", "b")}
    now = dict(first)
    sides = {
        side: run_of(catalog, planned.cell)(
            catalog,
            engine,
            plan,
            planned,
            session=session,
            folder=side_folder(folder, side),
            progress=partial(_tell, progress, now, side),
            supersede=supersede,
            shift=SHIFT if side == "b" else 0,
            hooks=hooks.get(side),
        )
        for side, planned in first.items()
    }
    with contextlib.ExitStack() as both:
        for stack in sides.values():
            both.callback(stack.close)
        for side, stack in sides.items():
            failed = stack.begin()
            if failed:
                yield first[side], failed
                return
        for planned in windows:
            assert planned.pair
            now[planned.pair.side] = planned
            record = sides[planned.pair.side].window(planned)
            yield planned, record
            if record.stopped:
                return
            if enough():
                break
        if after:
            after(sides, windows)

"""For the tests that start every variant of a system once, to ask it and not to measure it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

import msgspec

from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.plan.cells import Cell
from telar.run.engine import Engine
from telar.run.http.hooks import Hooks
from telar.run.http.stack import Stack
from telar.run.pair import SHIFT

Seen = TypeVar("Seen")


def soon_up(root: Path) -> Catalog:
    """The catalogue, in which a JVM spends no processor time on the second compiler."""
    catalog = load(root)
    flags = (*catalog.file.jvm.flags, "-XX:TieredStopAtLevel=1")
    jvm = msgspec.structs.replace(catalog.file.jvm, flags=flags)
    return msgspec.structs.replace(catalog, file=msgspec.structs.replace(catalog.file, jvm=jvm))


@contextmanager
def two_at_once(
    catalog: Catalog, engine: Engine, cells: Mapping[str, Cell], look: Callable[[Stack], Seen], folder: Path
) -> Iterator[dict[str, Future[Seen]]]:
    """What `look` sees of each cell's services, which it starts itself; they are ended for it.

    Two cells have their services up at once, as the sides of a comparison have: one processor would be idle
    for much of a single one's start. A test waits for its own cell, or gets what was raised there.
    """
    free = SimpleQueue[int]()  # ports
    for shift in (0, SHIFT):
        free.put(shift)

    def seen(name: str) -> Seen:
        with ExitStack() as last_first:
            shift = free.get()
            last_first.callback(free.put, shift)
            own = folder / name.replace("/", "+")
            own.mkdir()
            stack = Stack(catalog, engine, cells[name], folder=own, hooks=Hooks(), shift=shift)
            last_first.callback(stack.close)
            return look(stack)

    with ThreadPoolExecutor(free.qsize()) as both:
        try:
            yield {name: both.submit(seen, name) for name in cells}
        finally:
            both.shutdown(cancel_futures=True)


def failures(contract: Path, base: str, **environment: str) -> str:
    """What pytest says of the tests in a contract's folder, asked of `base`; empty when all passed."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "pytest.ini"],
        cwd=contract,
        env={
            **os.environ,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # they need none, and loading all of them takes seconds
            "TELAR_BASE_URL": base,
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr if done.returncode else ""

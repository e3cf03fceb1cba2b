"""Results of other tools as points: a file of code for each.

A reader gets the file's content and what it was measured on, and gives points. To add one: a file here, and
its line in READERS.
"""

from __future__ import annotations

from collections.abc import Callable

from telar.collect.imports import github_action_benchmark, jmh, k6_summary
from telar.collect.imports.foreign import Occasion
from telar.store.points import Point

READERS: dict[str, Callable[[bytes, Occasion], list[Point]]] = {
    "jmh": jmh.read,
    "k6": k6_summary.read,
    "github-action-benchmark": github_action_benchmark.read,
}
DATED = {"github-action-benchmark"}  # formats that say themselves when each point was measured

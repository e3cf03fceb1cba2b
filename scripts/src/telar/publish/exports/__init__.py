"""Points in the formats of other tools: a file of code for each.

A format is a function from points to files: name -> content. To add one: a file here, and its line in
FORMATS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from telar.publish.exports import (
    bencher,
    csv_table,
    github_action_benchmark,
    jmh,
    otava,
    parquet,
)
from telar.store.points import Point

Files: TypeAlias = dict[str, bytes]
FORMATS: dict[str, Callable[[Sequence[Point]], Files]] = {
    "github-action-benchmark": github_action_benchmark.files,
    "bencher": bencher.files,
    "otava": otava.files,
    "jmh": jmh.files,
    "csv": csv_table.files,
    "parquet": parquet.files,
}

"""Points: values of series over time, one for each session that measured them. The currency of history.

A file of points is JSON lines, a point each; it is only ever added to. What other tools measured is
kept the same way (`telar import`), so that one detector and one set of pages serve all of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from telar.errors import StoreError
from telar.plan.cells import Place
from telar.store.files import write_atomically
from telar.store.record import Moment, Number, Part, Validity

Text = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
Location = Annotated[
    str, msgspec.Meta(pattern=r"^(?!.*\.\.)[A-Za-z0-9][A-Za-z0-9._+/-]*$(?!\n)", max_length=300)
]


class Point(Part, frozen=True):
    """A series' value in a session. `series` and `metric` together are the series' identity."""

    series: Text  # a cell's name with its engine and runner; of other tools, what they call it
    metric: Text
    unit: str
    better: Literal["smaller", "bigger"]
    time: Moment
    commit: str  # empty where it isn't known
    value: Number
    low: Number | None = None  # of the runs that the value is of: lowest and highest
    high: Number | None = None
    runs: Place = 1
    # Of several runs: the geometric mean of their values, and the standard deviation of their natural
    # logarithms. Two of them give the confidence interval of a ratio.
    mean: Number | None = None
    spread: Number | None = None
    validity: Validity = "valid"
    environment: str = ""  # digest of what isn't under test: a change of it segments the series
    origin: str = ""  # the session, or the file that it was imported from

    @property
    def key(self) -> tuple[str, str]:
        return self.series, self.metric


def by_series(points: Iterable[Point]) -> dict[tuple[str, str], list[Point]]:
    """Each series' points in the order of time; of several that say the same of one session, the last."""
    found: dict[tuple[str, str], dict[tuple[str, float, str], Point]] = {}
    for point in points:
        found.setdefault(point.key, {})[point.origin, point.time, point.commit] = point
    return {key: sorted(own.values(), key=lambda p: (p.time, p.origin)) for key, own in sorted(found.items())}


def read(path: Path) -> list[Point]:
    """The points in a file. Raises StoreError naming the line that isn't one."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StoreError(f"{path}: can't be read: {error.strerror}") from error
    decoder = msgspec.json.Decoder(Point)
    found = []
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            found.append(decoder.decode(line))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise StoreError(f"{path}: line {number}: {error}", hint="a point a line, as JSON") from error
    return found


def append(path: Path, points: Sequence[Point]) -> int:
    """Adds those that the file doesn't have yet; how many they were. The file is whole at any time."""
    known = read(path) if path.exists() else []
    there = set(known)
    fresh = [p for p in dict.fromkeys(points) if p not in there]
    if fresh:
        encoder = msgspec.json.Encoder()
        before = path.read_bytes() if known else b""
        lines = b"".join(encoder.encode(p) + b"\n" for p in fresh)
        write_atomically(path, before + (b"\n" if before and not before.endswith(b"\n") else b"") + lines)
    return len(fresh)

"""Every point as a row of a table."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

import msgspec

from telar.store.points import Point

COLUMNS = tuple(f.name for f in msgspec.structs.fields(Point))


def files(points: Sequence[Point]) -> dict[str, bytes]:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for point in points:
        writer.writerow(["" if v is None else v for v in msgspec.structs.astuple(point)])
    return {"points.csv": out.getvalue().encode()}

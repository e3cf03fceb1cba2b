"""Apache Otava's CSV: a file for each series' cell, a column for each metric, and the configuration that
reads them.

otava analyze --config-file otava.yaml <test>
"""

from __future__ import annotations

import csv
import io
import re
import time
from collections.abc import Sequence

import msgspec

from telar.store.points import Point, by_series


def files(points: Sequence[Point]) -> dict[str, bytes]:
    """Invalid points are left out; a metric that a session didn't have is an empty field."""
    sound = by_series(p for p in points if p.validity != "invalid")
    cells: dict[str, dict[str, list[Point]]] = {}
    for (series, metric), own in sound.items():
        cells.setdefault(series, {})[metric] = own
    found, tests = {}, {}
    for series, metrics in cells.items():
        name = re.sub(r"[^A-Za-z0-9._+-]+", "-", series)
        found[f"{name}.csv"] = _table(metrics)
        tests[name] = {
            "type": "csv",
            "file": f"{name}.csv",
            "time_column": "time",
            "attributes": ["commit"],
            "metrics": {
                metric: {"direction": 1 if own[0].better == "bigger" else -1, "unit": own[0].unit}
                for metric, own in metrics.items()
            },
        }
    if tests:
        found["otava.yaml"] = _yaml({"tests": tests})
    return found


def _table(metrics: dict[str, list[Point]]) -> bytes:
    rows: dict[tuple[float, str], dict[str, float]] = {}
    for metric, own in metrics.items():
        for point in own:
            rows.setdefault((point.time, point.commit), {})[metric] = point.value
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["time", "commit", *metrics])
    for (when, commit), values in sorted(rows.items()):
        moment = time.strftime("%Y-%m-%d %H:%M:%S +0000", time.gmtime(when))
        writer.writerow([moment, commit, *(values.get(m, "") for m in metrics)])
    return out.getvalue().encode()


def _yaml(value: object) -> bytes:
    """JSON is YAML."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"

"""Apache Otava's CSV: a file for each series' cell, a column for each metric, and the configuration that
reads them. Its reader takes no empty field, so a metric with other moments than the rest has its own file.

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
    """Invalid points are left out."""
    sound = by_series(p for p in points if p.validity != "invalid")
    cells: dict[str, dict[str, list[Point]]] = {}
    for (series, metric), own in sound.items():
        cells.setdefault(series, {})[metric] = own
    found, tests = {}, {}
    for series, metrics in cells.items():
        for name, table in _tables(series, metrics).items():
            found[f"{name}.csv"] = _table(table)
            tests[name] = {
                "type": "csv",
                "file": f"{name}.csv",
                "time_column": "time",
                "attributes": ["commit"],
                "metrics": {
                    metric: {"direction": 1 if of[0].better == "bigger" else -1, "unit": of[0].unit}
                    for metric, of in table.items()
                },
            }
    if tests:
        found["otava.yaml"] = _yaml({"tests": tests})
    return found


def _tables(series: str, metrics: dict[str, list[Point]]) -> dict[str, dict[str, list[Point]]]:
    """By name: metrics with the same moments together, the most of them under the series' own name."""
    name = re.sub(r"[^A-Za-z0-9._+-]+", "-", series)
    groups: dict[tuple[tuple[float, str], ...], dict[str, list[Point]]] = {}
    for metric, own in metrics.items():
        groups.setdefault(tuple((p.time, p.commit) for p in own), {})[metric] = own
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), -len(group[0])))
    return {name if n == 0 else f"{name}+{min(own)}": own for n, (_, own) in enumerate(ordered)}


def _table(metrics: dict[str, list[Point]]) -> bytes:
    """Of metrics that all have the same moments."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["time", "commit", *metrics])
    for row in zip(*metrics.values(), strict=True):
        moment = time.strftime("%Y-%m-%d %H:%M:%S +0000", time.gmtime(row[0].time))
        writer.writerow([moment, row[0].commit, *(point.value for point in row)])
    return out.getvalue().encode()


def _yaml(value: object) -> bytes:
    """JSON is YAML."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"

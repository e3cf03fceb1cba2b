"""Whether Apache Otava's own reader reads what `telar export otava` wrote: every value at its time.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/otava.py

Makes points, exports them, installs Otava into an environment of its own (.telar/venv-otava), and has its
configuration and importer read the files. Ends with 1 where anything differs.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import Literal

from telar.publish.exports import FORMATS
from telar.store.points import Point

ROOT = Path(__file__).resolve().parents[2]
OTAVA = "apache-otava==0.8.0"
METRICS: tuple[tuple[str, str, Literal["smaller", "bigger"]], ...] = (
    ("p99", "ms", "smaller"),
    ("throughput", "1/s", "bigger"),
    ("rss", "MiB", "smaller"),
)
READ = """
import datetime, json, sys
from otava.config import load_config_from_file
from otava.data_selector import DataSelector
from otava.importer import CsvImporter

selector = DataSelector()
selector.since_time = datetime.datetime(2000, 1, 1, tzinfo=datetime.timezone.utc)
selector.until_time = datetime.datetime(2100, 1, 1, tzinfo=datetime.timezone.utc)
found = {}
for name, test in load_config_from_file(sys.argv[1]).tests.items():
    series = CsvImporter().fetch_data(test, selector)
    found[name] = {
        "time": series.time,
        "data": series.data,
        "commit": series.attributes.get("commit", []),
        "direction": {metric: known.direction for metric, known in series.metrics.items()},
    }
print(json.dumps(found))
"""


def main() -> None:
    points = made()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for name, content in FORMATS["otava"](points).items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        config = next(folder.rglob("*.yaml"))
        done = subprocess.run(
            [reader(), "-c", READ, config], cwd=folder, capture_output=True, text=True, check=True
        )
    found = json.loads(done.stdout)
    wrong = differences(points, found)
    count = sum(len(values) for own in found.values() for values in own["data"].values())
    print(f"{OTAVA}: {len(found)} tables read, {count:,} values, {len(wrong)} of them differ")
    for line in wrong[:20]:
        print(f"  {line}")
    if wrong or count != len(points):
        sys.exit(1)


def made() -> list[Point]:
    """Three series with metrics of either direction at forty moments, and one that misses every third."""
    dice, start = random.Random(1), int(time.time()) - 40 * 3600  # noqa: S311 - nothing secret
    return [
        Point(
            series=series, metric=metric, unit=unit, better=better, time=float(start + n * 3600),
            commit=f"{n:040x}", value=dice.uniform(0.001, 1e6), low=None, high=None, runs=1, validity="valid",
            environment="e", origin=f"session-{n}",
        )
        for series in ("a+b", "spring, with a comma", 'a "quoted" one')
        for metric, unit, better in METRICS
        for n in range(40)
        if metric != "rss" or n % 3
    ]  # fmt: skip


def reader() -> Path:
    """Python with Otava in it."""
    folder = ROOT / ".telar" / "venv-otava"
    python = folder / "bin" / "python"
    if not (folder / "made").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", OTAVA], check=True)
        (folder / "made").touch()
    return python


def differences(points: list[Point], found: dict[str, dict[str, object]]) -> list[str]:
    read = {
        (series, metric, moment): value
        for series, own in found.items()
        for metric, values in own["data"].items()  # type: ignore[attr-defined]
        for moment, value in zip(own["time"], values, strict=True)  # type: ignore[call-overload]
    }
    wrong = []
    for point in points:
        name = re.sub(r"[^A-Za-z0-9._+-]+", "-", point.series)
        key = (point.metric, int(point.time))
        if not any(read.get((own, *key)) == point.value for own in (name, f"{name}+{point.metric}")):
            wrong.append(f"{point.series} {point.metric} at {key[1]}: no {point.value}")
    return wrong


if __name__ == "__main__":
    main()

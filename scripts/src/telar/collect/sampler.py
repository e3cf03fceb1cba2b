"""Reads every component once a second while a run lasts, from outside, in both engines alike."""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import floor

import httpx

from telar.collect import prometheus
from telar.collect.host import Component, Usage, machine_seconds, own_seconds

STEP = 1.0
SCRAPE_TIMEOUT = 0.9  # less than a step: a hanging endpoint costs one sample, not two

Values = dict[str, float | None]


@dataclass(frozen=True, kw_only=True)
class Scrape:
    """A reading of the app's metrics. When between its two times it was made isn't known."""

    begun: float  # seconds since the epoch
    ended: float
    good: bool
    heap: float | None = None  # bytes in use


class Sampler:
    """A thread that samples until it is stopped; what it has can be read at any time.

    Series are named `<component>.<quantity>`: `app.cpu_seconds`, `app.heap_used`, `database.rss`, …
    """

    def __init__(self) -> None:
        self._components: dict[str, Component] = {}
        self._last: dict[str, Usage] = {}  # as read
        self._earlier: dict[str, Usage] = {}  # what those had used that had the component's name before it
        self._metrics_url: str | None = None
        self._samples: list[tuple[float, Values]] = []
        self._scrapes: list[Scrape] = []
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._reading = threading.Lock()  # readings are in the order of their times
        # A guest on 127.0.0.1 may show a certificate of its own making.
        self._http = httpx.Client(timeout=SCRAPE_TIMEOUT, trust_env=False, verify=False)  # noqa: S501
        self._thread = threading.Thread(target=self._loop, name="telar-sampler", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        self._http.close()

    def add(self, name: str, component: Component) -> None:
        """Reads `component` from now on. One of that name before it counts on in it: what k6 used in the
        warm-up stays in the sums of the window's k6, which has its first reading now."""
        with self._reading:
            if name in self._last:
                self._earlier[name] = self._last[name]
            self._components[name] = component
            now = time.time()
            values = self._used([name])
            with self._lock:
                self._samples.append((now, values))

    def scrape(self, url: str) -> None:
        """The app's metrics endpoint, from now on."""
        self._metrics_url = url

    def sample(self) -> None:
        """One reading of everything, now."""
        with self._reading:
            now = time.time()
            values = self._used(self._components)
            busy, stolen = machine_seconds()
            values |= {
                "host.busy_seconds": busy,
                "host.steal_seconds": stolen,
                "runner.cpu_seconds": own_seconds(),
            }
            if self._metrics_url:
                values |= self._scraped(self._metrics_url)
            with self._lock:
                self._samples.append((now, values))

    def _used(self, names: Iterable[str]) -> Values:
        values: Values = {}
        for name in names:
            usage = self._components[name].usage()
            if usage is None:
                continue
            earlier = self._earlier.get(name)
            usage = usage if earlier is None else usage.after(earlier)
            self._last[name] = usage
            values |= {f"{name}.{quantity}": value for quantity, value in _quantities(usage).items()}
        return values

    def timeline(self) -> Timeline:
        with self._lock:
            return Timeline(list(self._samples), list(self._scrapes))

    def _loop(self) -> None:
        due = time.monotonic()
        while not self._stop.is_set():
            self.sample()
            due = max(due + STEP, time.monotonic())
            self._stop.wait(due - time.monotonic())

    def _scraped(self, url: str) -> Values:
        before = time.time()
        try:
            response = self._http.get(url)
            response.raise_for_status()
            found = prometheus.reduce(response.text, page=httpx.URL(url).path)
            values: Values = {f"app.{name}": v for name, v in found.items()}
        except (httpx.HTTPError, ValueError):
            values = {}
        scrape = Scrape(begun=before, ended=time.time(), good=bool(values), heap=values.get("app.heap_used"))
        with self._lock:
            self._scrapes.append(scrape)
        return values


class Timeline:
    """What a sampler has seen, to be asked by time."""

    def __init__(self, samples: list[tuple[float, Values]], scrapes: list[Scrape]) -> None:
        self._times = [t for t, _ in samples]
        self._values = [v for _, v in samples]
        self._scrapes = scrapes

    def at(self, name: str, time_: float) -> float | None:
        """A counter's value at a moment, linear between its readings; None outside them."""
        points = self._points(name)
        if not points:
            return None
        times = [t for t, _ in points]
        n = bisect_left(times, time_)
        if n == 0:
            return points[0][1] if times[0] - time_ < 2 * STEP else None
        if n == len(points):
            return points[-1][1] if time_ - times[-1] < 2 * STEP else None
        (t0, v0), (t1, v1) = points[n - 1], points[n]
        return v0 + (v1 - v0) * (time_ - t0) / (t1 - t0)

    def delta(self, name: str, start: float, end: float) -> float | None:
        """How much a counter grew between two moments."""
        first, last = self.at(name, start), self.at(name, end)
        return None if first is None or last is None else last - first

    def peak(self, name: str, start: float, end: float) -> float | None:
        """A gauge's highest reading between two moments."""
        return max((v for t, v in self._points(name) if start <= t <= end), default=None)

    def points(self, name: str, start: float, end: float) -> list[tuple[float, float]]:
        return [(t, v) for t, v in self._points(name) if start <= t <= end]

    def gap(self, start: float, end: float) -> float:
        """Seconds between two moments for which the app's metrics could not be read."""
        good = [s.begun for s in self._scrapes if s.good and start - 2 * STEP <= s.begun <= end + 2 * STEP]
        marks = [start, *[t for t in good if start < t < end], end]
        # A reading is expected each step; what is beyond that (and a half) is a gap.
        return sum(max(0.0, b - a - 1.5 * STEP) for a, b in pairwise(marks))

    def scrapes(self, start: float, end: float) -> list[Scrape]:
        """The readings of the app's metrics that were begun and ended between two moments, in their order."""
        return [s for s in self._scrapes if start <= s.begun and s.ended <= end]

    def series(self, start: float, end: float) -> tuple[float, Mapping[str, tuple[float | None, ...]]]:
        """Everything, on a grid of one second: the reading of each second, None where there is none."""
        names = sorted({name for values in self._values for name in values})
        size = max(0, int(end - start) + 1)
        grid: dict[str, list[float | None]] = {name: [None] * size for name in names}
        for t, values in zip(self._times, self._values, strict=True):
            slot = floor(t - start + STEP / 2)  # the nearest; `round` takes 0.5 and 2.5 to even numbers
            if 0 <= slot < size:
                for name, value in values.items():
                    grid[name][slot] = value
        return start, {name: tuple(values) for name, values in grid.items()}

    def _points(self, name: str) -> list[tuple[float, float]]:
        found = ((t, v.get(name)) for t, v in zip(self._times, self._values, strict=True))
        return [(t, v) for t, v in found if v is not None]


def _quantities(usage: Usage) -> Values:
    return {
        "cpu_seconds": usage.cpu_seconds,
        "rss": usage.rss_bytes,
        "os_threads": usage.threads,
        "voluntary_switches": usage.voluntary_switches,
        "involuntary_switches": usage.involuntary_switches,
        "compiler_seconds": usage.compiler_seconds,
        "gc_seconds": usage.gc_seconds,
        "vm_seconds": usage.vm_seconds,
        "cgroup_memory": usage.cgroup_bytes,
        "throttled_seconds": usage.throttled_seconds,
    }

"""k6's raw results (`--out csv`, times in microseconds), reduced to what a record keeps.

k6 writes a request's metrics as neighbouring rows: `http_req_duration` first (sending, waiting,
receiving), then `http_req_blocked` (waiting for a connection, connecting included). Their sum is the
client's whole time, which is what latency means here.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

from telar.errors import RunError
from telar.store.record import Stage

# What k6 says when this machine, not the service, ran out of something.
_OUR_FAULT = re.compile(
    r"cannot assign requested address|address already in use|too many open files|no buffer space"
    r"|network is unreachable|cannot allocate memory",
    re.IGNORECASE,
)
# k6's error codes; 14xx and 15xx are HTTP statuses.
_CLOSED, _TIMEOUT, _RESET = 1000, 1050, 1220
_DIAL_FIRST, _DIAL_LAST = 1100, 1219
_HTTP_FIRST, _HTTP_LAST = 1400, 1599

# The prefix of names of requests that k6's setup() makes, before the window. A guest's may have other names:
# then it is the stage that they lack.
SETUP = "setup-"

Key = tuple[str, str]  # endpoint, stage
_OF_REQUESTS = {"http_reqs", "http_req_duration", "http_req_blocked", "checks", "data_received"}


@dataclass(kw_only=True)
class Results:
    """Of the measured window only, but for `setup_created`."""

    latencies_us: dict[Key, list[float]] = field(default_factory=lambda: defaultdict(list))
    blocked_us: list[float] = field(default_factory=list)
    failures: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)  # …, side, kind
    statuses: Counter[tuple[str, str]] = field(default_factory=Counter)  # endpoint, status
    bytes_received: Counter[str] = field(default_factory=Counter)  # endpoint -> bytes, headers too
    ends: list[tuple[float, float, bool]] = field(default_factory=list)  # end s, whole µs, failed
    iterations: int = 0
    dropped_at: list[float] = field(default_factory=list)  # seconds since the epoch
    setup_created: int = 0

    @property
    def dropped(self) -> int:
        """Arrivals for which no virtual user was free."""
        return len(self.dropped_at)

    @property
    def begun(self) -> list[float]:
        """When each arrival was taken up, those that were dropped too (seconds since the epoch)."""
        return [*(end - whole / 1e6 for end, whole, _ in self.ends), *self.dropped_at]

    @property
    def start(self) -> float:
        """When the first measured request was begun (seconds since the epoch)."""
        return min(end - whole / 1e6 for end, whole, _ in self.ends)

    @property
    def end(self) -> float:
        """When the last measured request was done."""
        return max(end for end, _, _ in self.ends)

    @property
    def requests(self) -> Counter[str]:
        """How many requests each endpoint got."""
        counts: Counter[str] = Counter()
        for (endpoint, _), n in self.statuses.items():
            counts[endpoint] += n
        return counts


def read(*paths: Path) -> Results:
    """All rows of the result files, one of each generator. Raises RunError when there is no measured request
    in them.
    """
    results = Results()
    errored: Counter[Key] = Counter()
    unchecked: Counter[Key] = Counter()
    duration_ms = 0.0
    for row in itertools.chain.from_iterable(map(_rows, paths)):
        metric, endpoint = row["metric_name"], row["name"]
        if endpoint.startswith(SETUP):
            created = metric == "http_reqs" and endpoint == "setup-create" and row["status"] == "201"
            results.setup_created += created
            continue
        if metric in _OF_REQUESTS and not _key(row)[1]:
            continue
        value = float(row["metric_value"])
        if metric == "http_req_duration":
            duration_ms = value
        elif metric == "http_req_blocked":
            _add_request(results, errored, row, duration_ms, value)
        elif metric == "checks" and not value:
            unchecked[_key(row)] += 1
        elif metric == "data_received":
            results.bytes_received[endpoint] += int(value)
        elif metric == "iterations":
            results.iterations += int(value)
        elif metric == "dropped_iterations":
            results.dropped_at += [int(row["timestamp"]) / 1e6] * int(value)
    if not results.ends:
        raise RunError(f"k6 made no measured request: {paths[0]} holds none", hint="its log says why")
    # An answer without an error that failed its check broke the contract in its content.
    for (endpoint, stage), n in (unchecked - errored).items():
        results.failures[endpoint, stage, "server", "contract"] += n
    return results


class Follower:
    """Reads a result file while k6 writes it: when each request ended, and how long it took."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._columns: list[str] = []
        self._requests: list[tuple[float, float]] = []  # end (seconds since the epoch), milliseconds

    @property
    def start(self) -> float | None:
        """When the first request was begun; None before there is one."""
        return self._requests[0][0] - self._requests[0][1] / 1000 if self._requests else None

    def read(self) -> None:
        """Takes what is new, whole lines only."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._offset)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._offset += len(whole)
        for row in csv.reader(whole.decode(errors="replace").splitlines()):
            if not self._columns:
                self._columns = row
            elif row[0] == "http_req_duration":
                self._take(dict(zip(self._columns, row, strict=False)))

    def between(self, start: float, end: float) -> list[float]:
        """Milliseconds of each request that ended in between (seconds since the epoch)."""
        return [ms for at, ms in self._requests if start <= at < end]

    def _take(self, row: dict[str, str]) -> None:
        if not row["name"].startswith(SETUP) and _key(row)[1]:
            self._requests.append((int(row["timestamp"]) / 1e6, float(row["metric_value"])))


def kind_of(  # noqa: PLR0911 - a table of cases
    error_code: str, error: str, status: str
) -> tuple[str, str] | None:
    """(side, kind) of a failed request; None when it didn't fail."""
    if not error_code:
        return None
    code = int(error_code)
    if _OUR_FAULT.search(error):
        return "client", "ports or files exhausted"
    if code == _CLOSED:
        return "server", "connection closed"
    if code == _TIMEOUT:
        return "server", "timeout"
    if _DIAL_FIRST <= code <= _DIAL_LAST:
        return "server", "connect"
    if code == _RESET:
        return "server", "connection reset"
    if _HTTP_FIRST <= code <= _HTTP_LAST:
        return "server", f"status {status}"
    return "server", f"k6 error {code}"


def _add_request(
    results: Results,
    errored: Counter[Key],
    row: dict[str, str],
    duration_ms: float,
    blocked_ms: float,
) -> None:
    key = _key(row)
    whole = (duration_ms + blocked_ms) * 1000
    results.latencies_us[key].append(whole)
    results.blocked_us.append(blocked_ms * 1000)
    results.statuses[key[0], row["status"]] += 1
    failure = kind_of(row["error_code"], row["error"], row["status"])
    if failure:
        errored[key] += row["status"] != "0"  # without an answer there is nothing to check
        results.failures[*key, *failure] += 1
    results.ends.append((int(row["timestamp"]) / 1e6, whole, failure is not None))


def _key(row: dict[str, str]) -> Key:
    return row["name"], row["extra_tags"].partition("stage=")[2].partition("&")[0]


def _rows(path: Path) -> Iterator[dict[str, str]]:
    wanted = {
        "http_reqs", "http_req_duration", "http_req_blocked", "checks", "data_received", "iterations",
        "dropped_iterations",
    }  # fmt: skip
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            header = next(rows, [])
            for row in rows:
                # A torn last line has fewer columns.
                if row and row[0] in wanted and len(row) == len(header):
                    yield dict(zip(header, row, strict=True))
    except OSError as error:
        raise RunError(f"{path}: k6 left no results: {error.strerror}") from error


def by_second(results: Results, stages: Sequence[Stage]) -> dict[str, tuple[float | None, ...]]:
    """Offered rate, answered and failed requests, and latency, for each second of the window.

    `load.waited_seconds` is what all the requests that ended in the second took together.
    """
    start = results.start
    size = int(results.end - start) + 1
    answered, failed = [0.0] * size, [0.0] * size
    latencies: list[list[float]] = [[] for _ in range(size)]
    for end, whole, bad in results.ends:
        second = int(end - start)
        (failed if bad else answered)[second] += 1
        latencies[second].append(whole)
    return {
        "load.offered": tuple(_offered(stages, second + 0.5) for second in range(size)),
        "load.answered": tuple(answered),
        "load.failed": tuple(failed),
        "load.waited_seconds": tuple(sum(values) / 1e6 for values in latencies),
        "load.p50_ms": tuple(_quantile_ms(values, 0.50) for values in latencies),
        "load.p99_ms": tuple(_quantile_ms(values, 0.99) for values in latencies),
    }


def _offered(stages: Sequence[Stage], second: float) -> float | None:
    for stage in stages:
        if stage.start <= second < stage.end:
            share = (second - stage.start) / (stage.end - stage.start)
            return stage.from_rate + (stage.to_rate - stage.from_rate) * share
    return None


def _quantile_ms(values: list[float], quantile: float) -> float | None:
    """The least value that so many of them stayed under or met."""
    return sorted(values)[ceil(quantile * len(values)) - 1] / 1000 if values else None

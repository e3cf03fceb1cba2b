"""k6's raw results (`--out csv`, times in microseconds), reduced to what a record keeps.

k6 writes a request's metrics as neighbouring rows: `http_req_duration` first (sending, waiting,
receiving), then `http_req_blocked` (waiting for a connection, connecting included). Their sum is the
service time, as the client sees it. Latency is that and what the arrival waited in the generator before: it
is from the moment at which the schedule wanted the arrival.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from telar.analyse import schedule
from telar.errors import RunError
from telar.store.record import LatencyFrom, Stage

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
_OF_REQUESTS = {
    "http_reqs", "http_req_duration", "http_req_blocked", "http_req_connecting", "checks", "data_received",
}  # fmt: skip
_WANTED = _OF_REQUESTS | {"iterations", "iteration_duration", "dropped_iterations"}


@dataclass(kw_only=True)
class Results:
    """Of the measured window only, but for `setup_created`."""

    latencies_us: dict[Key, list[float]] = field(default_factory=lambda: defaultdict(list))
    latency_from: LatencyFrom = "sent"  # what these count from
    blocked_us: list[float] = field(default_factory=list)
    failures: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)  # …, side, kind
    statuses: Counter[tuple[str, str]] = field(default_factory=Counter)  # endpoint, status
    bytes_received: Counter[str] = field(default_factory=Counter)  # endpoint -> bytes, headers too
    ends: list[tuple[float, float, bool]] = field(default_factory=list)  # end s, service µs, failed
    waits_us: list[float] = field(default_factory=list)  # in the generator, of each of `ends`; 0: not known
    late: list[float] | None = None  # seconds that each arrival waited there; None: not known
    connections: int = 0  # that were opened by these requests
    iterations: int = 0
    dropped_at: list[float] = field(default_factory=list)  # seconds since the epoch
    setup_created: int = 0

    @property
    def dropped(self) -> int:
        """Arrivals for which no virtual user was free."""
        return len(self.dropped_at)

    @property
    def service_us(self) -> list[float]:
        """From asking for a connection to the last byte, of each request."""
        return [whole for _, whole, _ in self.ends]

    @property
    def start(self) -> float:
        """When the first measured request was begun (seconds since the epoch)."""
        return min(end - whole / 1e6 for end, whole, _ in self.ends)

    @property
    def end(self) -> float:
        """When the last measured request was done."""
        return max(end for end, _, _ in self.ends)

    @property
    def at_once(self) -> int:
        """The most requests that were under way at one moment."""
        begun = [(end - whole / 1e6, 1) for end, whole, _ in self.ends]
        ended = [(end, -1) for end, _, _ in self.ends]
        return max(itertools.accumulate(step for _, step in sorted(begun + ended)))

    @property
    def requests(self) -> Counter[str]:
        """How many requests each endpoint got."""
        counts: Counter[str] = Counter()
        for (endpoint, _), n in self.statuses.items():
            counts[endpoint] += n
        return counts


@dataclass(kw_only=True)
class _Generator:
    """What one result file says of its arrivals."""

    first: dict[int, tuple[float, int]] = field(default_factory=dict)  # number -> start, place in `ends`
    begun: dict[int, float] = field(default_factory=dict)  # number -> when its iteration began
    dropped: list[float] = field(default_factory=list)
    unnumbered: int = 0  # requests that do not say to which arrival they belong


@dataclass(kw_only=True)
class _Open:
    """What is known of a request, or of its check, until all rows are read."""

    keys: list[Key] = field(default_factory=list)  # of each of `ends`
    errored: Counter[Key] = field(default_factory=Counter)
    unchecked: Counter[Key] = field(default_factory=Counter)
    duration_ms: float = 0.0


def read(*paths: Path, stages: Sequence[Stage] = (), thinking: bool = False) -> Results:
    """All rows of the result files, one of each generator in their order. Raises RunError when there is no
    measured request in them.

    `stages`: the schedule that all of them followed together. Without it, or where the rows don't say which
    arrival a request is of, latencies are from the sending. `thinking`: the script may let time pass before
    it asks, as a guest's may. Then an arrival begins with its iteration, else with its first request.
    """
    results, open_, generators = Results(), _Open(), [_Generator() for _ in paths]
    for path, own in zip(paths, generators, strict=True):
        for row in _rows(path):
            _take(results, open_, own, row)
    if not results.ends:
        raise RunError(f"k6 made no measured request: {paths[0]} holds none", hint="its log says why")
    # An answer without an error that failed its check broke the contract in its content.
    for (endpoint, stage), n in (open_.unchecked - open_.errored).items():
        results.failures[endpoint, stage, "server", "contract"] += n
    start = results.start
    for own in generators:
        own.dropped = [t for t in own.dropped if t >= start]  # before it, VUs were touched
        results.dropped_at += own.dropped
    _settle(results, open_.keys, generators, _waits(generators, stages, thinking=thinking))
    return results


def together(parts: Sequence[Results]) -> Results:
    """Loads that followed each other, as one window: from the first's start to the last one's end."""
    whole = Results()
    for part in parts:
        for key, latencies in part.latencies_us.items():
            whole.latencies_us[key] += latencies
        for own, other in (
            (whole.blocked_us, part.blocked_us),
            (whole.ends, part.ends),
            (whole.waits_us, part.waits_us),
            (whole.dropped_at, part.dropped_at),
        ):
            own.extend(other)  # type: ignore[arg-type]
        whole.failures += part.failures
        whole.statuses += part.statuses
        whole.bytes_received += part.bytes_received
        whole.connections += part.connections
        whole.iterations += part.iterations
        whole.setup_created += part.setup_created
    if all(part.latency_from == "due" for part in parts):
        whole.latency_from = "due"
        whole.late = [seconds for part in parts for seconds in part.late or ()]
    return whole


def _take(results: Results, open_: _Open, own: _Generator, row: dict[str, str]) -> None:
    metric, endpoint = row["metric_name"], row["name"]
    if endpoint.startswith(SETUP):
        created = metric == "http_reqs" and endpoint == "setup-create" and row["status"] == "201"
        results.setup_created += created
        return
    if metric in _OF_REQUESTS and not _key(row)[1]:
        return
    value = float(row["metric_value"])
    if metric == "http_req_duration":
        open_.duration_ms = value
    elif metric == "http_req_blocked":
        _add_request(results, open_, own, row, value)
    elif metric == "http_req_connecting":
        results.connections += value > 0
    elif metric == "checks" and not value:
        open_.unchecked[_key(row)] += 1
    elif metric == "data_received":
        results.bytes_received[endpoint] += int(value)
    elif metric == "iterations":
        results.iterations += int(value)
    elif metric == "iteration_duration" and (number := _arrival(row)) is not None:
        own.begun[number] = int(row["timestamp"]) / 1e6 - value / 1000
    elif metric == "dropped_iterations":
        own.dropped += [int(row["timestamp"]) / 1e6] * int(value)


def _settle(
    results: Results, keys: list[Key], generators: list[_Generator], waited: list[dict[int, float]] | None
) -> None:
    """Latencies from the due time: an arrival's first request has waited for as long as the arrival did, and
    those after it have not.
    """
    results.waits_us = [0.0] * len(keys)
    if waited is not None:
        results.latency_from = "due"
        results.late = [seconds for own in waited for seconds in own.values()]
        for own, seconds_of in zip(generators, waited, strict=True):
            for number, (_, place) in own.first.items():
                results.waits_us[place] = seconds_of[number] * 1e6
    for key, (_, service, _), wait in zip(keys, results.ends, results.waits_us, strict=True):
        results.latencies_us[key].append(service + wait)


def _waits(
    generators: list[_Generator], stages: Sequence[Stage], *, thinking: bool
) -> list[dict[int, float]] | None:
    """Of each generator, number of an arrival -> seconds that it waited; None where one doesn't say."""
    planned = list(schedule.due(stages))
    found = []
    for own in generators:
        begun = {number: start for number, (start, _) in own.first.items()}
        if thinking:  # an arrival that was cut short has no row of its own
            begun |= own.begun
        waited = schedule.waits(begun, own.dropped, planned, len(generators)) if planned else None
        if waited is None or own.unnumbered:
            return None
        found.append(waited)
    return found


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
    results: Results, open_: _Open, own: _Generator, row: dict[str, str], blocked_ms: float
) -> None:
    key, number = _key(row), _arrival(row)
    whole = (open_.duration_ms + blocked_ms) * 1000
    end = int(row["timestamp"]) / 1e6
    if number is None:
        own.unnumbered += 1
    else:
        mine = (end - whole / 1e6, len(results.ends))
        own.first[number] = min(mine, own.first.get(number, mine))
    results.blocked_us.append(blocked_ms * 1000)
    results.statuses[key[0], row["status"]] += 1
    failure = kind_of(row["error_code"], row["error"], row["status"])
    if failure:
        open_.errored[key] += row["status"] != "0"  # without an answer there is nothing to check
        results.failures[*key, *failure] += 1
    open_.keys.append(key)
    results.ends.append((end, whole, failure is not None))


def _key(row: dict[str, str]) -> Key:
    return row["name"], row["extra_tags"].partition("stage=")[2].partition("&")[0]


def _arrival(row: dict[str, str]) -> int | None:
    """The number that k6/lib/arrival.ts gave the arrival."""
    number = row["metadata"].partition("arrival=")[2].partition("&")[0]
    return int(number) if number else None


def _rows(path: Path) -> Iterator[dict[str, str]]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            header = next(rows, [])
            for row in rows:
                # A torn last line has fewer columns.
                if row and row[0] in _WANTED and len(row) == len(header):
                    yield dict(zip(header, row, strict=True))
    except OSError as error:
        raise RunError(f"{path}: k6 left no results: {error.strerror}") from error

"""k6's rows, reduced: what was asked, what was answered, what failed and whose fault it was."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from telar.analyse import histogram
from telar.collect import k6, metrics
from telar.errors import RunError
from telar.store.record import Stage

# What k6 2.2 wrote while a server answered, broke the contract, hung up, reset, was slow, was not there;
# two virtual users for five arrivals a second.
REAL = Path(__file__).parent / "k6-2.2-results.csv"
HEADER = REAL.read_text(encoding="utf-8").splitlines()[0].split(",")
T0 = 1_795_251_700.0


class Row(NamedTuple):
    """A row as k6 writes it."""

    metric: str
    at: float = T0  # seconds
    value: float = 1.0
    error: str = ""
    error_code: str = ""
    name: str = "get"
    status: str = ""
    tags: str = "stage=hold"


def request(
    at: float,
    ms: float,
    *,
    blocked: float = 0.0,
    name: str = "get",
    stage: str = "hold",
    status: str = "200",
    code: str = "",
    error: str = "",
) -> list[Row]:
    """The rows of a request that ended at `at`."""
    tags = f"stage={stage}" if stage else ""
    values = {"reqs": 1.0, "req_duration": ms, "req_blocked": blocked, "req_waiting": ms}
    return [Row(f"http_{m}", at, v, error, code, name, status, tags) for m, v in values.items()]


def failed_check(at: float, *, name: str = "get", tags: str = "stage=hold&reason=wrong") -> list[Row]:
    return [Row("checks", at, 0.0, name=name, tags=tags)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "window.csv"


def write(path: Path, *groups: list[Row]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEADER)
        for row in (r for group in groups for r in group):
            values = [row.metric, round(row.at * 1e6), f"{row.value:.6f}", *row[3:], ""]
            writer.writerow(values)
    return path


# ---- k6's own file


def test_requests_are_counted_by_endpoint() -> None:
    results = k6.read(REAL)
    assert results.requests == {"get": 7, "list": 7}
    assert results.iterations == 14
    assert {key: len(values) for key, values in results.latencies_us.items()} == {
        ("get", "hold"): 7,
        ("list", "hold"): 7,
    }


def test_failures_are_told_apart_by_what_the_client_saw() -> None:
    assert k6.read(REAL).failures == {
        ("get", "hold", "server", "timeout"): 3,
        ("get", "hold", "server", "connection reset"): 1,
        ("get", "hold", "server", "status 404"): 1,
        ("list", "hold", "server", "timeout"): 2,
        ("list", "hold", "server", "connection closed"): 1,
        ("list", "hold", "server", "connect"): 1,
        ("list", "hold", "server", "status 500"): 1,
        # Beside the five above, of which only the 500 was an answer whose check failed as well.
        ("list", "hold", "server", "contract"): 1,
    }


def test_arrivals_that_found_no_virtual_user_are_counted_with_their_time() -> None:
    results = k6.read(REAL)
    assert results.dropped == 6
    assert results.dropped_at[0] == 1795251698.270419


def test_latency_is_the_clients_whole_time() -> None:
    # http_req_duration + http_req_blocked of the first measured request, in microseconds.
    assert k6.read(REAL).latencies_us["get", "hold"][0] == pytest.approx(1510.367 + 452.847)


def test_the_window_is_from_the_first_requests_start_to_the_last_ones_end() -> None:
    results = k6.read(REAL)
    assert results.start == pytest.approx(1795251695.872883 - 0.001963214, abs=1e-6)
    assert results.end == 1795251700.270967


def test_bytes_are_counted_by_endpoint() -> None:
    assert k6.read(REAL).bytes_received == {"get": 113 + 120 + 113, "list": 132 + 113 + 113}


# ---- the parts of it


def test_what_a_guests_setup_does_has_no_stage_whatever_its_name(path: Path) -> None:
    setup = [
        request(T0 - 5, 900, name="login", stage=""),
        failed_check(T0 - 4, name="login", tags="reason=x"),
    ]
    results = k6.read(write(path, *setup, request(T0, 1)))
    assert (results.requests, results.failures) == ({"get": 1}, {})
    assert results.start == pytest.approx(T0 - 0.001)


def test_the_files_of_several_generators_are_read_as_one(tmp_path: Path) -> None:
    every = [request(T0 + n / 10, 1 + n) for n in range(40)]
    whole = k6.read(write(tmp_path / "whole.csv", *every))
    parts = [write(tmp_path / f"{n}.csv", *every[n::2]) for n in range(2)]
    merged = k6.read(*parts)
    assert merged.requests == whole.requests
    assert sorted(merged.latencies_us["get", "hold"]) == sorted(whole.latencies_us["get", "hold"])
    assert (merged.start, merged.end) == (whole.start, whole.end)
    # What a record keeps of them is the same, too: histograms add up exactly.
    halves = [h for p in parts for h in metrics.latencies(k6.read(p))]
    (once,) = metrics.latencies(whole)
    together = histogram.merged(h.histogram for h in halves)
    for percentile in (50.0, 95.0, 99.0, 99.9, 100.0):
        assert histogram.percentile_ms(together, percentile) == histogram.percentile_ms(
            histogram.merged([once.histogram]), percentile
        )


def test_what_setup_does_is_no_part_of_the_window(path: Path) -> None:
    setup = [
        request(T0 - 5, 900, name="setup-list", stage=""),
        request(T0 - 4, 900, name="setup-create", stage="", status="201"),
        request(T0 - 3, 900, name="setup-create", stage="", status="201"),
        request(T0 - 2, 900, name="setup-create", stage="", status="500", code="1500"),
        failed_check(T0 - 2, name="setup-create", tags="reason=status"),
    ]
    results = k6.read(write(path, *setup, request(T0, 1)))
    assert results.setup_created == 2
    assert results.requests == {"get": 1}
    assert results.failures == {}
    assert results.start == pytest.approx(T0 - 0.001)


def test_requests_are_kept_by_endpoint_and_stage(path: Path) -> None:
    results = k6.read(
        write(
            path,
            request(T0, 1, blocked=0.5, stage="hold-50"),
            request(T0 + 1, 2, stage="climb-100"),
            request(T0 + 2, 4, name="list", stage="climb-100"),
        )
    )
    assert results.latencies_us == {
        ("get", "hold-50"): [1500.0],
        ("get", "climb-100"): [2000.0],
        ("list", "climb-100"): [4000.0],
    }
    assert results.blocked_us == [500.0, 0.0, 0.0]


def test_neighbouring_requests_do_not_lend_each_other_their_times(path: Path) -> None:
    results = k6.read(write(path, request(T0, 10, blocked=1), request(T0, 20, blocked=2)))
    assert results.latencies_us["get", "hold"] == [11_000.0, 22_000.0]


@pytest.mark.parametrize(
    "tags", ["stage=hold&reason=wrong", "reason=wrong&stage=hold", "reason=a,b&stage=hold"]
)
def test_an_answer_with_the_wrong_content_fails_whatever_the_order_of_its_tags(path: Path, tags: str) -> None:
    results = k6.read(write(path, request(T0, 1), failed_check(T0, tags=tags)))
    assert results.failures == {("get", "hold", "server", "contract"): 1}


def test_a_failed_request_is_counted_once_though_its_check_failed_too(path: Path) -> None:
    error = request(T0, 1, status="503", code="1503")
    results = k6.read(write(path, error, failed_check(T0), request(T0 + 1, 1)))
    assert results.failures == {("get", "hold", "server", "status 503"): 1}


def test_requests_without_an_answer_do_not_hide_wrong_answers(path: Path) -> None:
    timeouts = [request(T0, 2000, status="0", code="1050") for _ in range(3)]
    wrong = [*request(T0, 1), *failed_check(T0)]
    results = k6.read(write(path, *timeouts, wrong, wrong))
    assert results.failures == {
        ("get", "hold", "server", "timeout"): 3,
        ("get", "hold", "server", "contract"): 2,
    }


@pytest.mark.parametrize(
    ("code", "error", "status", "expected"),
    [
        ("", "", "200", None),
        ("1000", "EOF", "0", ("server", "connection closed")),
        ("1050", "request timeout", "0", ("server", "timeout")),
        ("1212", "dial: connection refused", "0", ("server", "connect")),
        ("1220", "read: connection reset by peer", "0", ("server", "connection reset")),
        ("1500", "", "500", ("server", "status 500")),
        ("1404", "", "404", ("server", "status 404")),
        ("1600", "stream error", "0", ("server", "k6 error 1600")),
        # What this machine ran out of isn't the server's fault, whatever the code.
        ("1213", "dial: cannot assign requested address", "0", ("client", "ports or files exhausted")),
        ("1202", "dial: Too many open files", "0", ("client", "ports or files exhausted")),
    ],
)
def test_a_failure_has_a_side_and_a_kind(
    code: str, error: str, status: str, expected: tuple[str, str] | None
) -> None:
    assert k6.kind_of(code, error, status) == expected


def test_a_torn_last_line_is_left_out_wherever_it_is_torn(path: Path) -> None:
    whole = write(path, request(T0, 1), request(T0 + 1, 2)).read_text(encoding="utf-8")
    last = whole.rstrip("\n").rsplit("\n", 1)[0].rstrip("\n")  # up to the last request's http_req_blocked
    begin = last.rindex("\n") + 1
    assert last[begin:].startswith("http_req_blocked")
    for cut in range(begin, len(last)):
        path.write_text(last[:cut], encoding="utf-8")
        assert k6.read(path).requests == {"get": 1}
    path.write_text(last, encoding="utf-8")
    assert k6.read(path).requests == {"get": 2}


def test_a_file_without_a_measured_request_is_an_error(path: Path) -> None:
    for content in ("", ",".join(HEADER) + "\n"):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(RunError, match="made no measured request"):
            k6.read(path)


def test_a_file_that_is_not_there_is_an_error_that_names_it(path: Path) -> None:
    with pytest.raises(RunError, match=r"window\.csv: k6 left no results: No such file"):
        k6.read(path)


# ---- by second

STAGES = (
    Stage(name="hold", from_rate=10.0, to_rate=10.0, start=0.0, end=1.0),
    Stage(name="climb", from_rate=10.0, to_rate=30.0, start=1.0, end=3.0),
)


def test_each_second_of_the_window_has_its_own_numbers(path: Path) -> None:
    results = k6.read(
        write(
            path,
            request(T0 + 0.010, 10),  # begins at T0
            request(T0 + 0.9, 30),
            request(T0 + 2.5, 50),
            request(T0 + 2.6, 70, status="0", code="1050"),
        )
    )
    assert k6.by_second(results, STAGES) == {
        "load.offered": (10.0, 15.0, 25.0),
        "load.answered": (2.0, 0.0, 1.0),
        "load.failed": (0.0, 0.0, 1.0),
        "load.waited_seconds": (0.04, 0.0, 0.12),
        "load.p50_ms": (10.0, None, 50.0),
        "load.p99_ms": (30.0, None, 70.0),
    }


def test_a_seconds_p99_is_what_99_percent_of_its_requests_stayed_under_or_met(path: Path) -> None:
    for count, expected in ((50, 50.0), (100, 99.0), (200, 198.0)):
        results = k6.read(write(path, *(request(T0 + n / 1000, n) for n in range(1, count + 1))))
        (p99,) = k6.by_second(results, STAGES)["load.p99_ms"]
        assert p99 == expected


def test_after_the_last_stage_nothing_is_offered(path: Path) -> None:
    results = k6.read(write(path, request(T0, 1), request(T0 + 4.2, 1)))
    assert k6.by_second(results, STAGES)["load.offered"] == (10.0, 15.0, 25.0, None, None)


def test_every_request_is_in_one_second(path: Path) -> None:
    results = k6.read(REAL)
    seconds = k6.by_second(results, ())
    answered, failed = (sum(v for v in seconds[n] if v) for n in ("load.answered", "load.failed"))
    kinds: Counter[str] = Counter()
    for (_, _, _, kind), n in results.failures.items():
        kinds[kind] += n
    assert failed == sum(kinds.values()) - kinds["contract"]
    assert answered + failed == sum(results.requests.values())

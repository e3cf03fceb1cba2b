"""k6's rows, reduced: what was asked, what was answered, what failed and whose fault it was."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from telar.analyse import histogram
from telar.analyse.schedule import quantile
from telar.collect import k6, metrics
from telar.collect.seconds import by_second
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
    metadata: str = ""


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
    arrival: int | None = None,
    connecting: float = 0.0,
) -> list[Row]:
    """The rows of a request that ended at `at`."""
    number = "" if arrival is None else f"arrival={arrival}"
    tags = f"stage={stage}" if stage else ""
    values = {"reqs": 1.0, "req_duration": ms, "req_blocked": blocked, "req_connecting": connecting}
    return [Row(f"http_{m}", at, v, error, code, name, status, tags, number) for m, v in values.items()]


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
            values = [row.metric, round(row.at * 1e6), f"{row.value:.6f}", *row[3:]]
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


def test_without_numbers_of_arrivals_latency_is_the_clients_whole_time_from_the_sending() -> None:
    # http_req_duration + http_req_blocked of the first measured request, in microseconds.
    results = k6.read(REAL, stages=[Stage(name="hold", from_rate=5.0, to_rate=5.0, start=0.0, end=4.0)])
    assert results.latencies_us["get", "hold"][0] == pytest.approx(1510.367 + 452.847)
    assert (results.latency_from, results.late) == ("sent", None)


def test_connections_that_the_window_opened_are_counted() -> None:
    assert k6.read(REAL).connections == 7  # two virtual users; the server hung up now and then


def test_the_window_is_from_the_first_requests_start_to_the_last_ones_end() -> None:
    results = k6.read(REAL)
    assert results.start == pytest.approx(1795251695.872883 - 0.001963214, abs=1e-6)
    assert results.end == 1795251700.270967


def test_how_many_were_under_way_at_once_is_known(path: Path) -> None:
    assert k6.read(REAL).at_once == 2  # each of its two users, while an answer took a second
    three = write(
        path, request(T0 + 3, 2500), request(T0 + 2, 1500), request(T0 + 1, 200), request(T0 + 4, 1500)
    )
    assert k6.read(three).at_once == 3
    after_another = write(path, request(T0 + 1, 1000), request(T0 + 2, 1000))
    assert k6.read(after_another).at_once == 1


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


# ---- latency from the due time

TEN = Stage(name="hold", from_rate=10.0, to_rate=10.0, start=0.0, end=10.0)  # 100 arrivals


def arrive(number: int, *, late: float = 0.0, ms: float = 2.0, **changes: Any) -> list[Row]:
    """The request of an arrival that was due at T0 + (number + 1) / 10, taken up so many seconds late."""
    return request(T0 + (number + 1) / 10 + late + ms / 1000, ms, arrival=number, **changes)


def iteration(number: int, *, late: float = 0.0, ms: float = 2.0) -> list[Row]:
    """Its iteration's row, at its end."""
    end = T0 + (number + 1) / 10 + late + ms / 1000
    return [Row("iteration_duration", end, ms, metadata=f"arrival={number}")]


def stalled(number: int) -> float:
    """How late an arrival is where the generator stands still from second 4 to 5."""
    return (50 - number - 1) / 10 if 40 <= number < 50 else 0.0


def percentile(results: k6.Results, share: float) -> float:
    values = [us / 1000 for found in results.latencies_us.values() for us in found]
    return quantile(values, share)


def test_what_a_generator_that_stood_still_made_arrivals_wait_is_in_the_latency(path: Path) -> None:
    results = k6.read(write(path, *(arrive(n, late=stalled(n)) for n in range(100))), stages=[TEN])
    assert results.latency_from == "due"
    assert percentile(results, 0.99) == pytest.approx(802, abs=0.1)
    assert percentile(results, 0.50) == pytest.approx(2, abs=0.1)
    assert quantile(results.late or (), 0.99) == pytest.approx(0.8, abs=0.001)
    # Each answer took two milliseconds once it was asked for.
    assert quantile(results.service_us, 1.0) == pytest.approx(2000)


def test_a_wait_belongs_to_the_endpoint_and_the_stage_of_its_own_request(path: Path) -> None:
    names = ["list" if n == 40 else "get" for n in range(100)]
    rows = [arrive(n, late=stalled(n), name=names[n]) for n in reversed(range(100))]
    results = k6.read(write(path, *rows), stages=[TEN])
    assert results.latencies_us["list", "hold"] == pytest.approx([902_000], abs=100)
    assert max(results.latencies_us["get", "hold"]) == pytest.approx(802_000, abs=100)


def test_an_arrivals_first_request_has_waited_and_those_after_it_have_not(path: Path) -> None:
    later = [arrive(n, late=stalled(n) + 0.02, name="second") for n in range(100)]
    first = [arrive(n, late=stalled(n)) for n in range(100)]
    results = k6.read(write(path, *later, *first), stages=[TEN])
    assert max(results.latencies_us["get", "hold"]) == pytest.approx(902_000, abs=100)
    assert results.latencies_us["second", "hold"] == pytest.approx([2000] * 100)


def test_a_script_that_thinks_before_it_asks_was_not_late_for_that(path: Path) -> None:
    """A guest's: its arrival begins with its iteration."""
    asked = [arrive(n, late=stalled(n) + (0.5 if n % 2 else 0.0)) for n in range(100)]
    begun = [iteration(n, late=stalled(n), ms=600) for n in range(100)]
    rows = write(path, *asked, *begun)
    thinking = k6.read(rows, stages=[TEN], thinking=True)
    assert max(thinking.latencies_us["get", "hold"]) == pytest.approx(902_000, abs=100)
    assert percentile(thinking, 0.90) == pytest.approx(2, abs=0.1)
    assert percentile(k6.read(rows, stages=[TEN]), 0.90) == pytest.approx(502, abs=0.1)


def test_an_arrival_that_was_cut_short_has_its_requests_to_tell_when_it_began(path: Path) -> None:
    begun = [iteration(n) for n in range(99)]
    results = k6.read(write(path, *map(arrive, range(100)), *begun), stages=[TEN], thinking=True)
    assert results.latency_from == "due"
    assert percentile(results, 1.0) == pytest.approx(2, abs=0.1)


def test_dropped_arrivals_leave_the_others_where_they_were_due(path: Path) -> None:
    lost = {n: [Row("dropped_iterations", T0 + (n + 1) / 10, name="", tags="")] for n in (10, 11, 60)}
    due = [n for n in range(100) if n not in lost]
    rows = [[r._replace(metadata=f"arrival={k}") for r in arrive(n)] for k, n in enumerate(due)]
    results = k6.read(write(path, *rows, *lost.values()), stages=[TEN])
    assert (results.latency_from, results.dropped) == ("due", 3)
    assert percentile(results, 1.0) == pytest.approx(2, abs=0.1)


@pytest.mark.parametrize(
    "stages", [[], [Stage(name="hold", from_rate=1.0, to_rate=1.0, start=0.0, end=10.0)]]
)
def test_under_another_schedule_due_times_are_not_known(path: Path, stages: list[Stage]) -> None:
    results = k6.read(write(path, *(arrive(n, late=stalled(n)) for n in range(100))), stages=stages)
    assert (results.latency_from, results.late) == ("sent", None)
    assert percentile(results, 1.0) == pytest.approx(2, abs=0.1)


def test_one_request_without_its_arrivals_number_and_nothing_is_guessed(path: Path) -> None:
    rows = [arrive(n, late=stalled(n)) for n in range(99)]
    results = k6.read(write(path, *rows, request(T0 + 12, 2)), stages=[TEN])
    assert (results.latency_from, results.late) == ("sent", None)


def test_each_generator_is_late_by_its_own_clock(tmp_path: Path) -> None:
    """They share the arrivals; the second began a moment later, and stood still for a second."""
    first = write(tmp_path / "1.csv", *(arrive(n) for n in range(0, 100, 2)))
    second = write(tmp_path / "2.csv", *(arrive(n, late=0.03 + stalled(n)) for n in range(1, 100, 2)))
    results = k6.read(first, second, stages=[TEN])
    assert results.latency_from == "due"
    assert sorted(results.late or ())[-5:] == pytest.approx([0.2, 0.4, 0.6, 0.8, 0.8], abs=0.25)
    assert sum(seconds > 0.01 for seconds in results.late or ()) == 4


def test_what_was_dropped_before_the_window_is_no_part_of_it(path: Path) -> None:
    """While the VUs were touched: k6 gives a dropped arrival no name."""
    touched = [request(T0 - 3, 9, name="setup-touch", stage="", connecting=1.0)]
    before = [Row("dropped_iterations", T0 - 3, name="", tags="")]
    results = k6.read(write(path, *touched, before, *(arrive(n) for n in range(100))), stages=[TEN])
    assert (results.dropped, results.connections, results.latency_from) == (0, 0, "due")


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
    assert by_second(results, STAGES) == {
        "load.offered": (10.0, 15.0, 25.0),
        "load.answered": (2.0, 0.0, 1.0),
        "load.failed": (0.0, 0.0, 1.0),
        "load.waited_seconds": (0.04, 0.0, 0.12),
        "load.p50_ms": (10.0, None, 50.0),
        "load.p99_ms": (30.0, None, 70.0),
        "load.late_ms": (None, None, None),
    }


def test_a_seconds_p99_is_what_99_percent_of_its_requests_stayed_under_or_met(path: Path) -> None:
    for count, expected in ((50, 50.0), (100, 99.0), (200, 198.0)):
        results = k6.read(write(path, *(request(T0 + n / 1000, n) for n in range(1, count + 1))))
        (p99,) = by_second(results, STAGES)["load.p99_ms"]
        assert p99 == expected


def test_a_seconds_latency_is_from_the_due_time_and_what_clients_waited_for_the_service_is_not(
    path: Path,
) -> None:
    results = k6.read(write(path, *(arrive(n, late=stalled(n)) for n in range(100))), stages=[TEN])
    seconds = by_second(results, [TEN])
    assert seconds["load.p99_ms"][4] == pytest.approx(902, abs=0.1)
    assert seconds["load.late_ms"][4] == pytest.approx(900, abs=0.1)
    assert seconds["load.late_ms"][2] == pytest.approx(0, abs=0.1)
    assert sum(v or 0.0 for v in seconds["load.waited_seconds"]) == pytest.approx(100 * 0.002)


def test_after_the_last_stage_nothing_is_offered(path: Path) -> None:
    results = k6.read(write(path, request(T0, 1), request(T0 + 4.2, 1)))
    assert by_second(results, STAGES)["load.offered"] == (10.0, 15.0, 25.0, None, None)


def test_every_request_is_in_one_second(path: Path) -> None:
    results = k6.read(REAL)
    seconds = by_second(results, ())
    answered, failed = (sum(v for v in seconds[n] if v) for n in ("load.answered", "load.failed"))
    kinds: Counter[str] = Counter()
    for (_, _, _, kind), n in results.failures.items():
        kinds[kind] += n
    assert failed == sum(kinds.values()) - kinds["contract"]
    assert answered + failed == sum(results.requests.values())


def test_loads_that_follow_each_other_are_one_window(tmp_path: Path) -> None:
    def load(at: float, stage: str) -> k6.Results:
        rows = [*request(at, 4.0, stage=stage, arrival=0), *request(at + 1, 6.0, stage=stage, arrival=1)]
        rows += [Row("iterations", at + 1, 2.0), Row("dropped_iterations", at + 1)]
        stages = [Stage(name=stage, from_rate=1.0, to_rate=1.0, start=0.0, end=3.0)]
        return k6.read(write(tmp_path / f"{stage}.csv", rows), stages=stages)

    first, second = load(T0, "hold-1"), load(T0 + 30, "hold-2")
    whole = k6.together([first, second])
    assert (whole.start, whole.end) == (first.start, second.end)
    assert (whole.iterations, whole.dropped) == (4, 2)
    assert whole.requests == {"get": 4}
    assert set(whole.latencies_us) == {("get", "hold-1"), ("get", "hold-2")}
    assert len(whole.ends) == len(whole.waits_us) == 4
    assert whole.latency_from == first.latency_from
    assert len(whole.late or ()) == len(first.late or ()) + len(second.late or ())

"""What is read once a second: real processes, and an endpoint that doesn't always answer."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telar.collect.host import ProcessTree, Usage
from telar.collect.sampler import SCRAPE_TIMEOUT, STEP, Sampler, Scrape, Timeline

from .conftest import Start


class Endpoint(BaseHTTPRequestHandler):
    """Metrics, as the test says."""

    status: ClassVar[int] = 200
    text: ClassVar[str] = ""
    hang: ClassVar[threading.Event | None] = None

    def do_GET(self) -> None:
        if self.hang:
            self.hang.wait(10)
        body = self.text.encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def endpoint() -> Iterator[str]:
    Endpoint.status, Endpoint.text, Endpoint.hang = 200, "jvm_threads_live_threads 30\n", None
    server = ThreadingHTTPServer(("127.0.0.1", 0), Endpoint)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/metrics"
    if Endpoint.hang:
        Endpoint.hang.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def sampler() -> Iterator[Sampler]:
    made = Sampler()
    yield made
    made.stop()


def last(sampler: Sampler) -> dict[str, float | None]:
    """Every series' value in the last sample."""
    now = time.time()
    _, series = sampler.timeline().series(now - 0.4, now)
    return {name: values[-1] for name, values in series.items()}


def of_the_app(sampler: Sampler) -> dict[str, float | None]:
    return {name: value for name, value in last(sampler).items() if name.startswith("app.")}


def test_series_are_named_by_component_and_quantity(sampler: Sampler, endpoint: str) -> None:
    sampler.add("database", ProcessTree(os.getpid()))
    sampler.scrape(endpoint)
    sampler.sample()
    seen = last(sampler)
    assert seen["app.threads_live"] == 30
    assert seen["database.rss"]
    assert seen["database.rss"] > 1024**2
    assert seen["database.os_threads"]
    assert seen["database.cgroup_memory"] is None  # a plain process has none


def test_a_component_that_ends_is_null_from_then_on_and_the_others_go_on(
    sampler: Sampler, start: Start
) -> None:
    process = start("pass")
    sampler.add("generator", ProcessTree(process.pid))
    sampler.add("app", ProcessTree(os.getpid()))
    begin = time.time()
    sampler.sample()
    process.kill()
    process.wait()
    sampler.sample()
    _, series = sampler.timeline().series(begin, begin)
    assert series["generator.cpu_seconds"][0] is not None  # the reading of that second stands
    assert len(sampler.timeline().points("generator.rss", begin, time.time())) == 1
    assert len(sampler.timeline().points("app.rss", begin, time.time())) == 2


class Made:
    """A component whose use is made up."""

    def __init__(self, *cpu_seconds: float) -> None:
        self._left = list(cpu_seconds)

    def usage(self) -> Usage | None:
        if not self._left:
            return None
        return Usage(
            cpu_seconds=self._left.pop(0),
            rss_bytes=1,
            threads=1,
            voluntary_switches=10,
            involuntary_switches=0,
            compiler_seconds=0,
            gc_seconds=0,
            throttled_seconds=0.5,
        )


def test_a_component_in_anothers_place_is_read_at_once_and_counts_on(sampler: Sampler) -> None:
    sampler.add("generator", Made(1.0, 3.0))
    sampler.sample()
    sampler.sample()  # it has ended
    sampler.add("generator", Made(0.25, 0.75))
    sampler.sample()
    line = sampler.timeline()
    readings = [v for _, v in line.points("generator.cpu_seconds", 0, time.time())]
    assert readings == [1.0, 3.0, 3.25, 3.75]
    assert [v for _, v in line.points("generator.voluntary_switches", 0, time.time())] == [10, 10, 20, 20]
    assert [v for _, v in line.points("generator.throttled_seconds", 0, time.time())] == [0.5, 0.5, 1, 1]
    assert line.peak("generator.rss", 0, time.time()) == 1


@pytest.mark.parametrize(
    ("status", "text"),
    [(500, "jvm_threads_live_threads 30\n"), (200, "<html>"), (200, ""), (200, "something_else 1\n")],
)
def test_an_endpoint_that_gives_no_metrics_is_a_gap_and_no_values(
    sampler: Sampler, endpoint: str, status: int, text: str
) -> None:
    Endpoint.status, Endpoint.text = status, text
    sampler.add("app", ProcessTree(os.getpid()))
    sampler.scrape(endpoint)
    begin = time.time()
    sampler.sample()
    assert sampler.timeline().points("app.threads_live", begin, time.time()) == []
    assert sampler.timeline().points("app.rss", begin, time.time()) != []
    assert sampler.timeline().gap(begin - 5, begin + 5) == 8.5


def test_its_own_readings_are_not_among_the_requests_that_were_served(
    sampler: Sampler, endpoint: str
) -> None:
    served = 'http_server_requests_seconds_count{{uri="{}"}} {}\n'
    Endpoint.text = served.format("/movies", 9) + served.format("/metrics", 40)
    sampler.scrape(endpoint)
    sampler.sample()
    assert of_the_app(sampler) == {"app.requests_served": 9}


@pytest.mark.thorough
def test_an_endpoint_that_hangs_costs_less_than_a_step(sampler: Sampler, endpoint: str) -> None:
    Endpoint.hang = threading.Event()
    sampler.scrape(endpoint)
    begin = time.monotonic()
    sampler.sample()
    assert SCRAPE_TIMEOUT <= time.monotonic() - begin < 5  # of the 10 s that it hangs
    assert SCRAPE_TIMEOUT < STEP
    assert of_the_app(sampler) == {}


def test_an_endpoint_that_is_not_there_is_no_error(sampler: Sampler) -> None:
    sampler.scrape("http://127.0.0.1:9/metrics")
    sampler.sample()
    assert of_the_app(sampler) == {}


@pytest.mark.thorough
def test_the_machine_and_the_runner_are_read_with_the_components(sampler: Sampler) -> None:
    begin = time.time()
    sampler.sample()
    spend = time.process_time() + 0.3
    while time.process_time() < spend:
        pass
    sampler.sample()
    line, end = sampler.timeline(), time.time()
    own, all_of_it = (
        [v for _, v in line.points(name, begin, end)] for name in ("runner.cpu_seconds", "host.busy_seconds")
    )
    assert own[-1] - own[0] >= 0.27  # each reading is of whole ticks
    assert all_of_it[-1] - all_of_it[0] >= own[-1] - own[0] - 0.05  # in ticks of 10 ms a processor


@pytest.mark.thorough
def test_the_thread_samples_at_once_and_then_each_second_until_it_is_stopped(sampler: Sampler) -> None:
    sampler.add("app", ProcessTree(os.getpid()))
    begin = time.time()
    sampler.start()
    while len(readings := sampler.timeline().points("app.rss", begin, time.time())) < 2:
        assert time.time() - begin < 10
        time.sleep(0.01)
    sampler.stop()
    assert readings[1][0] - readings[0][0] == pytest.approx(1, abs=0.4)  # on a busy machine
    sampler.stop()  # may be repeated
    assert len(sampler.timeline().points("app.rss", begin, time.time())) == 2


# ---- asked by time


def timeline(*points: tuple[float, float | None], scrapes: tuple[Scrape, ...] = ()) -> Timeline:
    return Timeline([(t, {"x": v}) for t, v in points], list(scrapes))


COUNTER = timeline((10, 100.0), (11, 110.0), (12, 140.0))


@pytest.mark.parametrize(
    ("at", "value"),
    [
        (10, 100.0),
        (10.5, 105.0),
        (11.5, 125.0),
        (12, 140.0),
        (8.5, 100.0),  # the nearest reading, when it isn't older than two steps
        (13.5, 140.0),
        (7.9, None),
        (14.1, None),
    ],
)
def test_a_counter_is_linear_between_readings_and_unknown_far_from_them(
    at: float, value: float | None
) -> None:
    assert COUNTER.at("x", at) == value


def test_the_growth_of_a_counter_is_between_two_moments() -> None:
    assert COUNTER.delta("x", 10.5, 11.5) == 20.0
    assert COUNTER.delta("x", 10.5, 20) is None
    assert COUNTER.delta("y", 10, 12) is None


def test_a_peak_is_of_readings_between_two_moments_only() -> None:
    gauge = timeline((1, 9.0), (2, 3.0), (3, None), (4, 5.0), (5, 9.0))
    assert gauge.peak("x", 1.5, 4.5) == 5.0
    assert gauge.peak("x", 2.5, 3.5) is None


@pytest.mark.parametrize(
    ("good", "gap"),
    [
        (range(100, 111), 0.0),
        ([100, 101, 102, 106, 107, 108, 109, 110], 2.5),  # 103, 104 and 105 are missing
        ([105], 7.0),
        ([], 8.5),
        ([50, 200], 8.5),
    ],
)
def test_a_gap_is_what_lies_beyond_a_step_and_a_half(good: range | list[int], gap: float) -> None:
    scrapes = tuple(
        Scrape(begun=t, ended=t + 0.01, good=t in good) for t in sorted({*range(100, 111), *good})
    )
    assert timeline(scrapes=scrapes).gap(100, 110) == gap


def test_a_series_has_a_slot_for_each_second_and_null_where_nothing_was_read() -> None:
    seen = Timeline([(9.9, {"a": 1.0}), (11.1, {"a": 2.0, "b": 7.0}), (13, {"a": None})], [])
    assert seen.series(10, 13.9) == (10, {"a": (1.0, 2.0, None, None), "b": (None, 7.0, None, None)})


@settings(deadline=None)
@given(phase=st.floats(0, 0.999), seconds=st.integers(2, 30))
def test_one_reading_a_second_fills_every_slot_whatever_its_phase(phase: float, seconds: int) -> None:
    readings = [(1000 + phase + n, float(n)) for n in range(-1, seconds + 1)]
    _, series = timeline(*readings).series(1000, 1000 + seconds)
    assert None not in series["x"]


def test_a_scrape_has_the_times_between_which_the_heap_was_read(sampler: Sampler, endpoint: str) -> None:
    Endpoint.text = (
        'jvm_memory_used_bytes{area="heap",id="a"} 3\njvm_memory_used_bytes{area="heap",id="b"} 4\n'
    )
    sampler.scrape(endpoint)
    before = time.time()
    sampler.sample()
    after = time.time()
    (seen,) = sampler.timeline().scrapes(before, after)
    assert (seen.heap, seen.good) == (7, True)
    assert before <= seen.begun <= seen.ended <= after
    assert sampler.timeline().scrapes(seen.begun + 1e-6, after) == []  # begun before it: not within

"""The app's metrics: which samples become which series."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from telar.collect import prometheus

# As Micrometer writes it, with what its format allows: escapes, timestamps, NaN, histograms.
TEXT = r"""# HELP jvm_memory_used_bytes The amount of used memory, with a \\ and a \n in its help
# TYPE jvm_memory_used_bytes gauge
jvm_memory_used_bytes{area="heap",id="G1 \"Eden\", {the} \\ first\n"} 1.0E7
jvm_memory_used_bytes{area="heap",id="G1 Old Gen"} 2500000.0
jvm_memory_used_bytes{area="nonheap",id="Metaspace"} 4.0E6
# TYPE jvm_threads_states_threads gauge
jvm_threads_states_threads{state="runnable"} 7.0
jvm_threads_states_threads{state="timed-waiting"} 12.0
# TYPE jvm_threads_virtual_pinned_seconds summary
jvm_threads_virtual_pinned_seconds_count 3
jvm_threads_virtual_pinned_seconds_sum 0.25
jvm_threads_virtual_pinned_seconds_max NaN
# TYPE http_server_requests_seconds histogram
http_server_requests_seconds_bucket{uri="/movies",le="0.001"} 5
http_server_requests_seconds_bucket{uri="/movies",le="+Inf"} 9
http_server_requests_seconds_count{uri="/movies"} 9
http_server_requests_seconds_sum{uri="/movies"} 0.5
http_server_requests_seconds_count{uri="/movies/{id}"} 4 1795245514885
# TYPE hikaricp_connections_pending gauge
hikaricp_connections_pending{pool="movies"} NaN
# TYPE jvm_compilation_time_ms_total counter
jvm_compilation_time_ms_total{compiler="HotSpot 64-Bit Tiered Compilers"} 40918.0
# TYPE something_else gauge
something_else 1
"""


def test_samples_of_a_series_are_added_up_and_others_left_out() -> None:
    assert prometheus.reduce(TEXT) == {
        "heap_used": 12_500_000.0,
        "nonheap_used": 4_000_000.0,
        "threads_runnable": 7.0,
        "threads_timed_waiting": 12.0,
        "virtual_pinned_count": 3.0,
        "virtual_pinned_seconds": 0.25,
        "requests_served": 13.0,
        "request_seconds": 0.5,
        "jit_seconds": pytest.approx(40.918),
    }


@pytest.mark.parametrize("value", ["NaN", "-1.0", "+Inf", "-Inf"])
def test_what_is_not_known_is_left_out_and_never_zero(value: str) -> None:
    assert prometheus.reduce(f"jvm_threads_live_threads {value}\n") == {}
    pools = f"hikaricp_connections_active {value}\nr2dbc_pool_acquired_connections 4\n"
    assert prometheus.reduce(pools) == {"pool_active": 4.0}


@pytest.mark.parametrize(
    ("sample", "series"),
    [
        ("hikaricp_connections_active", "pool_active"),
        ("r2dbc_pool_acquired_connections", "pool_active"),
        ("agroal_active_count", "pool_active"),
        ("mongodb_driver_pool_checkedout", "pool_active"),
        ("sql_pool_active", "pool_active"),
        ("hikaricp_connections_pending", "pool_waiting"),
        ("r2dbc_pool_pending_connections", "pool_waiting"),
        ("agroal_awaiting_count", "pool_waiting"),
        ("mongodb_driver_pool_waitqueuesize", "pool_waiting"),
        ("sql_pool_queue_size", "pool_waiting"),
    ],
)
def test_the_pools_of_all_variants_have_one_name(sample: str, series: str) -> None:
    assert prometheus.reduce(f'{sample}{{pool="a"}} 3\n{sample}{{pool="b"}} 2\n') == {series: 5.0}


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_whatever_an_endpoint_sends_is_read_or_refused(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(TEXT)))
    end = data.draw(st.integers(start, len(TEXT)))
    torn = TEXT[:start] + data.draw(st.text('{}",=\\#\n <>a1', max_size=4)) + TEXT[end:]
    try:
        values = prometheus.reduce(torn)
    except ValueError:
        return  # what the sampler takes for a scrape that failed
    assert all(0 <= value < float("inf") for value in values.values())


def test_who_reads_the_metrics_is_no_request_that_was_served() -> None:
    own = (
        'http_server_requests_seconds_count{method="GET",status="200",uri="/metrics"} 40\n'
        'http_server_requests_seconds_sum{method="GET",status="200",uri="/metrics"} 2.5\n'
    )
    assert prometheus.reduce(own + TEXT, page="/metrics") == prometheus.reduce(TEXT)
    assert prometheus.reduce(own + TEXT, page="/another")["requests_served"] == 40 + 13


def test_a_page_that_is_no_metrics_is_refused() -> None:
    with pytest.raises(ValueError, match="metric name"):
        prometheus.reduce("<html><body>Not Found</body></html>")

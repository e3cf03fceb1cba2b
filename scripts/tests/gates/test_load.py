"""The generator's side: arrivals, client, status, little."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from telar.store.record import Gate, Metric

from .sound import (
    ANSWERED,
    PROVENANCE,
    SECONDS,
    SERIES,
    counter,
    failures,
    judged,
    load_with,
    series,
    steadily,
)

# ---- arrivals


@pytest.mark.parametrize(
    ("iterations", "dropped", "verdict", "limited_by", "observed"),
    [
        (2250, 0, "pass", None, "2,250 arrivals, 0 dropped"),
        (2245, 0, "pass", None, "2,245 arrivals, 0 dropped"),
        (2255, 0, "pass", None, "2,255 arrivals, 0 dropped"),
        (2244, 0, "fail", None, "2,244 arrivals, 0 dropped"),
        (2256, 0, "fail", None, "2,256 arrivals, 0 dropped"),
        (2249, 1, "fail", "generator", "2,250 arrivals, 1 dropped"),
        (1250, 1000, "fail", "generator", "2,250 arrivals, 1,000 dropped"),
        (1250, 100, "fail", None, "1,350 arrivals, 100 dropped"),  # not all of it is accounted for
        (0, 0, "fail", None, "0 arrivals, 0 dropped"),
    ],
)
def test_arrivals(iterations: int, dropped: int, verdict: str, limited_by: str | None, observed: str) -> None:
    seen = judged("arrivals", load=load_with(iterations=iterations, dropped=dropped))
    assert (seen.verdict, seen.limited_by, seen.observed) == (verdict, limited_by, observed)
    assert seen.expected == "2,250 ± 5 arrivals, none dropped"


def test_lost_arrivals_and_dropped_ones_have_advice_of_their_own() -> None:
    lost, dropped = (judged("arrivals", load=load_with(iterations=2000, dropped=n)) for n in (0, 250))
    assert lost.advice == ("the generator did not keep its schedule: look at its log, and at what else ran")
    assert dropped.advice == (
        "no virtual user was free: the service stalled, or the workload needs more of them"
    )


# ---- client


def busy(processors: float, *, below: float = 0.1) -> Any:
    """A generator that keeps so many processors busy at the highest rate, from second 20 on."""
    return series({"generator.cpu_seconds": counter([below] * 20 + [processors] * 11)})


@pytest.mark.parametrize(
    ("changes", "verdict", "observed"),
    [
        ({}, "pass", "0 errors, 10% busy at 100/s, 4.0 ms late"),
        ({"series": busy(1.38)}, "pass", "0 errors, 69% busy at 100/s, 4.0 ms late"),
        ({"series": busy(1.41)}, "fail", "0 errors, 70% busy at 100/s, 4.0 ms late"),
        # The record's p99 is 70.1 ms.
        ({"load": load_with(late=0.035)}, "pass", "0 errors, 10% busy at 100/s, 35.0 ms late"),
        ({"load": load_with(late=0.0351)}, "fail", "0 errors, 10% busy at 100/s, 35.1 ms late"),
        ({"load": load_with(late=None)}, "warn", "0 errors, 10% busy at 100/s, not known how late"),
        (
            {"series": series({"generator.cpu_seconds": None})},
            "warn",
            "0 errors, not known how busy, 4.0 ms late",
        ),
        (
            {"failures": (failures(1, "ports or files exhausted", side="client"),)},
            "fail",
            "1 errors, 10% busy at 100/s, 4.0 ms late",
        ),
        ({"failures": (failures(9, "status 500"),)}, "pass", "0 errors, 10% busy at 100/s, 4.0 ms late"),
    ],
)
def test_client(changes: dict[str, Any], verdict: str, observed: str) -> None:
    seen = judged("client", **changes)
    assert (seen.verdict, seen.observed) == (verdict, observed)
    assert seen.limited_by == (None if verdict == "pass" else "generator")
    assert seen.expected == (
        "no error on the client's side, under 70% of its 2 processors busy, "
        "99 of 100 arrivals at most 35.0 ms late: 50% of p99, or 4 ms"
    )


@pytest.mark.parametrize(
    ("p99", "late", "verdict"),
    [
        (3.0, 0.004, "pass"),  # a tick of the scheduler is no fault
        (3.0, 0.0041, "fail"),
        (8.1, 0.006, "fail"),  # most of it is the generator's
        (20.0, 0.006, "pass"),
        (39.8, 0.025, "fail"),
        (None, 0.004, "pass"),
        (None, 0.0041, "fail"),
    ],
)
def test_how_late_is_too_late_depends_on_p99(p99: float | None, late: float, verdict: str) -> None:
    value = {} if p99 is None else {"p99": Metric(value=p99, unit="ms", better="smaller")}
    seen = judged("client", load=load_with(late=late), metrics=value)
    assert (seen.verdict, seen.limited_by) == (verdict, None if verdict == "pass" else "generator")


@pytest.mark.parametrize(
    ("opened", "verdict", "said"),
    [
        (0, "pass", ", 0.0% of the requests connected first"),
        (22, "pass", ", 1.0% of the requests connected first"),
        (23, "warn", ", 1.0% of the requests connected first"),
        (540, "warn", ", 24.0% of the requests connected first"),
        (None, "pass", ""),
    ],
)
def test_requests_that_connect_first_are_told(opened: int | None, verdict: str, said: str) -> None:
    seen = judged("client", load=load_with(connections=opened))
    assert (seen.verdict, seen.observed) == (verdict, f"0 errors, 10% busy at 100/s, 4.0 ms late{said}")
    if verdict == "warn":
        assert seen.advice.startswith("p99 tells of connecting")


def test_a_generator_that_is_busy_at_the_top_only_is_found() -> None:
    """Over the whole window it would be under the limit."""
    assert judged("client", series=busy(1.9, below=0.05)).verdict == "fail"


def test_what_is_busy_is_counted_in_the_generators_own_processors() -> None:
    split = msgspec.structs.replace(PROVENANCE, cpus={"app": "0-1", "database": "2", "generator": "3"})
    seen = judged("client", provenance=split, series=busy(0.75))
    assert (seen.verdict, "75% busy" in seen.observed, "its 1 processors" in seen.expected) == (
        "fail", True, True,
    )  # fmt: skip


@pytest.mark.parametrize("cpus", [{}, {"generator": ""}])
def test_a_generator_that_is_not_pinned_may_use_all_processors(cpus: dict[str, str]) -> None:
    free = msgspec.structs.replace(PROVENANCE, cpus=cpus)
    assert judged("client", provenance=free).observed == "0 errors, 10% busy at 100/s, 4.0 ms late"


def test_the_kinds_of_the_clients_errors_are_in_the_advice() -> None:
    errors = (failures(2, "ports or files exhausted", side="client"), failures(3, "b", side="client"))
    seen = judged("client", failures=errors, load=load_with(late=9.0))
    assert seen.advice == (
        "these failures are the generator's, not the service's: b, ports or files exhausted"
    )
    assert judged("client", load=load_with(late=9.0)).advice == (
        "latencies hold the generator's own waiting: lower the rate or give it its own processors"
    )
    assert judged("client", load=load_with(late=None)).advice == (
        "without these it isn't known how much of the latencies is the generator's own waiting"
    )


# ---- status


def test_status_counts_each_answer_over_all_stages() -> None:
    wrong = (
        failures(2, "status 404"),
        failures(1000, "status 404"),
        failures(3, "contract", endpoint="list"),
    )
    seen = judged("status", failures=wrong)
    assert (seen.verdict, seen.limited_by) == ("fail", None)
    assert seen.observed == "1,002 × get: status 404, 3 × list: contract"
    assert seen.expected == "no answer beside the contract"
    assert seen.advice == (
        "fast answers that say nothing: ask for one of them by hand, and look at the app's log"
    )


@pytest.mark.parametrize("kind", ["timeout", "connect", "connection reset", "k6 error 1311"])
def test_status_leaves_requests_without_an_answer_to_the_failures(kind: str) -> None:
    seen = judged("status", failures=(failures(5, kind),))
    assert (seen.verdict, seen.observed) == ("pass", "none")


def test_status_is_about_the_server() -> None:
    assert judged("status", failures=(failures(5, "status 0", side="client"),)).verdict == "pass"


# ---- little


def in_flight(client: float, server: float) -> Gate:
    """Each request took so many milliseconds."""
    return judged(
        "little",
        series=series(
            {
                "load.waited_seconds": [n * client / 1000 for n in ANSWERED],
                "app.request_seconds": counter([n * server / 1000 for n in ANSWERED]),
            }
        ),
    )


@pytest.mark.parametrize(
    ("client", "server", "verdict", "observed"),
    [
        (4.2, 4.0, "pass", "0.32 in flight by the client, 0.30 by the server"),
        # Of 2250 requests 75 ended within a second of a reading: 3.3 % more than the tolerance.
        (100.0, 110.0, "pass", "7.59 in flight by the client, 8.34 by the server"),
        (100.0, 117.0, "fail", "7.59 in flight by the client, 8.88 by the server"),
        # What the server can't see: half of what it works, more than the tolerance.
        (6.4, 4.0, "pass", "0.49 in flight by the client, 0.30 by the server"),
        (6.9, 4.0, "fail", "0.52 in flight by the client, 0.30 by the server"),
        (160.0, 100.0, "pass", "12.14 in flight by the client, 7.59 by the server"),
        (170.0, 100.0, "fail", "12.90 in flight by the client, 7.59 by the server"),
        # A millisecond held back before a service that needs one; of a fast one, what timers can't tell.
        (1.6, 1.0, "pass", "0.12 in flight by the client, 0.08 by the server"),
        (2.4, 1.0, "fail", "0.18 in flight by the client, 0.08 by the server"),
        (0.6, 0.1, "pass", "0.05 in flight by the client, 0.01 by the server"),
        (0.7, 0.1, "fail", "0.05 in flight by the client, 0.01 by the server"),
        (4.0, 0.0, "fail", "0.30 in flight by the client, 0.00 by the server"),
    ],
)
def test_little(client: float, server: float, verdict: str, observed: str) -> None:
    seen = in_flight(client, server)
    assert (seen.verdict, seen.observed, seen.limited_by) == (verdict, observed, None)
    assert seen.expected == (
        "equal within 10%; the client's more by at most 50% of the server's, or 0.5 ms a request"
    )


def test_little_compares_the_same_seconds_when_the_server_was_not_read_for_a_while() -> None:
    """A saturated end without readings: the client's mean over the whole window is another number."""
    slow = [n * (0.004 if second < 20 else 0.9) for second, n in enumerate(ANSWERED)]
    server = [v if second < 18 else None for second, v in enumerate(counter(slow))]
    seen = judged("little", series=series({"load.waited_seconds": slow, "app.request_seconds": server}))
    assert seen.verdict == "pass"
    assert seen.observed == "0.23 in flight by the client, 0.23 by the server"


def test_little_needs_two_readings() -> None:
    for read in (None, [1.0] + [None] * SECONDS):
        seen = judged("little", series=series({"app.request_seconds": read}))
        assert (seen.verdict, seen.observed) == ("warn", "not known")
        assert (
            seen.advice == "without the service's own seconds, latencies stand on the generator's word alone"
        )


def test_a_counter_that_began_anew_does_not_fall() -> None:
    """Of an app that was started again: what both processes worked is counted."""
    whole = SERIES["app.request_seconds"]
    half = [v if n < 15 else v - whole[15] for n, v in enumerate(whole) if v is not None]  # type: ignore[operator]
    assert judged("little", series=series({"app.request_seconds": half})).verdict == "pass"


def test_a_service_without_requests_is_no_fault_of_arithmetic() -> None:
    nothing = {"load.answered": [0.0] * 31, "load.waited_seconds": [0.0] * 31}
    seen = judged("little", series=series({**nothing, "app.request_seconds": steadily(0.0)}))
    assert seen.observed == "0.00 in flight by the client, 0.00 by the server"


# ---- a service that is asked for more than it can do


def behind(generator: float = 0.2, *, answered: float = 0.5) -> Any:
    """The service answers a share of what is offered; requests wait before it, so clients wait four times as
    long as it works.
    """
    slow = [n * answered for n in ANSWERED]
    return series(
        {
            "load.offered": ANSWERED,
            "load.answered": slow,
            "load.waited_seconds": [n * 0.016 for n in slow],
            "app.requests_served": counter(slow),
            "app.request_seconds": counter([n * 0.004 for n in slow]),
            "generator.cpu_seconds": steadily(generator),
        }
    )


def test_arrivals_that_a_slow_service_leaves_no_user_for_are_its_own_limit() -> None:
    load = load_with(iterations=1250, dropped=1000)
    assert judged("arrivals", load=load, series=behind()).limited_by == "app"
    assert judged("arrivals", load=load, series=behind(1.5)).limited_by == "generator"  # it was busy itself
    assert judged("arrivals", load=load, series=behind(answered=0.95)).limited_by == "generator"


def test_a_queue_before_a_service_that_falls_behind_is_its_limit_and_elsewhere_a_contradiction() -> None:
    seen = judged("little", series=behind())
    assert (seen.verdict, seen.limited_by) == ("fail", "app")
    keeps_up = judged("little", series=behind(answered=1.0))
    assert (keeps_up.verdict, keeps_up.limited_by) == ("fail", None)

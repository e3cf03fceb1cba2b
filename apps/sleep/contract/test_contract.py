"""The HTTP contract, against any running service.

TELAR_BASE_URL=http://127.0.0.1:8080 pytest apps/sleep/contract/test_contract.py
"""
# ruff: noqa: PLR2004  statuses and times are what this is about

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import httpx
import pytest

pytestmark = pytest.mark.skipif(
    "TELAR_BASE_URL" not in os.environ, reason="needs a running service: set TELAR_BASE_URL"
)

JSON = "application/json"
AT_ONCE = 1.0  # seconds: a busy machine's, too
LONG = ("/op", "/op?millis=", "/op?millis=4000", "/op?other=1")


@contextmanager
def connected() -> Iterator[httpx.Client]:
    with httpx.Client(base_url=os.environ["TELAR_BASE_URL"], timeout=30, trust_env=False) as client:
        client.get("/")  # its connection is open, and the first answer given
        yield client


@pytest.fixture(scope="session")
def http() -> Iterator[httpx.Client]:
    with connected() as client:
        yield client


def timed(http: httpx.Client, path: str) -> tuple[float, httpx.Response]:
    started = time.monotonic()
    response = http.get(path)
    return time.monotonic() - started, response


def answers(response: httpx.Response, millis: int) -> None:
    assert (response.status_code, response.content) == (200, f'{{"millis":{millis}}}'.encode())
    assert response.headers["content-type"] == JSON


def test_the_root_answers_at_once(http: httpx.Client) -> None:
    seconds, response = timed(http, "/")
    answers(response, 0)
    assert seconds < AT_ONCE


@pytest.fixture(scope="session")
def waited() -> dict[str, tuple[float, httpx.Response]]:
    """Asked for at once: one after the other they take a quarter of a minute.

    Their connections are there before: a blocked event loop accepts none, and those that are opened one after
    the other get a loop each.
    """
    with ExitStack() as opened, ThreadPoolExecutor(len(LONG)) as pool:
        clients = [opened.enter_context(connected()) for _ in LONG]
        return dict(zip(LONG, pool.map(timed, clients, LONG), strict=True))


@pytest.mark.parametrize("path", LONG)
def test_four_seconds_where_no_other_wait_is_said(
    waited: dict[str, tuple[float, httpx.Response]], path: str
) -> None:
    seconds, response = waited[path]
    answers(response, 4000)
    assert 4 <= seconds < 4 + AT_ONCE


@pytest.mark.parametrize("millis", [0, 1, 10, 100, 1000])
def test_as_many_milliseconds_as_are_asked_for(http: httpx.Client, millis: int) -> None:
    seconds, response = timed(http, f"/op?millis={millis}")
    answers(response, millis)
    assert millis / 1000 <= seconds < millis / 1000 + AT_ONCE


@pytest.mark.parametrize("millis", ["-1", "60001", "9223372036854775808", "1.5", "x", "1s"])
def test_any_other_wait_is_refused_at_once(http: httpx.Client, millis: str) -> None:
    seconds, response = timed(http, f"/op?millis={millis}")
    assert response.status_code == 400
    assert seconds < AT_ONCE

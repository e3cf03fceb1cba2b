"""The HTTP contract, against any running service.

TELAR_BASE_URL=http://127.0.0.1:8080 pytest apps/stub/contract/test_contract.py
"""
# ruff: noqa: PLR2004  statuses and times are what this is about

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import httpx
import pytest

pytestmark = pytest.mark.skipif(
    "TELAR_BASE_URL" not in os.environ, reason="needs a running service: set TELAR_BASE_URL"
)

AT_ONCE = 1.0  # seconds: a busy machine's, too


@pytest.fixture(scope="session")
def http() -> Iterator[httpx.Client]:
    with httpx.Client(base_url=os.environ["TELAR_BASE_URL"], timeout=30, trust_env=False) as client:
        client.get("/remote")  # its connection is open, and the first answer given
        yield client


def timed(http: httpx.Client, path: str) -> tuple[float, httpx.Response]:
    started = time.monotonic()
    response = http.get(path)
    return time.monotonic() - started, response


@pytest.mark.parametrize("millis", [0, 1, 10, 1000])
def test_as_many_milliseconds_as_are_asked_for(http: httpx.Client, millis: int) -> None:
    seconds, response = timed(http, f"/remote?millis={millis}")
    assert (response.status_code, response.content) == (200, f'{{"millis":{millis}}}'.encode())
    assert response.headers["content-type"] == "application/json"
    assert millis / 1000 <= seconds < millis / 1000 + AT_ONCE


def test_jitter_makes_answers_later_and_none_earlier(http: httpx.Client) -> None:
    found = [timed(http, "/remote?millis=20&jitter=200")[0] for _ in range(20)]
    assert min(found) >= 0.02
    assert max(found) - min(found) > 0.05


@pytest.mark.parametrize("query", ["millis=-1", "millis=60001", "millis=x", "jitter=1.5"])
def test_any_other_wait_is_refused_at_once(http: httpx.Client, query: str) -> None:
    seconds, response = timed(http, f"/remote?{query}")
    assert response.status_code == 400
    assert seconds < AT_ONCE


def test_other_paths_are_not_there(http: httpx.Client) -> None:
    assert http.get("/other").status_code == 404

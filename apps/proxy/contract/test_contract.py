"""The HTTP contract, against any running service and its remote system.

TELAR_BASE_URL=http://127.0.0.1:8080 pytest apps/proxy/contract/test_contract.py
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

JSON = "application/json"
AT_ONCE = 1.0  # seconds: a busy machine's, too


@pytest.fixture(scope="session")
def http() -> Iterator[httpx.Client]:
    with httpx.Client(base_url=os.environ["TELAR_BASE_URL"], timeout=30, trust_env=False) as client:
        client.get("/movies/1")  # its connection is open, and the first answer given
        yield client


def test_the_root_answers_at_once(http: httpx.Client) -> None:
    response = http.get("/")
    assert (response.status_code, response.content) == (200, b'{"id":0,"title":"none","millis":0}')
    assert response.headers["content-type"] == JSON


@pytest.mark.parametrize("delay", [0, 2, 100, 1000])
def test_a_movie_comes_once_the_remote_system_has_answered(http: httpx.Client, delay: int) -> None:
    started = time.monotonic()
    response = http.get(f"/movies/7?delay={delay}")
    seconds = time.monotonic() - started
    assert (response.status_code, response.content) == (
        200,
        f'{{"id":7,"title":"Movie 7","millis":{delay}}}'.encode(),
    )
    assert response.headers["content-type"] == JSON
    assert delay / 1000 <= seconds < delay / 1000 + AT_ONCE


def test_other_paths_are_not_there(http: httpx.Client) -> None:
    assert http.get("/other").status_code == 404

"""The HTTP contract, against any running service and its remote system.

TELAR_BASE_URL=http://127.0.0.1:8080 pytest apps/bank/contract/test_contract.py
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
        client.get("/accounts/1")  # its connection is open, and the first answer given
        yield client


def test_a_ping_is_answered(http: httpx.Client) -> None:
    response = http.get("/ping")
    assert (response.status_code, response.content) == (200, b'{"ping":"pong"}')
    assert response.headers["content-type"] == JSON


@pytest.mark.parametrize("delay", [0, 2, 100, 1000])
def test_an_account_comes_once_the_remote_system_has_answered(http: httpx.Client, delay: int) -> None:
    started = time.monotonic()
    response = http.get(f"/accounts/17?delay={delay}")
    seconds = time.monotonic() - started
    assert response.status_code == 200
    assert response.headers["content-type"] == JSON
    assert response.json() == {"id": 17, "owner": "Owner 17", "cents": response.json()["cents"]}
    assert delay / 1000 <= seconds < delay / 1000 + AT_ONCE


def test_a_transfer_moves_an_amount_to_the_next_account(http: httpx.Client) -> None:
    def cents(id_: int) -> int:
        found: int = http.get(f"/accounts/{id_}").json()["cents"]
        return found

    before = cents(21), cents(22)
    response = http.post("/accounts/21/transfers?delay=2", content="25", headers={"Content-Type": "text/plain"})
    assert (response.status_code, response.headers["content-type"]) == (201, JSON)
    assert response.headers["location"] == "/accounts/22"  # of every variant: an answer's size is compared
    assert response.json() == {"id": 21, "owner": "Owner 21", "cents": before[0] - 25}
    assert (cents(21), cents(22)) == (before[0] - 25, before[1] + 25)


@pytest.mark.parametrize("path", ["/accounts/0", "/accounts/10001", "/other"])
def test_what_is_not_there_is_not_found(http: httpx.Client, path: str) -> None:
    assert http.get(path).status_code == 404


def test_no_whole_number_is_refused(http: httpx.Client) -> None:
    headers = {"Content-Type": "text/plain"}
    assert http.post("/accounts/1/transfers", content="x", headers=headers).status_code == 400

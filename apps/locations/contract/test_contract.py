"""The HTTP contract, against any running service whose database is freshly seeded.

TELAR_BASE_URL=http://127.0.0.1:8080 pytest apps/locations/contract/test_contract.py
"""
# ruff: noqa: PLR2004  statuses and sizes are what this is about

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

pytestmark = pytest.mark.skipif(
    "TELAR_BASE_URL" not in os.environ,
    reason="needs a running service with a freshly seeded database: set TELAR_BASE_URL",
)

SEED = (Path(__file__).parent / "seed.jsonl").read_bytes().splitlines()
JSON, PROBLEM = "application/json", "application/problem+json"
SOL = {"name": "Puerta del Sol", "description": "Kilómetro 0", "latitude": 40.4168, "longitude": -3.7038}
NOT_FOUND = "No location with this id."
UNREADABLE = "The request body is not a valid location."
LATITUDE, LONGITUDE = "latitude must be from -90 to 90", "longitude must be from -180 to 180"
NAME, DESCRIPTION = "name must have 1 to 255 characters", "description must have at most 2000 characters"
NO_IDS = ["0", "-1", "01", "x", "1.5", "1001000", "9223372036854775808", "%20", "%D9%A1"]
REFUSED = {
    "no body": (b"", UNREADABLE),
    "half a body": (b'{"name":"x"', UNREADABLE),
    "no object": (b"[]", UNREADABLE),
    "nothing": (b"null", UNREADABLE),
    "a number as text": (b'{"name":"x","latitude":"1","longitude":2}', UNREADABLE),
    "a name that is a number": (b'{"name":7,"latitude":1,"longitude":2}', UNREADABLE),
    "an empty object": (b"{}", f"{LATITUDE}; {LONGITUDE}; {NAME}"),
    "a blank name": (b'{"name":" ","latitude":1,"longitude":2}', NAME),
    "too far north": (b'{"name":"x","latitude":90.001,"longitude":2}', LATITUDE),
    "too far west": (b'{"name":"x","latitude":1,"longitude":-180.001}', LONGITUDE),
    "a long name": (json.dumps({**SOL, "name": "x" * 256}).encode(), NAME),
    "a long description": (json.dumps({**SOL, "description": "x" * 2001}).encode(), DESCRIPTION),
}


@pytest.fixture(scope="session")
def http() -> Iterator[httpx.Client]:
    with httpx.Client(base_url=os.environ["TELAR_BASE_URL"], timeout=30, trust_env=False) as client:
        yield client


@pytest.fixture
def number(http: httpx.Client) -> Iterator[int]:
    """A location for the time of the test; it may be gone by its end."""
    created: int = http.post("/location", json=SOL).raise_for_status().json()["id"]
    yield created
    http.delete(f"/location/{created}")


def send(http: httpx.Client, method: str, path: str, body: bytes) -> httpx.Response:
    return http.request(method, path, content=body, headers={"Content-Type": JSON})


def compact(content: object) -> bytes:
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


def stored(number: int, details: dict[str, Any]) -> bytes:
    return compact({"id": number, **details})


def answers(response: httpx.Response, status: int, body: bytes, media_type: str = JSON) -> None:
    assert (response.status_code, response.content) == (status, body)
    assert response.headers["content-type"] == media_type


def complains(response: httpx.Response, status: int, title: str, detail: str) -> None:
    body = compact({"type": "about:blank", "title": title, "status": status, "detail": detail})
    answers(response, status, body, PROBLEM)


@pytest.mark.parametrize("number", [1, 2, 500, 1000])
def test_a_location_of_the_seed_is_answered_to_the_byte(http: httpx.Client, number: int) -> None:
    answers(http.get(f"/location/{number}"), 200, stored(number, json.loads(SEED[number - 1])))


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
@pytest.mark.parametrize("unknown", NO_IDS)
def test_there_is_no_location_with_an_unknown_or_malformed_id(
    http: httpx.Client, method: str, unknown: str
) -> None:
    body = compact(SOL) if method == "PUT" else b""
    # No look at the type: Spring MVC takes an id with a dot for a file's name.
    response = send(http, method, f"/location/{unknown}", body)
    assert (response.status_code, response.json()["detail"]) == (404, NOT_FOUND)


def test_a_new_location_is_answered_whole_with_its_path(http: httpx.Client) -> None:
    response = http.post("/location", json={"id": 1, "unknown": [], **SOL})
    number = response.json()["id"]
    assert number > 1000
    assert response.headers["location"] == f"/location/{number}"
    answers(response, 201, stored(number, SOL))
    answers(http.get(f"/location/{number}"), 200, stored(number, SOL))
    assert http.delete(f"/location/{number}").status_code == 204


def test_a_location_without_a_description_has_none(http: httpx.Client, number: int) -> None:
    details = {"name": "x", "latitude": -90.0, "longitude": 180.0}
    replaced = stored(number, {"name": "x", "description": None, "latitude": -90.0, "longitude": 180.0})
    answers(http.put(f"/location/{number}", json=details), 200, replaced)
    answers(http.get(f"/location/{number}"), 200, replaced)


def test_a_deleted_location_is_gone(http: httpx.Client, number: int) -> None:
    response = http.delete(f"/location/{number}")
    assert (response.status_code, response.content) == (204, b"")
    complains(http.get(f"/location/{number}"), 404, "Not Found", NOT_FOUND)
    complains(http.delete(f"/location/{number}"), 404, "Not Found", NOT_FOUND)


@pytest.mark.parametrize(("body", "detail"), REFUSED.values(), ids=list(REFUSED))
def test_what_is_no_location_is_refused(http: httpx.Client, number: int, body: bytes, detail: str) -> None:
    complains(send(http, "POST", "/location", body), 400, "Bad Request", detail)
    complains(send(http, "PUT", f"/location/{number}", body), 400, "Bad Request", detail)
    complains(send(http, "PUT", "/location/x", body), 400, "Bad Request", detail)
    answers(http.get(f"/location/{number}"), 200, stored(number, SOL))

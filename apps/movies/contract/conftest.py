"""The running service that TELAR_BASE_URL names, with what tests need to leave it as it was."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

# The modules beside this one, whatever pytest's configuration and import mode.
sys.path.insert(0, str(Path(__file__).parent))

import expected
import fingerprint
import seed
from expected import Create


@pytest.fixture(scope="session")
def http() -> Iterator[httpx.Client]:
    """A client of the service. The fingerprint is taken here: before any test has written."""
    url = os.environ["TELAR_BASE_URL"]  # tests are skipped without it
    with httpx.Client(base_url=url, timeout=30, trust_env=False) as client:
        try:
            client.get("/movies")
        except httpx.HTTPError as error:
            pytest.exit(f"TELAR_BASE_URL={url}: no service answers there ({error})", returncode=2)
        if path := os.environ.get("TELAR_FINGERPRINT"):
            fingerprint.write(client, Path(path))
        yield client


@pytest.fixture(scope="session")
def pages(http: httpx.Client) -> list[bytes]:
    """The bodies of the pages that hold the seed, and of the first page beyond it."""
    return [http.get(f"/movies?page={page}").content for page in range(51)]


@pytest.fixture(scope="session")
def seed_ids(http: httpx.Client) -> list[str]:
    """The seed's ids, in the form that the service's database gives them."""
    form = str if http.get("/movies").json()[0]["id"] == "1" else seed.mongodb_id
    return [form(number) for number in range(1, seed.SIZE + 1)]


@pytest.fixture
def created(http: httpx.Client) -> Iterator[list[str]]:
    """Ids of movies to delete when the test is over. They may be gone by then."""
    ids: list[str] = []
    yield ids
    for movie_id in ids:
        http.delete(f"/movies/{movie_id}")


@pytest.fixture
def create(http: httpx.Client, created: list[str]) -> Create:
    """Stores a movie for the time of the test and gives its id."""

    def post(details: dict[str, Any]) -> str:
        response = http.post("/movies", json=details).raise_for_status()
        created.append(response.json()["id"])
        return created[-1]

    return post


@pytest.fixture
def movie_id(create: Create) -> str:
    """The id of a movie that has all fields."""
    return create(expected.WHOLE)

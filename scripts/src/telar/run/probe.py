"""Waiting for an app to be ready, and a look at whether it keeps the contract before any load."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Iterator

import httpx

from telar.collect import prometheus
from telar.errors import RunError

READY_TIMEOUT = 90.0
PAUSE = 0.02
ANSWER_TIMEOUT = 10.0
PAGE, SEED_SIZE = 20, 999
FIELDS = [
    "id", "title", "releasedYear", "certificate", "runtimeMinutes", "genre", "rating", "overview",
    "metaScore", "director", "star1", "star2", "star3", "star4", "votes", "gross", "posterUrl",
]  # fmt: skip


def wait_ready(url: str, check_alive: Callable[[], None]) -> float:
    """When the ready path first answered 200 (seconds since the epoch).

    `check_alive` raises when the app has died meanwhile.
    """
    deadline = time.monotonic() + READY_TIMEOUT
    last = "nothing listened there"
    with httpx.Client(timeout=2, trust_env=False) as http:
        while time.monotonic() < deadline:
            check_alive()
            try:
                response = http.get(url)
                if response.status_code == httpx.codes.OK:
                    return time.time()
                last = f"the last answer was {response.status_code}: {response.text[:200]}"
            except httpx.TransportError as error:
                last = f"{type(error).__name__} {error}".strip()
            time.sleep(PAUSE)
    raise RunError(f"{url} was not ready after {READY_TIMEOUT:g} s: {last}", hint="see its log")


def first_response(base: str) -> float:
    """When the first request of the API was answered."""
    with _api(base) as http:
        _expect(http.get("/movies", params={"page": 0}), 200)
    return time.time()


def guests_first_response(base: str, path: str) -> float:
    """When a guest answered its first request."""
    with _api(base) as http:
        response = http.get(path)
    if response.status_code != httpx.codes.OK:
        raise RunError(
            f"{base}{path} answered {response.status_code}, not 200",
            hint="http.first of its variant.toml is a path that answers 200 once the application is ready",
        )
    return time.time()


def require_metrics(base: str, path: str) -> None:
    """Raises RunError unless there is Prometheus text with something of Micrometer's: better now than after a
    window without a reading.
    """
    with _api(base) as http:
        response = http.get(path)
    try:
        found = prometheus.reduce(response.text) if response.status_code == httpx.codes.OK else {}
    except ValueError:  # another text
        found = {}
    if not found:
        raise RunError(
            f"{base}{path} answered {response.status_code}, and nothing of Micrometer's Prometheus text",
            hint="http.metrics of its variant.toml; Spring: MANAGEMENT_ENDPOINTS_WEB_EXPOSURE_INCLUDE and "
            "micrometer-registry-prometheus",
        )


def check_contract(base: str) -> None:
    """Reads only: pages, one movie, a 404 and a 400. The whole contract is the tests' matter."""
    with _api(base) as http:
        first = _expect(http.get("/movies"), 200).json()
        last = _expect(http.get("/movies", params={"page": SEED_SIZE // PAGE}), 200).json()
        _require(len(first) == PAGE, f"page 0 has {len(first)} movies, not {PAGE}")
        _require(
            len(last) == SEED_SIZE % PAGE,
            f"the last page has {len(last)} movies, not {SEED_SIZE % PAGE}: is the database fresh?",
        )
        movie = _expect(http.get(f"/movies/{first[0]['id']}"), 200)
        _require(movie.json() == first[0], "GET /movies/{id} differs from the movie on its page")
        fields = list(json.loads(movie.text))
        _require(fields == FIELDS, f"a movie's fields are {fields}, not {FIELDS}")
        for path, status in (("/movies/nobody", 404), ("/movies?page=x", 400)):
            _expect(http.get(path), status, "application/problem+json")


@contextlib.contextmanager
def _api(base: str) -> Iterator[httpx.Client]:
    """A client whose failures say what wasn't answered."""
    with httpx.Client(base_url=base, timeout=ANSWER_TIMEOUT, trust_env=False) as http:
        try:
            yield http
        except httpx.RequestError as error:
            asked = f"{error.request.method} {error.request.url}"
            why = f"{type(error).__name__} {error}".strip()
            raise RunError(f"{asked} was not answered: {why}", hint="see the app's log") from error
        except ValueError as error:
            raise RunError(f"the app answered with broken JSON: {error}", hint="see the app's log") from error


def _expect(response: httpx.Response, status: int, kind: str = "application/json") -> httpx.Response:
    said = f"{response.request.method} {response.request.url}"
    _require(response.status_code == status, f"{said} answered {response.status_code}, not {status}")
    found = response.headers.get("content-type", "")
    _require(found == kind, f"{said} answered with the content type {found!r}, not {kind!r}")
    return response


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise RunError(
            f"the app breaks the contract: {message}",
            hint="apps/movies/contract/openapi.yaml says what is right",
        )

"""Waiting for an app, and the look at its contract, against a small app of the tests' own."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

import pytest

from telar.catalog.system import read_systems
from telar.errors import RunError
from telar.run import probe

Answer = tuple[int, str, bytes]
JSON, PROBLEM = "application/json", "application/problem+json"
MOVIES = read_systems(Path(__file__).parents[3] / "apps")["movies"]
assert MOVIES.file.http
FIELDS = next(check.fields for check in MOVIES.file.http.check if check.fields)


def movie(number: int) -> dict[str, Any]:
    return {**dict.fromkeys(FIELDS), "id": str(number), "title": f"Movie {number}"}


def api(target: str) -> Answer:
    """A right answer to any read of the movie API."""
    path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
    if path == "/movies":
        page = query.get("page", ["0"])[0]
        if not page.isdigit():
            return 400, PROBLEM, b"{}"
        first = int(page) * 20 + 1
        return 200, JSON, json.dumps([movie(n) for n in range(first, min(first + 20, 1000))]).encode()
    number = path.removeprefix("/movies/")
    if not number.isdigit():
        return 404, PROBLEM, b"{}"
    return 200, JSON, json.dumps(movie(int(number))).encode()


class App(BaseHTTPRequestHandler):
    answer: ClassVar[Callable[[str], Answer]] = staticmethod(api)

    def do_GET(self) -> None:
        status, kind, body = type(self).answer(self.path)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def base() -> Iterator[str]:
    App.answer = staticmethod(api)
    server = ThreadingHTTPServer(("127.0.0.1", 0), App)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def alive() -> None:
    pass


def test_an_app_that_keeps_the_contract_passes(base: str) -> None:
    probe.check_contract(base, MOVIES)


@pytest.mark.parametrize(
    ("target", "answer", "said"),
    [
        ("/movies", (500, JSON, b"{}"), "answered 500, not 200"),
        ("/movies", (200, "application/json;charset=UTF-8", b"[]"), "content type 'application/json;charset"),
        ("/movies", (200, JSON, b"[]"), "has 0 items, not 20 items"),
        ("/movies?page=49", (200, JSON, b"[]"), "has 0 items, not 19 items: is the database fresh?"),
        ("/movies/1", (200, JSON, json.dumps(movie(2)).encode()), "GET /movies/1 differs from /movies#/0"),
        ("/movies/nobody", (404, JSON, b"{}"), "content type 'application/json', not 'application/problem+"),
        ("/movies?page=x", (200, JSON, b"[]"), "answered 200, not 400"),
    ],
)
def test_a_break_of_the_contract_is_named(base: str, target: str, answer: Answer, said: str) -> None:
    App.answer = staticmethod(lambda asked: answer if asked == target else api(asked))
    with pytest.raises(RunError, match="the app breaks the contract") as caught:
        probe.check_contract(base, MOVIES)
    assert said in caught.value.message


def test_fields_in_another_order_break_the_contract(base: str) -> None:
    def reordered(asked: str) -> Answer:
        status, kind, body = api(asked)
        if asked == "/movies/1":
            body = json.dumps(dict(reversed(movie(1).items()))).encode()
        return status, kind, body

    App.answer = staticmethod(reordered)
    with pytest.raises(RunError, match="GET /movies/1 has the fields"):
        probe.check_contract(base, MOVIES)


def test_an_app_is_ready_once_it_says_so(base: str) -> None:
    asked: list[str] = []

    def slowly(target: str) -> Answer:
        asked.append(target)
        return (200 if len(asked) == 3 else 503), JSON, b"{}"

    App.answer = staticmethod(slowly)
    probe.wait_ready(f"{base}/health/ready", alive)
    assert asked == ["/health/ready"] * 3


def test_an_app_that_died_is_not_waited_for() -> None:
    def dead() -> None:
        raise RunError("the app ended with exit code 1")

    with pytest.raises(RunError, match="exit code 1"):
        probe.wait_ready("http://127.0.0.1:9/health/ready", dead)


@pytest.mark.thorough
def test_an_app_that_is_never_ready_is_told_with_its_last_answer(
    base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "READY_TIMEOUT", 2)
    App.answer = staticmethod(lambda _: (503, JSON, b"no database"))
    with pytest.raises(RunError, match=r"not ready after 2 s: the last answer was 503: no database"):
        probe.wait_ready(f"{base}/health/ready", alive)


@pytest.mark.thorough
def test_an_app_that_never_listened_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe, "READY_TIMEOUT", 2)
    with pytest.raises(RunError, match=r"not ready after 2 s: ConnectError"):
        probe.wait_ready("http://127.0.0.1:9/health/ready", alive)


def test_an_answer_that_lacks_what_a_later_check_asks_for_is_named(base: str) -> None:
    App.answer = staticmethod(
        lambda asked: (200, JSON, b"[" + b",".join([b"{}"] * 20) + b"]") if asked == "/movies" else api(asked)
    )
    with pytest.raises(RunError, match="there is no /movies#/0/id"):
        probe.check_contract(base, MOVIES)

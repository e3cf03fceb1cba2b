"""A stand-in for GitHub's API on the loopback: keeps every call; to an unexpected one it answers an error."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit


class Double:
    """`answers`: "METHOD path" -> JSON, bytes, or a status. What is posted to comments is kept there."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.calls: list[tuple[str, str, Any]] = []
        self.unexpected: list[str] = []
        self.comments: list[dict[str, Any]] = []
        self.url = ""

    def sent(self, method: str, part: str) -> list[Any]:
        """What was sent to a path that has this in it."""
        return [body for m, path, body in self.calls if m == method and part in path]

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> Any:
        self.calls.append((method, path, body))
        if path.endswith("/comments") and method == "GET":
            page, size = int(query.get("page", 1)), int(query.get("per_page", 30))
            return self.comments[(page - 1) * size : page * size]
        if path.endswith("/comments") and method == "POST":
            made = {"id": len(self.comments) + 1, "user": {"type": "Bot"}, **body}
            self.comments.append(made)
            return made
        if "/comments/" in path and method == "PATCH":
            found = self.comments[int(path.rpartition("/")[2]) - 1]
            found.update(body)
            return found
        if (key := f"{method} {path}") in self.answers:
            return self.answers[key]
        self.unexpected.append(key)
        return 418


@contextmanager
def double() -> Iterator[Double]:
    own = Double()
    with serving(own):
        yield own


@contextmanager
def serving(own: Any) -> Iterator[None]:
    """Real HTTP on the loopback. What `own.answer` gives is JSON, bytes, a status, or where to look
    instead.
    """

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            where = urlsplit(self.path)
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else None
            other = where.path.startswith(
                ("/storage/", "/hook")
            )  # not GitHub's API: the token mustn't go there
            assert self.headers.get("Authorization") == (None if other else "Bearer secret")
            found = own.answer(self.command, where.path, dict(parse_qsl(where.query)), body)
            status, content = 200, b""
            if isinstance(found, Elsewhere):
                status = 302
            elif isinstance(found, int):
                status, content = found, json.dumps({"message": "no"}).encode()
            else:
                content = found if isinstance(found, bytes) else json.dumps(found).encode()
            self.send_response(status)
            if isinstance(found, Elsewhere):
                self.send_header("Location", found.url)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = _do  # noqa: N815 - the base's names

        def log_message(self, format: str, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    own.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Elsewhere(NamedTuple):
    url: str

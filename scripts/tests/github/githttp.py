"""A private repository over HTTP: git's own server, behind the password that GitHub's has."""

from __future__ import annotations

import base64
import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

WANTED = "basic " + base64.b64encode(b"x-access-token:secret").decode()


class Server:
    url = ""
    broken = 0  # how many of the next requests are answered with 503


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """The bare repositories in a folder. Who has no token gets 401, as for one that is private."""
    own = Server()

    class Handler(BaseHTTPRequestHandler):
        def _do(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(size)
            if self.headers.get("Authorization", "").lower() != WANTED.lower():
                self._send(401, {"WWW-Authenticate": 'Basic realm="GitHub"'}, b"")
            elif own.broken > 0:
                own.broken -= 1
                self._send(503, {}, b"")
            else:
                self._send(*self._backend(body))

        def _backend(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
            where = urlsplit(self.path)
            env = {
                **os.environ, "GIT_PROJECT_ROOT": str(folder), "GIT_HTTP_EXPORT_ALL": "1", "REMOTE_USER": "t",
                "PATH_INFO": where.path, "QUERY_STRING": where.query, "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
            }  # fmt: skip
            made = subprocess.run(
                ["git", "http-backend"], input=body, env=env, capture_output=True, check=True
            )
            head, _, content = made.stdout.partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            return int(headers.pop("Status", "200").split()[0]), headers, content

        def _send(self, status: int, headers: dict[str, str], content: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = _do  # noqa: N815 - the base's names

        def log_message(self, format: str, *args: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    own.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield own
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

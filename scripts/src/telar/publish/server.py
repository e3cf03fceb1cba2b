"""A folder of pages on this machine's loopback, as GitHub Pages would serve it: compressed, nothing else."""

from __future__ import annotations

import gzip
from functools import lru_cache, partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PACKED = (".html", ".js", ".css", ".json", ".svg", ".txt", ".md")


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet: apart, the second waits 40 ms for the first's receipt
    disable_nagle_algorithm = True

    def __init__(self, *args: Any, folder: Path, **more: Any) -> None:
        self._folder = folder.resolve()
        super().__init__(*args, directory=str(folder), **more)

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path).replace("\0", ""))
        if path.is_dir():
            path = path / "index.html"
        if not path.resolve().is_relative_to(self._folder) or not path.is_file():
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        packed = path.suffix in PACKED and "gzip" in self.headers.get("Accept-Encoding", "")
        content = _packed(path, path.stat().st_mtime_ns) if packed else path.read_bytes()
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", self.guess_type(str(path)))
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-cache" if path.name == "index.json" else "max-age=600")
        self.send_header("X-Content-Type-Options", "nosniff")
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None: ...


@lru_cache(maxsize=512)
def _packed(path: Path, _changed: int) -> bytes:
    return gzip.compress(path.read_bytes(), 6)


def server(folder: Path, port: int) -> ThreadingHTTPServer:
    """Listens on the loopback; port 0 is any that is free. Raises OSError when it is taken."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(_Handler, folder=folder))

"""A stand-in for a container registry: of its protocol what a push and a look at a manifest need, in memory.

https://github.com/opencontainers/distribution-spec/blob/main/spec.md says what each answer has to be.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs, urlsplit

import msgspec


class Registry(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.content: dict[str, bytes] = {}  # blobs, manifests and unfinished uploads, by digest or name
        self.tags: dict[str, str] = {}  # "repository:tag" -> digest
        self.uploads = itertools.count()  # Docker begins several at once

    @property
    def name(self) -> str:
        return f"127.0.0.1:{self.server_port}"


@contextlib.contextmanager
def registry() -> Iterator[Registry]:
    with Registry() as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield server
        server.shutdown()


class _Handler(BaseHTTPRequestHandler):
    server: Registry
    protocol_version = "HTTP/1.1"

    def do_HEAD(self) -> None:
        self._serve()

    def do_GET(self) -> None:
        self._serve()

    def _serve(self) -> None:
        path = urlsplit(self.path).path
        if path == "/v2/":
            self._answer(200)
            return
        repository, kind, reference = self._parts()
        digest = self.server.tags.get(f"{repository}:{reference}", reference)
        content = self.server.content.get(digest)
        if content is None:
            self._answer(404)
            return
        type_ = "application/octet-stream"
        if kind == "manifests":
            type_ = msgspec.json.decode(content).get(
                "mediaType", "application/vnd.oci.image.manifest.v1+json"
            )
        self._answer(200, content, {"Content-Type": type_, "Docker-Content-Digest": digest})

    def do_POST(self) -> None:
        repository = urlsplit(self.path).path.removeprefix("/v2/").removesuffix("/blobs/uploads/")
        upload = f"upload-{next(self.server.uploads)}"
        self.server.content[upload] = b""
        self._answer(202, headers={"Location": f"/v2/{repository}/blobs/uploads/{upload}", "Range": "0-0"})

    def do_PATCH(self) -> None:
        upload = self._parts()[2]
        self.server.content[upload] += self._body()
        size = len(self.server.content[upload])
        location = {"Location": urlsplit(self.path).path, "Range": f"0-{max(0, size - 1)}"}
        self._answer(202, headers=location)

    def do_PUT(self) -> None:
        repository, kind, reference = self._parts()
        body = self._body()
        if kind == "manifests":
            content, digest = body, f"sha256:{hashlib.sha256(body).hexdigest()}"
            self.server.tags[f"{repository}:{reference}"] = digest
        else:
            (digest,) = parse_qs(urlsplit(self.path).query)["digest"]
            content = self.server.content.pop(reference) + body
        self.server.content[digest] = content
        self._answer(201, headers={"Docker-Content-Digest": digest, "Location": f"/v2/{repository}/{digest}"})

    def _parts(self) -> tuple[str, str, str]:
        found = re.fullmatch(r"/v2/(.+)/(blobs/uploads|blobs|manifests)/([^/]+)", urlsplit(self.path).path)
        assert found, self.path
        repository, kind, reference = found.groups()
        return repository, kind, reference

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _answer(self, code: int, content: bytes = b"", headers: dict[str, str] | None = None) -> None:
        self.send_response(code)
        for name, value in {"Docker-Distribution-Api-Version": "registry/2.0", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        pass

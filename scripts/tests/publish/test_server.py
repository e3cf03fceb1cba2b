"""The local server: what is in its folder, compressed, and nothing beside it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from telar.publish.server import server


@pytest.fixture
def base(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "secret.txt").write_text("secret")
    folder = tmp_path / "pages"
    (folder / "data").mkdir(parents=True)
    (folder / "index.html").write_text("<h1>pages</h1>")
    (folder / "data" / "index.json").write_text("{}" + " " * 2000)
    (folder / "link.txt").symlink_to(tmp_path / "secret.txt")
    listening = server(folder, 0)
    thread = threading.Thread(target=listening.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_address[1]}"
    listening.shutdown()
    listening.server_close()
    thread.join()


def get(url: str, **headers: str) -> httpx.Response:
    return httpx.get(url, headers=headers, trust_env=False)


def test_pages_are_served_compressed(base: str) -> None:
    page = get(f"{base}/")
    assert page.text == "<h1>pages</h1>"
    assert page.headers["content-type"] == "text/html"
    data = get(f"{base}/data/index.json")
    assert data.headers["content-encoding"] == "gzip"
    assert data.headers["cache-control"] == "no-cache"
    assert data.json() == {}
    plain = get(f"{base}/data/index.json", **{"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers


@pytest.mark.parametrize(
    "path", ["/../secret.txt", "/%2e%2e/secret.txt", "/link.txt", "/data", "/nothing", "/data/%00"]
)
def test_nothing_else_is_served(base: str, path: str) -> None:
    answer = httpx.Client(trust_env=False).get(httpx.URL(base + path))
    assert answer.status_code in (400, 404)
    assert "secret" not in answer.text

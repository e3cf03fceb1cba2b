"""Hashes of fixed reads: equal files mean that two variants gave the same bytes."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import httpx

PAGES = (0, 1, 25, 49, 50)


def write(http: httpx.Client, path: Path) -> None:
    """The fingerprint of a freshly seeded service."""
    hashes = {f"/movies?page={page}": _hash(http, f"/movies?page={page}") for page in PAGES}
    first = http.get("/movies").json()[0]["id"]
    hashes["/movies/{first}"] = _hash(http, f"/movies/{first}")
    path.write_text(json.dumps(hashes, indent=2) + "\n", encoding="utf-8")


def _hash(http: httpx.Client, path: str) -> str:
    body = http.get(path).raise_for_status().content
    # Ids are what databases may give in their own form.
    return hashlib.sha256(re.sub(rb'"id":"[0-9a-f]+"', b'"id":"*"', body)).hexdigest()

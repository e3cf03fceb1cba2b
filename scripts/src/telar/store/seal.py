"""A record's seal: a digest that it carries of all the rest of it, so that no change goes unseen."""

from __future__ import annotations

import hashlib
import json
from typing import Any

FIELD = "digest"


def digest(record: dict[str, Any]) -> str:
    """SHA-256 over the record's JSON without its seal: keys sorted, no spaces."""
    rest = {name: value for name, value in record.items() if name != FIELD}
    canonical = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(canonical.encode(errors="surrogatepass")).hexdigest()


def sealed(content: bytes) -> bytes:
    """The record with its seal set; indented JSON."""
    record = json.loads(content)
    record[FIELD] = digest(record)
    return (json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()

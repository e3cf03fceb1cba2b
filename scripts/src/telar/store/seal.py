"""A record's seal: a digest that it carries of all the rest of it, so that no change goes unseen.

It guards against accidents and second thoughts, not against forgers: whoever edits can seal again.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

FIELD = "digest"


def digest(record: dict[str, Any]) -> str:
    """SHA-256 over the record's JSON without its seal."""
    return hashlib.sha256(
        canonical({name: value for name, value in record.items() if name != FIELD})
    ).hexdigest()


def canonical(value: object) -> bytes:
    """The one way to write it: keys sorted, no spaces, UTF-8. Raises ValueError where that can't be."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def sealed(content: bytes) -> bytes:
    """The record with its seal set; indented JSON."""
    record = json.loads(content)
    record[FIELD] = digest(record)
    return (json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()

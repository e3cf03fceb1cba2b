"""Prints the JSON Schema of the published files, which the pages check what they load with."""

from __future__ import annotations

import sys

import msgspec

from telar.publish.standing import Now
from telar.store.evidence import Evidence, Listing
from telar.store.files import pretty
from telar.store.published import Index, Sessions
from telar.store.shards import Shard

COMMAND = (
    "PYTHONPATH=scripts/src .telar/venv-requirements/bin/python -m telar.publish.schema"
    " > benchmarks-data/schema/published-1.json"
)


# Came after histories had been written without it.
LATER = {
    "compacted",
    "detector",
    "latency_from",
    "mean",
    "spread",
    "p99_limit_ms",
    "growth",
    "over",
    "group",
    "repository",
    "commits",
    "evidence",
    "tables",
}


def text() -> str:
    _, parts = msgspec.json.schema_components(
        (Index, Now, Sessions, Shard, Listing, Evidence), ref_template="#/$defs/{name}"
    )
    for part in parts.values():  # what has a default is written all the same
        part["required"] = [name for name in part.get("properties", {}) if name not in LATER]
    return pretty({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": parts}).decode()


if __name__ == "__main__":
    sys.stdout.write(text())

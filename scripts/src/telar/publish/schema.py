"""Prints the JSON Schema of the published files, which the pages check what they load with."""

from __future__ import annotations

import sys

import msgspec

from telar.publish.standing import Now
from telar.store.evidence import Evidence, Listing
from telar.store.files import pretty
from telar.store.published_files import Index, Sessions
from telar.store.report import Report
from telar.store.shards import Shard

COMMAND = (
    "PYTHONPATH=scripts/src .telar/venv-requirements/bin/python -m telar.publish.schema"
    " > benchmarks-data/schema/published-1.json"
)


# Came after histories had been written without it: a key of any part, or of the one that is named.
LATER = {
    "compacted",
    "detector",
    "latency_from",
    "mean",
    "spread",
    "VariantWords.p99_limit_ms",
    "growth",
    "over",
    "group",
    "repository",
    "commits",
    "evidence",
    "Evidence.tables",
    "report",
}


def text() -> str:
    _, parts = msgspec.json.schema_components(
        (Index, Now, Sessions, Shard, Listing, Evidence, Report), ref_template="#/$defs/{name}"
    )
    for kind, part in parts.items():  # what has a default is written all the same
        part["required"] = [
            name for name in part.get("properties", {}) if not {name, f"{kind}.{name}"} & LATER
        ]
    return pretty({"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": parts}).decode()


if __name__ == "__main__":
    sys.stdout.write(text())

"""Prints the JSON Schema of records, which lies in benchmarks-data/schema/ for those who read them."""

from __future__ import annotations

import sys

from telar.store.files import pretty
from telar.store.record import FORMAT, json_schema

# From the root of the checkout.
COMMAND = (
    "PYTHONPATH=scripts/src .telar/venv-requirements/bin/python -m telar.store.schema"
    f" > benchmarks-data/schema/record-{FORMAT}.json"
)


def text() -> str:
    return pretty(json_schema()).decode()


if __name__ == "__main__":
    sys.stdout.write(text())

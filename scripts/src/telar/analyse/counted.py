"""What a window counts, a request: no clock is in it, and so hardly any noise."""

from __future__ import annotations

from collections.abc import Mapping

from telar.store.record import Record

# What a server counts by rows, by bytes, and of each single statement; all else are kinds of statements.
ROWS, BYTES, QUERIES = ("Handler_", "seq_tup_", "idx_tup_"), ("Bytes_",), ("Query_",)
OTHERS = (*ROWS, *BYTES, *QUERIES)


def per_request(requests: int, received: float, counters: Mapping[str, int]) -> dict[str, float | None]:
    """`received`: bytes of all answers. `counters`: the database's own (databases/client.py); of some only
    rows are known, of some only statements.
    """
    rows = [n for name, n in counters.items() if name.startswith(ROWS)]
    asked = [n for name, n in counters.items() if not name.startswith(OTHERS)]
    return {
        "statements": sum(asked) / requests if asked else None,
        "rows-read": sum(rows) / requests if rows else None,
        "answer": received / 1024 / requests if received else None,
    }


def of_record(record: Record) -> dict[str, float | None]:
    """Of records from before these were metrics, too."""
    load = record.load
    requests = sum(load.requests.values()) if load else 0
    if load is None or not requests:
        return {}
    received = sum(count * load.bytes.get(endpoint, 0.0) for endpoint, count in load.requests.items())
    return per_request(requests, received, record.database.statements if record.database else {})

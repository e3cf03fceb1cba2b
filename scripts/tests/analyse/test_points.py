"""What a point's environment tells apart."""

from __future__ import annotations

from typing import Any

import msgspec

from telar.analyse.points import environment, surroundings

from ..store.records import record


def test_a_series_begins_again_where_latency_counts_from_another_moment() -> None:
    older = record()
    load: Any = older.load
    due = record(load=msgspec.structs.replace(load, latency_from="due"))
    assert surroundings(due) == {**surroundings(older), "latency": "from when it was due"}
    assert environment(due) != environment(older)


def test_the_environment_of_older_records_stays_what_it_was() -> None:
    """Of a record that says nothing of its latency: the digest that its points were published with."""
    assert "latency" not in surroundings(record())
    assert environment(record()) == environment(record(load=None, outcome="failed"))

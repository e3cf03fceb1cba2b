"""What a server's plan comes to: how it finds its rows, in a word."""

from __future__ import annotations

from typing import Any

import pytest

from telar.databases import postgresql
from telar.databases.mongodb import path_of

BY_KEY = {
    "Node Type": "Custom Scan",
    "Plans": [
        {
            "Node Type": "Index Scan",
            "Index Name": "_id_",
            "Index Cond": "((shard_key_value = '2'::bigint) AND (object_id = 'x'))",
        }
    ],
}
IN_ORDER = {
    "Node Type": "Limit",
    "Plans": [
        {"Node Type": "Index Scan", "Index Name": "_id_", "Index Cond": "(shard_key_value = '2'::bigint)"}
    ],
}
SORTED = {
    "Node Type": "Limit",
    "Plans": [
        {
            "Node Type": "Sort",
            "Plans": [
                {
                    "Node Type": "Bitmap Heap Scan",
                    "Plans": [
                        {
                            "Node Type": "Bitmap Index Scan",
                            "Index Name": "_id_",
                            "Index Cond": "(shard_key_value = '2'::bigint)",
                        }
                    ],
                }
            ],
        }
    ],
}


@pytest.mark.parametrize(
    ("explained", "path"),
    [
        pytest.param(
            {"queryPlanner": {"winningPlan": {"stage": "EXPRESS_IXSCAN"}}},
            "EXPRESS_IXSCAN",
            id="MongoDB, key",
        ),
        pytest.param(
            {
                "queryPlanner": {
                    "winningPlan": {
                        "stage": "LIMIT",
                        "inputStage": {"stage": "FETCH", "inputStage": {"stage": "IXSCAN"}},
                    }
                }
            },
            "LIMIT FETCH IXSCAN",
            id="MongoDB, in order",
        ),
        pytest.param(
            {"queryPlanner": {"winningPlan": {"stage": "SORT", "inputStage": {"stage": "COLLSCAN"}}}},
            "scan",
            id="MongoDB, scan",
        ),
        pytest.param({"filterPushdown": True, "sortPushdown": False}, "handed down", id="FerretDB 1, key"),
        pytest.param(
            {
                "queryPlanner": {"Plan": ["id=2 parent=0 notused=0 detail=SCAN movies_257fbbf4"]},
                "filterPushdown": False,
                "sortPushdown": False,
                "limitPushdown": False,
            },
            "scan",
            id="FerretDB 1.24 on SQLite, whole",
        ),
        pytest.param({"filterPushdown": False, "sortPushdown": False}, "scan", id="FerretDB 1, scan"),
        pytest.param({"queryPlanner": {"Plan": BY_KEY}}, "Index Scan _id_", id="FerretDB 2, key"),
        pytest.param({"queryPlanner": {"Plan": IN_ORDER}}, "Index Scan _id_", id="FerretDB 2, in order"),
        pytest.param({"queryPlanner": {"Plan": SORTED}}, "scan", id="FerretDB 2, sorted"),
        pytest.param({}, "not told", id="nothing"),
    ],
)
def test_a_plan_in_a_word(explained: dict[str, Any], path: str) -> None:
    assert path_of(explained) == path


def node(kind: str, *inner: dict[str, Any], **more: str) -> dict[str, Any]:
    return {"Node Type": kind, **({"Plans": list(inner)} if inner else {}), **more}


@pytest.mark.parametrize(
    ("plan", "path"),
    [
        pytest.param(
            node("Index Scan", **{"Index Name": "movie_pkey", "Index Cond": "(id = 500)"}),
            "Index Scan movie_pkey",
            id="key",
        ),
        pytest.param(
            node("Limit", node("Index Scan", **{"Index Name": "movie_pkey"})),
            "Index Scan movie_pkey",
            id="in order",
        ),
        pytest.param(node("Limit", node("Sort", node("Seq Scan"))), "scan", id="sorted"),
        pytest.param(
            node("Nested Loop", node("Seq Scan"), node("Index Scan", **{"Index Name": "movie_pkey"})),
            "scan",
            id="one of two tables",
        ),
        pytest.param(node("ModifyTable", node("Result")), "Result", id="insert"),
    ],
)
def test_a_plan_of_postgresql_in_a_word(plan: dict[str, Any], path: str) -> None:
    assert postgresql.path_of([{"Plan": plan}]) == path

"""Other tools' results as points."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from telar.collect.imports import READERS
from telar.collect.imports.foreign import Occasion
from telar.errors import StoreError
from telar.store.points import Point

OCCASION = Occasion(path=Path("there/results.json"), time=5.0, commit="ab", prefix="x ")

JMH = [
    {
        "jmhVersion": "1.37",
        "benchmark": "org.acme.Parse.small",
        "mode": "thrpt",
        "threads": 1,
        "forks": 3,
        "params": {"size": "10"},
        "primaryMetric": {
            "score": 12.5,
            "scoreError": "NaN",
            "scoreConfidence": [12.0, 13.0],
            "scoreUnit": "ops/ms",
            "rawData": [[12.4, 12.6]],
        },
        "secondaryMetrics": {
            "·gc.alloc.rate.norm": {"score": 640.0, "scoreUnit": "B/op"},
            "gc.count": {"score": "NaN", "scoreUnit": "counts"},
        },
    },
    {
        "benchmark": "org.acme.Parse.large",
        "mode": "avgt",
        "primaryMetric": {"score": 3.0, "scoreUnit": "ns/op"},
    },
]
K6_EXPORT = {
    "metrics": {
        "http_req_duration": {"avg": 3.5, "p(95)": 9.0},
        "http_reqs": {"count": 100, "rate": 50.0},
        "checks": {"passes": 99, "fails": 1, "value": 0.99},
    }
}
K6_HANDLE = {
    "metrics": {
        "http_req_duration": {"type": "trend", "contains": "time", "values": {"avg": 3.5, "p(95)": 9.0}}
    }
}
DATA = {
    "lastUpdate": 1,
    "repoUrl": "there",
    "entries": {
        "Go": [
            {
                "commit": {"id": "c1", "author": {"name": "n"}, "message": "m"},
                "date": 1000,
                "tool": "go",
                "benches": [{"name": "B", "value": 12, "unit": "ns/op", "range": "± 3", "extra": "x"}],
            },
            {
                "commit": {"id": "c2"},
                "date": 2000,
                "tool": "go",
                "benches": [
                    {"name": "B", "value": 13, "unit": "ns/op"},
                    {"name": "broken", "value": None, "unit": "s"},
                ],
            },
        ],
        "Rate": [
            {
                "commit": {"id": "c2"},
                "date": 2000,
                "tool": "customBiggerIsBetter",
                "benches": [{"name": "R", "value": 7.5, "unit": "x"}],
            }
        ],
    },
}


def read(format_: str, content: Any, before: str = "") -> list[Point]:
    return READERS[format_]((before + json.dumps(content)).encode(), OCCASION)


def short(points: list[Point]) -> list[tuple[str, str, float, str, str]]:
    return [(p.series, p.metric, p.value, p.unit, p.better) for p in points]


def test_jmhs_scores_and_what_its_profilers_found() -> None:
    found = read("jmh", JMH)
    assert short(found) == [
        ("x org.acme.Parse.small size=10", "thrpt", 12.5, "ops/ms", "bigger"),
        ("x org.acme.Parse.small size=10", "gc.alloc.rate.norm", 640.0, "B/op", "smaller"),
        ("x org.acme.Parse.large", "avgt", 3.0, "ns/op", "smaller"),
    ]
    assert (found[0].low, found[0].high, found[0].runs, found[0].commit, found[0].time) == (
        12.0,
        13.0,
        3,
        "ab",
        5.0,
    )


def test_k6s_summaries_of_both_shapes() -> None:
    assert short(read("k6", K6_EXPORT)) == [
        ("x checks", "value", 0.99, "", "bigger"),
        ("x http_req_duration", "avg", 3.5, "ms", "smaller"),
        ("x http_req_duration", "p(95)", 9.0, "ms", "smaller"),
        ("x http_reqs", "rate", 50.0, "1/s", "bigger"),
    ]
    assert short(read("k6", K6_HANDLE)) == short(read("k6", K6_EXPORT))[1:3]


@pytest.mark.parametrize("end", ["", ";", "\n;\n"])
def test_github_action_benchmarks_history_with_its_commits_and_dates(end: str) -> None:
    content = f"window.BENCHMARK_DATA = {json.dumps(DATA, indent=2)}{end}".encode()
    found = READERS["github-action-benchmark"](content, OCCASION)
    assert [(p.series, p.commit, p.time, p.value, p.better) for p in found] == [
        ("x Go B", "c1", 1.0, 12.0, "smaller"),
        ("x Go B", "c2", 2.0, 13.0, "smaller"),
        ("x Rate R", "c2", 2.0, 7.5, "bigger"),
    ]


@pytest.mark.parametrize(
    ("format_", "content", "said"),
    [
        ("jmh", b"{}", "isn't JMH's JSON"),
        ("jmh", b'[{"benchmark": "a"}]', "missing required field `mode`"),
        ("k6", b'{"metrics": {}}', "has no figures"),
        ("k6", b"\xff", "isn't k6's summary"),
        ("github-action-benchmark", b"{}", "doesn't begin with"),
        ("github-action-benchmark", b"window.BENCHMARK_DATA = {", "isn't github-action-benchmark's history"),
    ],
)
def test_a_file_that_is_something_else_is_named_with_what_is_wrong(
    format_: str, content: bytes, said: str
) -> None:
    with pytest.raises(StoreError, match=r"there/results\.json: ") as told:
        READERS[format_](content, OCCASION)
    assert said in told.value.message

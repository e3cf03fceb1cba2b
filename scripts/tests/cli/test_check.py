"""`telar check`: other tools' results, judged and compared."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from telar.analyse import outside as analyse
from telar.cli import common
from telar.collect.outside import read
from telar.gates import outside as gates
from telar.store.outside import Outside, Run, Series

from .conftest import Telar

WRK = Path(__file__).parents[1] / "collect" / "samples" / "wrk.txt"
WRK2 = """Running 30s test @ http://127.0.0.1/
  2 threads and 100 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.28ms  595.25us  12.00ms   73.55%
  Latency Distribution (HdrHistogram - Recorded Latency)
 50.000%    1.22ms
 90.000%    1.99ms
 99.000%    2.80ms
  60018 requests in 30.00s, 19.81MB read
  Non-2xx or 3xx responses: 6000
Requests/sec:   2000.28
"""
OHA = """Summary:
  Success rate:\t100.00%
  Total:\t61.0000 secs
  Average:\t0.0120 secs
  Requests/sec:\t200.0000

Response time distribution:
  50.00% in 0.0110 secs
  95.00% in 21.5 ms
  99.00% in 0.0300 secs

Status code distribution:
  [200] 12150 responses
  [503] 30 responses

Error distribution:
  [20] aborted due to deadline
"""


def summary(**changes: Any) -> bytes:
    """k6's, of a sound run at 300/s for two minutes."""
    said = {
        "http_req_duration": {"avg": 3.0, "med": 2.5, "p(90)": 4.0, "p(95)": 5.0, "p(99)": 9.0},
        "http_reqs": {"count": 36_000, "rate": 300.0},
        "http_req_failed": {"passes": 0, "fails": 36_000, "value": 0},
        "http_req_blocked": {"p(95)": 0.01},
        "iterations": {"count": 36_000, "rate": 300.0},
        "iteration_duration": {"avg": 3.2},
        "vus_max": {"value": 50, "min": 50, "max": 50},
    }
    return json.dumps({"metrics": {**said, **changes}}).encode()


def slower(factor: float) -> dict[str, Any]:
    base = {"avg": 3.0, "med": 2.5, "p(90)": 4.0, "p(95)": 5.0, "p(99)": 9.0}
    return {"http_req_duration": {name: value * factor for name, value in base.items()}}


def raw(seed: int, *, scale: float = 3.0, seconds: int = 60, dropped: int = 0) -> bytes:
    """k6's CSV: 50 requests a second, latencies spread by a third."""
    rng = random.Random(seed)
    lines = ["metric_name,timestamp,metric_value,check,error"]
    for n in range(seconds * 50):
        moment, ms = 1_795_600_000 + n / 50, scale * rng.lognormvariate(0, 0.3)
        lines += [f"http_req_duration,{moment:.3f},{ms:.4f},,", f"http_req_failed,{moment:.3f},0,,"]
        lines += [f"iterations,{moment:.3f},1,,", f"iteration_duration,{moment:.3f},{ms + 0.2:.4f},,"]
    lines += ["vus_max,1795600001,10,,"] + ["dropped_iterations,1795600002,1,,"] * dropped
    return ("\n".join(lines) + "\n").encode()


def jmh(*forks: list[float]) -> bytes:
    metric = {"score": 1.0, "scoreUnit": "ms/op", "rawData": list(forks)}
    return json.dumps([{"benchmark": "org.acme.Parse", "mode": "avgt", "primaryMetric": metric}]).encode()


def kept(folder: Path, name: str, content: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def failed(path: Path) -> set[str]:
    return {g.name for g in gates.judge(read(path)) if g.verdict == "fail"}


def test_a_sound_summary_passes(tmp_path: Path, telar: Telar) -> None:
    path = kept(tmp_path, "summary.json", summary())
    said = telar("check", path)
    assert said.code == 0
    assert "36,000 requests" in said.out
    assert "nothing speaks against it; 1 question its file doesn't answer" in said.out


@pytest.mark.parametrize(
    ("content", "gate"),
    [
        (summary(dropped_iterations={"count": 7, "rate": 0.1}), "arrivals"),
        (summary(http_req_failed={"passes": 900, "fails": 35_100, "value": 0.025}), "status"),
        (summary(checks={"passes": 35_999, "fails": 1, "value": 0.9999}), "status"),
        (summary(vus_max={"value": 1, "min": 1, "max": 1}), "little"),
        (summary(http_req_blocked={"p(95)": 4.0}), "client"),
        (raw(1, dropped=3), "arrivals"),
        (WRK2, "status"),
        (jmh([4.0, 4.0, 2.0, 2.0], [4.1, 4.0, 2.0, 2.0], [4.0, 4.0, 2.0, 2.1]), "steady"),
    ],
)
def test_each_fault_of_a_file_fails_its_gate(
    tmp_path: Path, telar: Telar, content: bytes | str, gate: str
) -> None:
    path = kept(tmp_path, "result", content)
    assert failed(path) == {gate}
    said = telar("check", path)
    assert said.code == 5
    assert f"not to be believed: {path} ({gate})" in said.err


def test_what_wrk_and_oha_printed_is_read(tmp_path: Path) -> None:
    found = read(WRK)
    assert found.tool == "wrk"
    assert found.load
    assert (found.load.requests, found.load.users, found.load.failed) == (415, 4, 0)
    assert found.series["p50"].runs[0].value == pytest.approx(47.99)
    corrected = read(kept(tmp_path, "wrk2", WRK2))
    assert corrected.tool == "wrk2"
    assert corrected.load
    assert corrected.load.late is True
    assert corrected.series["p99"].runs[0].value == pytest.approx(2.8)
    oha = read(kept(tmp_path, "oha", OHA))
    assert oha.load
    assert (oha.load.requests, oha.load.failed, oha.load.seconds) == (12_200, 50, 61.0)
    assert oha.series["p95"].runs[0].value == pytest.approx(21.5)


def test_three_files_a_side_tell_a_tenth(tmp_path: Path, telar: Telar) -> None:
    bases = [kept(tmp_path, f"b{n}.json", summary(**slower(f))) for n, f in enumerate((1.0, 1.01, 0.99))]
    heads = [kept(tmp_path, f"h{n}.json", summary(**slower(f))) for n, f in enumerate((1.1, 1.11, 1.09))]
    against = [word for path in bases for word in ("--base", path)]
    said = telar("check", *heads, *against)
    assert said.code == 8
    assert "+10.0%" in said.out
    assert "fewer than 3 starts" not in said.out
    found = json.loads(telar("check", *heads, *against, "--json").out)
    assert found["word"] == "worse"
    assert {d["word"] for d in found["differences"]} == {"worse"}
    assert [f["side"] for f in found["files"]] == ["base"] * 3 + ["head"] * 3


def test_one_file_a_side_tells_large_changes_alone(tmp_path: Path, telar: Telar) -> None:
    base, same = kept(tmp_path, "base.csv", raw(1)), kept(tmp_path, "same.csv", raw(2))
    said = telar("check", same, "--base", base)
    assert said.code == 0
    assert "fewer than 3 starts" in said.out
    assert said.out.rstrip().endswith("undecided")
    double = kept(tmp_path, "double.csv", raw(3, scale=6.0))
    assert telar("check", double, "--base", base).code == 8


def test_latencies_of_another_load_are_not_compared(tmp_path: Path, telar: Telar) -> None:
    base = kept(tmp_path, "base.json", summary())
    more = summary(**slower(3), http_reqs={"count": 48_000, "rate": 400.0})
    said = telar("check", kept(tmp_path, "head.json", more), "--base", base)
    assert said.code == 0
    assert "the rates differ: it is another load" in said.out


def test_benchmarks_are_compared_fork_by_fork(tmp_path: Path, telar: Telar) -> None:
    base = kept(tmp_path, "base.json", jmh([1.0] * 4, [1.01] * 4, [0.99] * 4))
    head = kept(tmp_path, "head.json", jmh([1.2] * 4, [1.21] * 4, [1.19] * 4))
    said = telar("check", head, "--base", base)
    assert said.code == 8
    assert "org.acme.Parse" in said.out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("hello", "is in none of the formats"),
        ('{"metrics": {"http_req_duration": {}}}', "k6 made no request"),
        ("metric_name,timestamp,metric_value\nhttp_req_duration,x,1\n", "line 2 isn't one of k6's results"),
        ('[{"benchmark": "a", "primaryMetric": 3}]', "isn't whole, as JMH's JSON"),
    ],
)
def test_what_is_none_of_the_formats_is_named(
    tmp_path: Path, telar: Telar, content: str, message: str
) -> None:
    said = telar("check", kept(tmp_path, "file", content))
    assert said.code == 2
    assert message in said.err.replace("\n       ", " ")
    assert telar("check", tmp_path / "missing").code == 2


def test_it_fits_eighty_columns(tmp_path: Path, telar: Telar, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(common.console, "_width", 80)
    base = kept(tmp_path, "base.csv", raw(1))
    said = telar("check", kept(tmp_path, "head.csv", raw(2)), "--base", base)
    table = [line for line in said.out.splitlines() if str(tmp_path) not in line]
    assert max(map(cell_len, table)) <= 80


@pytest.mark.thorough
def test_few_of_a_thousand_comparisons_of_the_same_err() -> None:
    """Three files a side, four figures: one in twenty may, of all figures together."""
    rng, alarms = random.Random(5), 0
    for _ in range(1000):
        sides = [[one(rng) for _ in range(3)] for _ in range(2)]
        alarms += any(d.word in {"worse", "better"} for d in analyse.compare(*sides))
    assert 5 <= alarms <= 65


def one(rng: random.Random) -> Outside:
    names = ("mean", "p50", "p95", "p99")
    series = {
        name: Series(unit="ms", better="smaller", runs=(Run(value=rng.lognormvariate(1, 0.06)),))
        for name in names
    }
    return Outside(path="x", tool="k6", series=series)

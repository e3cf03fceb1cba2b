"""`telar import`, `export`, `detect` and `accept`, on a history that a test makes."""

from __future__ import annotations

import io
import json
import random
import sys
from pathlib import Path

import msgspec
import pytest

from telar.cli import common
from telar.plan.pairs import pair_runs
from telar.store import points as store
from telar.store.files import Session

from ..store.records import CELL, WARMUPS, plan, put, record
from ..store.test_points import point
from .conftest import Telar


@pytest.fixture
def history(tmp_path: Path) -> Path:
    """A series with a step of 20 %, and one without."""
    dice, path = random.Random(1), tmp_path / "points.jsonl"
    store.append(
        path,
        [
            point(
                series=series,
                time=float(n),
                commit=f"{n:040x}",
                value=10 * (1 + dice.gauss(0, 0.01)) * factor,
            )
            for series, step in (("stepped", 1.2), ("flat", 1.0))
            for n in range(80)
            for factor in (step if n >= 40 else 1.0,)
        ],
    )
    return path


def test_what_is_open_is_told_and_ends_with_8(telar: Telar, history: Path) -> None:
    said = telar("detect", "--from", history)
    assert said.code == 8
    assert "stepped" in said.out
    assert "flat" not in said.out
    assert "2 series, 160 points: 1 open regression" in said.out


def test_what_was_accepted_is_open_no_more_and_the_reason_is_kept(
    telar: Telar, history: Path, checkout: Path
) -> None:
    said = telar("accept", "stepped", "--reason", "validation, issue 17", "--from", history)
    assert said.code == 0
    assert "validation, issue 17" in (checkout / "benchmarks-data" / "accepted.toml").read_text()
    again = telar("detect", "--from", history)
    assert again.code == 0
    assert "1 accepted regression" in again.out


def test_nothing_can_be_accepted_that_is_not_open(telar: Telar, history: Path) -> None:
    said = telar("accept", "flat", "--reason", "why not", "--from", history)
    assert (said.code, "nothing is open of 'flat'" in said.err) == (2, True)


def test_a_pattern_chooses_series_and_metrics(telar: Telar, history: Path) -> None:
    assert telar("detect", "fl*", "p50", "--from", history).code == 0
    said = telar("detect", "none", "--from", history)
    assert (said.code, "there is no such series" in said.err) == (2, True)


def test_detection_as_json_has_the_findings(telar: Telar, history: Path) -> None:
    found = json.loads(telar("detect", "--from", history, "--json").out)
    (stepped,) = (t for t in found if t["series"] == "stepped")
    (finding,) = stepped["findings"]
    assert (finding["kind"], finding["state"], finding["since"]["time"]) == ("regression", "open", 40.0)


def test_lines_are_answered_one_by_one(telar: Telar, monkeypatch: pytest.MonkeyPatch) -> None:
    dice = random.Random(1)
    values = [10 * (1 + dice.gauss(0, 0.01)) * (1.2 if n >= 40 else 1.0) for n in range(60)]
    asked = "".join(json.dumps({"values": values[:n], "better": "lower"}) + "\n" for n in (40, 60, 60))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(asked.encode())))
    found = [json.loads(line)["changepoints"] for line in telar("detect", "--lines").out.splitlines()]
    assert found == [[], [{"index": 40, "direction": "worse"}], [{"index": 40, "direction": "worse"}]]


def test_another_tools_history_is_imported_once_and_detected_with_ours(
    telar: Telar, tmp_path: Path, checkout: Path
) -> None:
    dice = random.Random(2)
    entries = [
        {
            "commit": {"id": f"c{n}"},
            "date": 1000 * n,
            "tool": "go",
            "benches": [
                {
                    "name": "B",
                    "value": 100 * (1 + dice.gauss(0, 0.01)) * (1.3 if n >= 40 else 1),
                    "unit": "ns/op",
                }
            ],
        }
        for n in range(80)
    ]
    file = tmp_path / "data.js"
    file.write_text("window.BENCHMARK_DATA = " + json.dumps({"entries": {"Go": entries}}))
    said = telar("import", "github-action-benchmark", file)
    assert said.code == 0
    assert "80 points of 1 series, 80 of them new" in said.out
    assert "0 of them new" in telar("import", "github-action-benchmark", file).out
    assert "1 open regression" in telar("detect").out


def test_what_no_tool_wrote_is_refused_and_nothing_is_kept(
    telar: Telar, tmp_path: Path, checkout: Path
) -> None:
    file = tmp_path / "data.js"
    file.write_text("{}")
    said = telar("import", "github-action-benchmark", file)
    assert (said.code, "doesn't begin with" in said.err) == (7, True)
    assert not (checkout / "benchmarks-data" / "history").exists()


def test_a_time_is_not_for_a_format_that_has_its_own(telar: Telar, tmp_path: Path) -> None:
    file = tmp_path / "data.js"
    file.write_text("")
    assert "says itself when" in telar("import", "github-action-benchmark", file, "--time", "2026-01-01").err
    assert "--time 'noon'" in telar("import", "jmh", file, "--time", "noon").err


def test_a_session_is_exported_with_what_may_be_compared(
    telar: Telar, tmp_path: Path, checkout: Path
) -> None:
    session = Session.create(
        checkout / "benchmarks-data" / "local" / "20261121-000000-smoke", plan(CELL, CELL)
    )
    for run, rss, validity in zip(session.plan.runs, (300.0, 900.0), ("valid", "invalid"), strict=True):
        put(
            session,
            run,
            record(run_id=f"{run.position:016x}", numbers={"rss": rss}, validity=validity),
        )
    said = telar("export", "github-action-benchmark", "--to", tmp_path / "out")
    assert said.code == 0
    found = json.loads((tmp_path / "out" / "smaller-is-better.json").read_bytes())
    (found,) = (b for b in found if b["name"].endswith(" rss"))
    assert found["value"] == 300.0


def test_an_export_of_what_is_judged_leaves_out_the_rest(
    telar: Telar, tmp_path: Path, checkout: Path
) -> None:
    session = Session.create(checkout / "benchmarks-data" / "local" / "20261121-000000-smoke", plan(CELL))
    (run,) = session.plan.runs
    put(session, run, record(run_id=f"{run.position:016x}", numbers={"rss": 300.0, "pool": 10.0}))
    out = tmp_path / "out" / "smaller-is-better.json"
    for more, names in (((), {"rss", "pool"}), (("--judged",), {"rss"})):
        assert telar("export", "github-action-benchmark", *more, "--to", tmp_path / "out").code == 0
        assert names == {"rss", "pool"} & {b["name"].split()[-1] for b in json.loads(out.read_bytes())}


def test_pairs_of_a_comparison_are_no_history(telar: Telar, checkout: Path) -> None:
    cells = [(CELL, CELL)]
    runs = pair_runs(cells, forks=1, windows=1, seed=1, warmups=WARMUPS)
    windows = msgspec.structs.replace(plan(CELL), runs=tuple(runs))
    session = Session.create(checkout / "benchmarks-data" / "local" / "20261121-000000-ab", windows)
    for run in session.plan.runs:
        put(session, run, record(run_id=f"{run.position:016x}"))
    said = telar("export", "csv")
    assert (said.code, "no session has a completed run" in said.err) == (2, True)


def test_a_point_is_read_as_strictly_as_a_record(telar: Telar, tmp_path: Path) -> None:
    path = tmp_path / "points.jsonl"
    path.write_bytes(msgspec.json.encode(point()).replace(b'"p50"', b"7"))
    said = telar("detect", "--from", path)
    assert (said.code, f"{path}: line 1: " in said.err) == (7, True)


def test_an_export_of_nothing_is_fine_where_that_is_said(telar: Telar, tmp_path: Path) -> None:
    assert telar("export", "csv", "--data", tmp_path).code == 2
    said = telar("export", "csv", "--empty-ok", "--data", tmp_path, "--to", tmp_path / "out")
    assert said.code == 0
    assert "nothing" in said.out
    assert not (tmp_path / "out").exists()


def test_a_data_folder_is_a_whole_path_since_containers_have_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert common.data_folder(Path("sessions")) == tmp_path / "sessions"

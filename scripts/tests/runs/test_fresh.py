"""Real benchmarks and programs through all of Telar: run, report, replay, and two sides compared."""

from __future__ import annotations

import json

import pytest

from .conftest import Checkout, printed

pytestmark = [pytest.mark.embedded, pytest.mark.timeout(900)]
ONE = ("loom-short", "--only", "loom/kotlin-virtual")


def test_a_benchmark_is_run_reported_made_again_and_compared(checkout: Checkout) -> None:
    checkout.edit("apps/loom/load/short/benchmark.toml", "count = 5\nseconds = 1", "count = 4\nseconds = 0.3")
    code, output = checkout.telar("run", *ONE, "--data", str(checkout.data))
    assert code == 0, output
    assert "score" in output
    (old,) = checkout.records()
    assert (old.kind, old.cell.label, old.cell.workload) == ("jmh", "loom/kotlin-virtual", "loom-short")
    assert 10 < old.metrics["score"].value < 1000  # 1,000 tasks of 10 ms at once
    assert old.benchmark
    assert len(old.benchmark.iterations) == 4

    code, output = checkout.telar("replay", old.run_id[:6], "--data", str(checkout.data), "--json")
    assert code == 0, output
    found = printed(output)
    assert "score" in {m["metric"] for m in found["metrics"]}

    code, output = checkout.telar(
        "ab", *ONE, "--base", "flags=-XX:TieredStopAtLevel=4", "--head", "flags=-Xint",
        "--budget", "1m", "--data", str(checkout.data), "--json",
    )  # fmt: skip
    assert code in {0, 8}, output
    said = printed(output)
    assert len(said["compared"]) == 1  # how many pairs are sound depends on the machine
    paired = [r for r in checkout.records() if r.pair]
    assert {r.outcome for r in paired} == {"completed"}
    forks = [r.pair.fork for r in paired if r.pair]
    assert len(forks) == 2 * len(set(forks))  # each window is a JVM of its own
    (plan,) = checkout.data.glob("*-ab/plan.json")
    planned = len(json.loads(plan.read_text())["runs"])
    assert planned >= 6
    # So large a difference may be seen at half of the pairs, the first look: no other reason ends it earlier.
    words = {verdict["word"] for verdict in said["compared"][0]["verdicts"]}
    assert len(forks) == planned or "undecided" not in words

    code, output = checkout.telar("run", *ONE, "--engine", "compose", "--data", str(checkout.data))
    assert code == 2
    assert "the engine compose runs nothing of the kind jmh" in output


def test_programs_are_run_and_reported(checkout: Checkout) -> None:
    checkout.edit("apps/safety/load/twenty/task.toml", "rounds = [20]", "rounds = [2]")
    only = "safety/kotlin-mutex,safety/kotlin-control"
    code, output = checkout.telar(
        "run", "safety", "--only", only, "--repeat", "1", "--data", str(checkout.data)
    )
    assert code == 0, output
    checkout.edit("apps/burner/load/short/task.toml", "seconds = [2]", "seconds = [1]")
    code, output = checkout.telar("run", "burner-short", "--data", str(checkout.data))
    assert code == 0, output
    assert "CPU/task" in output
    records = {r.cell.label: r for r in checkout.records()}
    assert records["safety/kotlin-mutex"].metrics["rounds-lost"].value == 0
    assert records["safety/kotlin-control"].metrics["rounds-lost"].value == 0
    burnt = {name: r.metrics for name, r in records.items() if name.startswith("burner/")}
    assert set(burnt) == {"burner/java-virtual", "burner/java-forkjoin", "burner/java-fixed"}
    for metrics in burnt.values():
        assert metrics["task-rate"].value * metrics["task-cpu"].value / 1000 == pytest.approx(2, abs=0.7)
        # A product that the next one needs takes three cycles: half a nanosecond at 6 GHz.
        assert metrics["task-cpu"].value > 10_000 * 0.5e-6


def test_a_broken_budget_ends_with_8(checkout: Checkout) -> None:
    checkout.edit("apps/burner/load/short/task.toml", "seconds = [2]", "seconds = [1]")
    system = checkout.root / "apps/burner/system.toml"
    system.write_text(f'{system.read_text()}\n[[budget]]\nmetric = "task-rate"\nleast = 900_000_000\n')
    only = ("--only", "burner/java-fixed")
    code, output = checkout.telar("run", "burner-short", *only, "--data", str(checkout.data))
    (record,) = checkout.records()
    if record.validity == "valid":  # what the machine spoilt says nothing of the budget
        assert code == 8, output
        assert "1 budget broken: task-rate of burner/java-fixed" in output
    else:
        assert (code, "undecided" in output) == (0, True), output

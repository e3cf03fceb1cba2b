"""`telar evaluate`: what it asks of a kit, and what it makes of the scorer's results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from telar.analyse import made_up
from telar.cli import evaluate as command
from telar.store import detector

from .conftest import Telar

pytestmark = pytest.mark.thorough

STEPS = {f"{step} | clean": n for n, step in enumerate(command.STEPS, start=1)}

SCORER = """
import argparse, json, subprocess, sys
from pathlib import Path

parser = argparse.ArgumentParser()
parser.add_argument("--name")
parser.add_argument("--out", type=Path)
parser.add_argument("cmd", nargs="+")
said = parser.parse_args()
asked = json.dumps({"better": "lower", "values": [1.0] * 40 + [2.0] * 20})
done = subprocess.run(said.cmd, input=asked + "\\n", capture_output=True, text=True, check=True)
answer = json.loads(done.stdout)
found = len(answer["changepoints"])
(said.out / "visible-x.json").write_text(json.dumps({
    "name": said.name,
    "offline": {"injected": {k: {"f1": found / n} for k, n in STEPS.items()}},
    "online": {
        "detection": {k: {"recall": found / n, "median_delay": 4} for k, n in STEPS.items()},
        "false_alarms_per_1000": {"all-null": {"worse": 0.5}, "null-ruler": {"worse": 0.0}},
        "cpu_ms_per_decision": 0.25,
    },
}))
"""
RULES = """
import json, sys

if sys.argv[1] == "--list":
    print("never")
else:
    for line in sys.stdin:
        print(json.dumps({"changepoints": []}), flush=True)
"""


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    folder = tmp_path / "kit"
    (folder / "data").mkdir(parents=True)
    (folder / "score.py").write_text(f"STEPS = {STEPS!r}\n{SCORER}")
    (folder / "detectors.py").write_text(RULES)
    (folder / "requirements.txt").write_text("")
    return folder


def test_ours_and_the_kits_rules_are_scored_in_one_run_and_ours_comes_first(telar: Telar, kit: Path) -> None:
    said = telar("evaluate", "--kit", kit, "--no-cost", "--series", "2", "--json")
    assert said.code == 0, said.err
    results = {r["name"]: r for r in json.loads(said.out)["results"]}
    assert set(results) == {"telar", "never"}
    assert command.row(results["telar"]) == (
        "telar",
        "1.00 0.50 0.33 0.25",
        "1.00 0.50 0.33 0.25",
        "0.5",
        "0.0",
        "4",
        "0.25",
    )
    assert command.row(results["never"])[1] == "0.00 0.00 0.00 0.00"
    families = json.loads(said.out)["made-up"]
    assert list(families) == ["telar", "never"]
    assert [r["family"] for r in families["never"]] == [r["family"] for r in families["telar"]]
    assert all(r["false"] == 0 and r["steps"][2]["found"] == 0 for r in families["never"])
    assert families["telar"][0]["steps"][2]["found"] == 1


def test_without_a_kit_ours_is_scored_on_made_up_series(telar: Telar) -> None:
    said = telar("evaluate", "--series", "2", "--no-cost")
    assert said.code == 0, said.err
    for family in made_up.FAMILIES:
        assert family in said.out
    assert said.out.count("telar") == len(made_up.FAMILIES)


def test_rules_and_a_document_need_a_kit(telar: Telar, tmp_path: Path) -> None:
    assert "--rule needs a kit" in telar("evaluate", "--rule", "never").err
    assert "--write needs a kit" in telar("evaluate", "--write", tmp_path / "x.md").err


def test_the_table_goes_between_the_marks_of_a_document_and_ours_to_the_pages(
    telar: Telar, kit: Path, tmp_path: Path, checkout: Path
) -> None:
    document = tmp_path / "detector.md"
    made = "<!-- made-up: begin -->\nold\n<!-- made-up: end -->\n"
    document.write_text(f"before\n<!-- evaluate: begin -->\nold\n<!-- evaluate: end -->\n{made}after\n")
    said = telar("evaluate", "--kit", kit, "--no-cost", "--series", "2", "--write", document)
    assert said.code == 0, said.err
    text = document.read_text()
    assert text.startswith("before\n<!-- evaluate: begin -->\n| rule |")
    assert "<!-- evaluate: end -->\n<!-- made-up: begin -->\n| family | rule |" in text
    assert "| AR(1) .9 | never | 2 | 0.00 (0.00 to 7.85) | 0.00 | 0.00 / 0.00 / 0.00 | – / – / – |" in text
    assert text.endswith("<!-- made-up: end -->\nafter\n")
    assert "| telar |" in text
    assert "old" not in text
    kept = detector.read(checkout / "benchmarks-data" / detector.FIGURES)
    assert kept
    assert (kept.false_alarms, kept.on_rulers) == (0.5, 0.0)
    assert [(s.share, s.found, s.delay) for s in kept.steps] == [
        (0.03, 1, 4), (0.05, 1 / 2, 4), (0.1, 1 / 3, 4), (0.2, 1 / 4, 4),
    ]  # fmt: skip


def test_a_folder_that_is_no_kit_says_what_it_lacks(telar: Telar, kit: Path) -> None:
    (kit / "score.py").unlink()
    said = telar("evaluate", "--kit", kit)
    assert (said.code, "has no score.py" in said.err) == (2, True)


def test_a_rule_that_the_kit_has_not_is_named(telar: Telar, kit: Path) -> None:
    said = telar("evaluate", "--kit", kit, "--rule", "always")
    assert (said.code, "has no rule 'always'" in said.err) == (2, True)
    assert "it has: never" in said.err

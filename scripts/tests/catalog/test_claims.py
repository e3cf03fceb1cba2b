"""The shipped claims load, and a mistake in one is named with file and key."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from telar.catalog.claims import Claim
from telar.catalog.load import load
from telar.cli.common import wishes
from telar.errors import ConfigError
from telar.plan.cells import make_plan
from telar.publish import claims

from .conftest import ROOT, Copy

CATALOG = load(ROOT)
SHIPPED = claims.shipped(CATALOG)
FOLDER = "benchmarks-data/claims"


def test_each_row_of_the_sources_is_a_claim() -> None:
    numbers = [*range(1, 10), *range(11, 26)]
    assert [claim.name for claim in SHIPPED] == [f"CLM-{n:02d}" for n in numbers]


@pytest.mark.parametrize("claim", SHIPPED, ids=lambda claim: claim.name)
def test_a_claim_names_cells_that_its_command_makes_or_says_why_there_are_none(claim: Claim) -> None:
    command = claims.command(claim, 0, CATALOG)
    if claim.missing or claim.file.untestable:
        assert claim.file.awaits or claim.file.untestable
        assert command == ""
        return
    said = dict(zip(command.split()[3::2], command.split()[4::2], strict=True))
    only = tuple(said["--only"].strip("'").split(",")) if "--only" in said else ()
    plan = make_plan(
        CATALOG,
        wishes(
            CATALOG, suite=command.split()[2], engine=said.get("--engine", "embedded"),
            only=only, jdks=(), drivers=(), flags=(), workload=None, runner=None, seed=1,
            repeat=int(said["--repeat"]) if "--repeat" in said else None,
        ),
    )  # fmt: skip
    made = [(run.cell.label.rpartition("/")[2], run.cell.workload) for run in plan.runs]
    for name, side in claim.file.side.items():
        assert made.count((side.variant, claim.workload_of(name))) >= 3


@pytest.fixture
def copied(copy: Copy) -> Copy:
    shutil.copytree(ROOT / FOLDER, copy.root / FOLDER)
    return copy


@pytest.mark.parametrize(
    ("name", "old", "new", "message", "hint"),
    [
        ("CLM-01", "figure = 0.767", "figur = 0.767", "unknown key 'figur' in [assert.0]", "'figure'"),
        ("CLM-01", "claim = ", "clam = ", "unknown key 'clam'", "'claim'"),
        ("CLM-01", "spring-mysql-blocking-virtual", "spring-mysql-blocking-virtul",
         "side.virtual.variant = 'spring-mysql-blocking-virtul': there is no", "blocking-virtual'"),
        ("CLM-01", '"movies-ramp"', '"movies-rmp"', "workload = 'movies-rmp': there is no", "'movies-ramp'"),
        ("CLM-01", '"movies"', '"movis"', "system = 'movis': there is no such system", "'movies'"),
        ("CLM-01", '"capacity"', '"capcity"', "assert.0.metric = 'capcity': there is no", "'capacity'"),
        ("CLM-01", 'of = "virtual"', 'of = "virtul"', "assert.0.of = 'virtul': not known", "'virtual'"),
        ("CLM-01", 'against = "platform"', 'against = "p"', "assert.0.against = 'p': not known", "platform"),
        ("CLM-01", '"client"', '"clint"', "unsound.0.gate = 'clint': there is no such gate", "'client'"),
        ("CLM-01", '"thesis"', '"thesi"', "suite = 'thesi': not known", "'thesis'"),
        ("CLM-01", '"thesis"', '"smoke"', "suite = 'smoke': runs no spring-mysql-blocking-platform", ""),
        ("CLM-01", "figure = 0.767", "figure = 1.3", "assert.0.figure: the original 1.3 isn't in", ""),
        ("CLM-01", "least = 0.6", "least = 0.95", "assert.0.least: 0.95 isn't below most", ""),
        ("CLM-03", "most = 0.5\n", "", "assert.0: needs 'least', 'most' or both", ""),
        ("CLM-13", '["app"]', '["apps"]', "limited_by", "'app'"),
        ("CLM-19", "least = 1\n", "most = 1\n", "assert.0.happens: only of a level, which is at least", ""),
        ("CLM-19", '"rounds-lost"', '"rounds-loss"', "metric = 'rounds-loss': there is no such", "lost"),
        ("CLM-13", 'suite = "sleep"', "", "the key 'suite' is missing", ""),
        ("CLM-13", 'suite = "sleep"', 'suite = "thesis"', "suite = 'thesis': the suite thesis", "sleep"),
        ("CLM-01", "most = 0.9", "most = 1.1", "no difference at all, ×1, would reproduce ×0.767", ""),
        ("CLM-23", 'of = "pool-more"', 'of = "virtual-more"', "differ in variant and workload", ""),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_file_and_key(
    copied: Copy, name: str, old: str, new: str, message: str, hint: str
) -> None:
    copied.edit(f"{FOLDER}/{name}.toml", old, new)
    with pytest.raises(ConfigError) as caught:
        claims.shipped(load(copied.root))
    assert re.match(rf".*/{FOLDER}/{name}\.toml(:\d+)?: ", caught.value.message)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_a_claim_without_an_assertion_is_none(copied: Copy) -> None:
    path = copied.root / FOLDER / "CLM-03.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text("assert = []\n" + text[: text.index("[[assert]]")], encoding="utf-8")
    with pytest.raises(ConfigError, match=r"CLM-03\.toml: needs at least one \[\[assert\]\]"):
        claims.shipped(load(copied.root))


def test_the_files_are_all_claims() -> None:
    assert {p.suffix for p in Path(ROOT, FOLDER).iterdir()} == {".toml"}

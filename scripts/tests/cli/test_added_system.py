"""A system is a folder: one that is added changes nothing for the others, and is run like them."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import msgspec
import pytest

from telar.build import bake, maven
from telar.catalog import select
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.plan.cells import Cell, Plan, Wishes, make_plan
from telar.run.load import script_digest

from .conftest import ROOT, Telar

BEFORE = load(ROOT)
# Its app has the name of one of the movies'.
APP = "spring-mysql-blocking"
SYSTEM = """
description = "a made-up one"
[http]
first = "/"
[slo]
p99_ms = 7
[gate.warm]
compiling = 0.9
[suite.nap]
description = "all of it"
variants = ["*"]
workload = "nap-steady"
warmup = { workload = "nap-steady", rate = 5, seconds = 5 }
[suite.nap-short]
description = "one of it"
variants = ["*-one"]
workload = "nap-steady"
warmup = { workload = "nap-steady", rate = 5, seconds = 2 }
"""
WINDOWS = SYSTEM[SYSTEM.index("[suite.nap-short]") :].replace("nap-short", "nap-pull-request")
VARIANT = """
system = "nap"
framework = "spring"
database = "none"
model = "blocking"
drivers = []
description = "naps"
[http]
ready = "/health/ready"
metrics = "/metrics"
[build]
output = "target/run"
start = "app.jar"
[launch.one]
[launch.two]
"""
WORKLOAD = """
system = "nap"
description = "ten a second"
script = "script.ts"
timeout = "2s"
[vus]
pre_allocated = 24
[mix]
get = 100
[[stage]]
name = "hold-10"
from = 10
to = 10
duration = 5
"""


class Copy:
    """A clone of the repository's own systems, on a branch."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name in ("apps", "compose", "k6"):
            shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("target", "node_modules"))
        (root / "telar.toml").write_text((ROOT / "telar.toml").read_text())
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", "t")
        self.git("config", "user.email", "t@localhost")
        self.commit("main")

    def git(self, *words: str) -> str:
        done = subprocess.run(["git", "-C", self.root, *words], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, message: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "-m", message)

    def add_system(self, text: str = SYSTEM) -> Path:
        folder = self.root / "apps" / "nap"
        source = folder / APP / "src" / "main" / "java" / "Nap.java"
        for path, content in {
            folder / "system.toml": text,
            folder / APP / "variant.toml": VARIANT,
            folder / APP / "pom.xml": "<project/>\n",
            source: "class Nap {}\n",
            folder / "load" / "steady" / "workload.toml": WORKLOAD,
            folder / "load" / "steady" / "script.ts": "export { x } from '../../../../k6/lib/plan.ts';\n",
        }.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        return source


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, telar: Telar) -> Copy:
    made = Copy(tmp_path / "copy")
    monkeypatch.setenv("TELAR_ROOT", str(made.root))
    return made


def plan_of(catalog: Catalog, suite: str) -> Plan:
    return make_plan(catalog, Wishes(suite=suite, engine="embedded"))


@pytest.mark.thorough
def test_a_system_is_added_by_its_folder_alone(copy: Copy, telar: Telar) -> None:
    copy.add_system()
    changed = {line.split()[-1] for line in copy.git("status", "--porcelain").splitlines()}
    assert changed == {"apps/nap/"}
    listed = [row["variant"] for row in json.loads(telar("list", "variants", "--json").out)]
    assert {f"nap/{APP}-one", f"nap/{APP}-two", f"{APP}-platform"} <= set(listed)
    runs = json.loads(telar("plan", "nap", "--json").out)["runs"]
    assert {(r["cell"]["system"], r["cell"]["variant"], r["cell"]["workload"]) for r in runs} == {
        ("nap", f"{APP}-one", "nap-steady"), ("nap", f"{APP}-two", "nap-steady"),
    }  # fmt: skip
    assert {r["warmup"]["seconds"] for r in runs} == {5}
    short = json.loads(telar("plan", "nap", "--short", "--json").out)
    assert (short["suite"], len(short["runs"])) == ("nap-short", 1)


def test_an_added_system_changes_no_plan_artefact_image_load_or_limit_of_the_others(copy: Copy) -> None:
    before = load(copy.root)
    copy.add_system()
    after = load(copy.root)
    for suite, file in before.file.suite.items():
        if not file.compare:
            assert plan_of(after, suite) == plan_of(before, suite)
    for cell in (run.cell for run in plan_of(before, "smoke").runs):
        builds = [maven.build_of(catalog, cell) for catalog in (before, after)]
        folders = [maven.artifact_folder(c, b) for c, b in zip((before, after), builds, strict=True)]
        assert folders[0] == folders[1]
        assert len({bake.image_of(c, cell, folders[0]).tag for c in (before, after)}) == 1
        assert after.of(cell.system).file == after.file
    window, warmup = (before.workloads[name] for name in ("movies-short", "movies-constant"))
    assert script_digest(before, window, warmup) == script_digest(after, window, warmup)


def test_an_added_system_has_its_own_limits_and_its_load_its_own_digest(copy: Copy) -> None:
    copy.add_system()
    catalog = load(copy.root)
    own, steady = catalog.of("nap").file, catalog.workloads["nap-steady"]
    assert (own.slo.p99_ms, own.gate.warm.compiling) == (7, 0.9)
    assert own.gate.little == catalog.file.gate.little
    before = script_digest(catalog, steady, steady)
    script = copy.root / "apps" / "nap" / "load" / "steady" / "script.ts"
    script.write_text(script.read_text() + "// another\n")
    assert script_digest(catalog, steady, steady) != before


@pytest.mark.thorough
def test_a_name_that_two_systems_have_is_told_apart_by_the_system(copy: Copy, telar: Telar) -> None:
    copy.add_system()
    made = json.loads(telar("plan", "smoke", "--only", f"{APP}-*", "--json").out)
    assert {r["cell"]["system"] for r in made["runs"]} == {""}
    made = json.loads(telar("plan", "smoke", "--only", f"movies/{APP}-virtual", "--json").out)
    assert [(r["cell"]["system"], r["cell"]["variant"]) for r in made["runs"]] == [("", f"{APP}-virtual")]
    refused = telar("plan", "smoke", "--only", f"nap/{APP}-one")
    assert refused.code == 2
    assert f"the suite smoke is for the system 'movies', but 'nap/{APP}-one' belongs to 'nap'" in refused.err
    assert "suites of nap: nap, nap-short" in refused.err
    assert "did you mean" in telar("plan", "nap", "--only", "nap/spring-mysql-blocking-on").err
    assert f"nap/{APP}-one" in telar("plan", "nap").out


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[suite.nap-short]", "[suite.short]", "suite.short: a system's suite is called nap, or begins with"),
        ("[gate.warm]", "[gate.worm]", "there is no gate 'worm' with limits"),
        ("compiling = 0.9", "compilin = 0.9", "gate.warm: unknown key 'compilin'"),
        ("compiling = 0.9", "compiling = 9", "gate.warm: Expected `float` <= 1"),
        ('workload = "nap-steady", rate = 5, seconds = 5', 'workload = "movies-short", rate = 5, seconds = 5',
         "suite.nap.warmup.workload: is for movies, but the suite for nap"),
        ('["*-one"]', '["*-three"]', "suite.nap-short.variants: '*-three' matches no variant of nap"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_systems_file_is_named(
    copy: Copy, telar: Telar, old: str, new: str, said: str
) -> None:
    copy.add_system(SYSTEM.replace(old, new, 1))
    refused = telar("list", "suites")
    assert refused.code == 2
    assert f"{copy.root}/apps/nap/system.toml: {said}" in refused.err


@pytest.mark.parametrize("text", [SYSTEM, SYSTEM + WINDOWS], ids=["without", "with"])
def test_a_change_of_an_added_system_is_compared_in_its_own_suite(
    copy: Copy, telar: Telar, text: str
) -> None:
    source = copy.add_system(text)
    copy.commit("a system")
    source.write_text("class Nap { int n; }\n")
    copy.commit("a change")
    said = telar("workflow", "changed", "--base", "HEAD~1", "--head", "HEAD")
    assert said.code == 0
    if text == SYSTEM:
        assert f"not measured: {source.relative_to(copy.root)}" in said.out
        return
    assert said.out.splitlines() == [f"nap/{APP}-one"]
    made = json.loads(telar("plan", "pull-request", "--only", said.out.strip(), "--json").out)
    assert [(r["cell"]["system"], r["cell"]["workload"]) for r in made["runs"]] == [("nap", "nap-steady")]


def test_every_system_but_the_default_one_is_named_with_its_variants() -> None:
    for system in BEFORE.systems:
        labels = [v.label for v in select.variants_of(BEFORE, system)]
        assert labels
        default = system == BEFORE.file.defaults.system
        assert all(("/" in name) != default and BEFORE.named(name).label == name for name in labels)


@pytest.mark.thorough
def test_the_list_of_systems_says_what_runs_each_and_its_newest_record(copy: Copy, telar: Telar) -> None:
    copy.add_system()
    for session, run in (
        ("20270101-000000-nap", "001+nap+spring-mysql-blocking-one+nap-steady+jdk-25+r1"),
        ("20270102-000000-nap", "001+nap+spring-mysql-blocking-one+nap-steady+jdk-25+r1"),
        ("20270103-000000-smoke", "001+spring-mysql-blocking-virtual+movies-short+jdk-25+mysql-9.7.0+r1"),
    ):
        records = copy.root / "benchmarks-data" / "local" / session / "records"
        records.mkdir(parents=True)
        (records.parent / "plan.json").write_text("{}")
        (records / f"{run}.json").write_text("{}")
    rows = {row["system"]: row for row in json.loads(telar("list", "systems", "--json").out)}
    assert (rows["nap"]["run by"], rows["nap"]["newest record"]) == ("./telar run nap", "20270102-000000-nap")
    assert rows["movies"]["newest record"] == "20270103-000000-smoke"
    assert rows["burner"]["newest record"] == "none here"
    for row in rows.values():
        assert telar("plan", row["run by"].split()[-1]).code == 0
    each = {row["variant"]: row for row in json.loads(telar("list", "records", "--json").out)}
    assert list(each) == [row["variant"] for row in json.loads(telar("list", "variants", "--json").out)]
    assert each["nap/spring-mysql-blocking-one"]["newest record"] == "20270102-000000-nap"
    assert each["spring-mysql-blocking-virtual"]["newest record"] == "20270103-000000-smoke"
    assert each["spring-mysql-blocking-platform"]["newest record"] == "none here"
    for label, row in each.items():
        runs = json.loads(telar("plan", row["suite"], "--only", label, "--json").out)["runs"]
        cells = [msgspec.convert(run["cell"], Cell) for run in runs]
        assert {cell.label for cell in cells} == {label}


@pytest.mark.parametrize(
    ("kind", "launch", "load_file", "load"),
    [
        ("jmh", 'benchmark = "org.acme.Nap.long"', "benchmark.toml",
         "[params]\nsize = [1, 2]\n[warmup]\ncount = 3\nseconds = 1\n[measured]\ncount = 5\nseconds = 1\n"),
        ("task", 'arguments = ["long"]', "task.toml", "seconds = 3\n[params]\nsize = [1, 2]\n"),
    ],
)  # fmt: skip
def test_a_system_of_each_other_kind_is_added_by_its_folder_alone(
    copy: Copy, telar: Telar, kind: str, launch: str, load_file: str, load: str
) -> None:
    suite = '[suite.nap]\ndescription = "all of it"\nvariants = ["*"]\nworkload = "nap-long-*"\n'
    described = 'description = "a made-up one"\n'
    build = '[build]\noutput = "target/run"\nstart = "app.jar"\n'
    variant = f'system = "nap"\nframework = "jdk"\ndatabase = "none"\ndrivers = []\n{described}{build}'
    for path, content in {
        "system.toml": f'{described}kind = "{kind}"\n{suite}',
        "java/variant.toml": f"{variant}[launch.long]\n{launch}\n",
        "java/pom.xml": "<project/>\n",
        f"load/long/{load_file}": f'system = "nap"\n{described}{load}',
    }.items():
        file = copy.root / "apps" / "nap" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    assert {line.split()[-1] for line in copy.git("status", "--porcelain").splitlines()} == {"apps/nap/"}
    runs = json.loads(telar("plan", "nap", "--json").out)["runs"]
    assert {(r["cell"]["variant"], r["cell"]["workload"]) for r in runs} == {
        ("java-long", "nap-long-size1"), ("java-long", "nap-long-size2"),
    }  # fmt: skip

"""Benchmarks in the catalogue: their workloads, and what may be wrong with their files."""

from __future__ import annotations

import pytest

from telar.catalog.load import load
from telar.errors import ConfigError
from telar.plan.cells import Plan, Wishes, make_plan

from .conftest import ROOT, Copy

CATALOG = load(ROOT)
KOTLIN = "apps/loom/kotlin/variant.toml"
SHORT = "apps/loom/load/short/benchmark.toml"
LOOM = "apps/loom/system.toml"
SPRING = "apps/movies/spring-mysql-blocking/variant.toml"


def plan(suite: str, **said: str) -> Plan:
    return make_plan(CATALOG, Wishes(suite=suite, engine="embedded", workload=said.get("workload")))


def test_each_choice_of_the_parameters_is_a_workload_with_its_name() -> None:
    grid = {n: w.params for n, w in CATALOG.jmh_workloads.items() if n.startswith("loom-threads-")}
    assert len(grid) == 3 * 4
    assert grid["loom-threads-delay10-repeat100"] == {"delay": "10", "repeat": "100"}
    heaviest = CATALOG.jmh_workloads["loom-heaviest"]
    assert heaviest.params == {"delay": "100", "repeat": "100000"}
    assert heaviest.seconds == 5 * 2 + 5 * 2


def test_a_suite_runs_all_workloads_that_its_pattern_is_for() -> None:
    cells = {(r.cell.variant, r.cell.workload) for r in plan("loom").runs}
    assert len(cells) == 2 * 12 + 4 * 15 + 3
    assert {w for v, w in cells if v == "kotlin-platform"} == {
        w for w in CATALOG.jmh_workloads if w.startswith("loom-threads-")
    }
    assert all(run.warmup is None for run in plan("loom").runs)


def test_a_wish_narrows_a_suites_workloads_or_stands_in_their_place() -> None:
    narrow = plan("loom-tasks", workload="loom-*-delay10-repeat100")
    assert {r.cell.workload for r in narrow.runs} == {"loom-tasks-delay10-repeat100"}
    other = plan("loom-tasks", workload="loom-short")
    assert {r.cell.workload for r in other.runs} == {"loom-short"}
    with pytest.raises(ConfigError, match="there is no workload 'loom-shrt'") as caught:
        plan("loom-tasks", workload="loom-shrt")
    assert "loom-short" in caught.value.hint
    with pytest.raises(ConfigError, match="for several systems: bank, locations, movies, proxy, sleep, loom"):
        plan("loom-tasks", workload="*-short")


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (KOTLIN, 'benchmark = "dev.telar.loom.ThreadVsLoom.virtualThreads"\n', "",
         "launch.virtual.benchmark: the key is missing"),
        (KOTLIN, 'drivers = []', 'drivers = []\nmodel = "blocking"', "model: only for services"),
        (SPRING, 'model = "blocking"\n', "", "model: the key is missing"),
        (SPRING, "[launch.virtual]\n", '[launch.virtual]\nbenchmark = "x.Y.z"\n',
         "launch.virtual.benchmark: only for benchmarks"),
        (SHORT, "repeat = [1000]", "repeat = []", "params.repeat: has no value"),
        (SHORT, "repeat = [1000]", "repeat = [10, 10]", "params.repeat: has a value twice"),
        (SHORT, "count = 5", "count = 0", "warmup.count: Expected `int` >= 1"),
        (SHORT, 'system = "loom"', 'system = "movies"', "but it lies in apps/loom/"),
        (LOOM, 'workload = "loom-short"', 'warmup = { workload = "x", rate = 1 }\nworkload = "loom-short"',
         "suite.loom-short.warmup: only for services"),
        (LOOM, 'workload = "loom-short"', 'workload = "loom-shrt"', "loom-short.workload = 'loom-shrt'"),
        (LOOM, 'workload = "loom-short"', 'workload = "*-short"', "workload: is for "),
    ],
)  # fmt: skip
def test_a_mistake_is_named_with_file_and_key(
    copy: Copy, file: str, old: str, new: str, message: str
) -> None:
    copy.edit(file, old, new)
    with pytest.raises(ConfigError) as caught:
        load(copy.root)
    assert caught.value.message.startswith(str(copy.root / file))
    assert message in caught.value.message


def test_a_service_without_a_warm_up_is_refused(copy: Copy) -> None:
    copy.edit("telar.toml", 'warmup = { workload = "movies-constant", rate = 20, seconds = 10 }\n', "")
    with pytest.raises(ConfigError, match=r"suite\.tour\.warmup: a service needs one"):
        load(copy.root)


def test_benchmarks_of_a_system_that_is_none_are_refused(copy: Copy) -> None:
    folder = copy.root / "apps/sleep/load/short"
    folder.mkdir()
    (folder / "benchmark.toml").write_text((copy.root / SHORT).read_text().replace("loom", "sleep"))
    with pytest.raises(ConfigError, match="sleep isn't a system of the kind jmh"):
        load(copy.root)

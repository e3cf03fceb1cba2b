"""Which cells run, in which order: a pure function of the catalogue and of what the user wishes."""

from __future__ import annotations

import json
from collections import Counter
from fnmatch import fnmatchcase
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.catalog import select
from telar.catalog.load import load
from telar.catalog.suite import SuiteFile, WarmupFile
from telar.catalog.types import Catalog
from telar.errors import ConfigError
from telar.plan.cells import Plan, Wishes, flags_of, make_plan
from telar.plan.stored import plan_in

ROOT = Path(__file__).parents[3]
CATALOG = load(ROOT)
FOURTEEN = ("mysql", "mongodb")  # the databases of those that the thesis compared
MOVIES = [v.label for v in select.variants_of(CATALOG, "movies") if v.app.file.database in FOURTEEN]
MYSQL = ("spring-mysql-blocking-platform", "spring-mysql-blocking-virtual")


def plan(suite: str = "smoke", **said: Any) -> Plan:
    return make_plan(CATALOG, Wishes(suite=suite, engine="embedded", **said))


def variants(made: Plan) -> list[str]:
    return sorted(r.cell.label for r in made.runs)


def with_suite(**changes: Any) -> Catalog:
    """The catalogue with another `smoke`."""
    smoke = msgspec.structs.replace(CATALOG.file.suite["smoke"], **changes)
    suites: dict[str, SuiteFile] = {**CATALOG.file.suite, "smoke": smoke}
    return msgspec.structs.replace(CATALOG, file=msgspec.structs.replace(CATALOG.file, suite=suites))


def test_the_smoke_suite_has_every_variant_once() -> None:
    assert variants(plan()) == sorted(MOVIES)


@pytest.mark.parametrize(
    ("only", "chosen"),
    [
        (MYSQL[:1], MYSQL[:1]),
        (("spring-mysql-blocking-*",), MYSQL),
        (
            ("*-mysql-nonblocking-platform",),
            ("quarkus-mysql-nonblocking-platform", "spring-mysql-nonblocking-platform"),
        ),
        (("spring-mysql-blocking-*", "*-mysql-blocking-virtual"), ("quarkus-mysql-blocking-virtual", *MYSQL)),
        (("spring-m[y]sql-blocking-virtual",), MYSQL[1:]),
    ],
)
def test_patterns_choose_variants_each_once(only: tuple[str, ...], chosen: tuple[str, ...]) -> None:
    assert variants(plan(only=only)) == sorted(chosen)


@pytest.mark.parametrize("suite", ["pull-request", "quickstart", "thesis"])
@pytest.mark.parametrize(
    "only",
    [
        ("quarkus-mongodb-nonblocking-platform",),  # of no suite but those of all
        (MYSQL[1], "spring-mongodb-blocking-virtual"),  # of the suite, and of none
        ("spring-*",),
        ("*-nonblocking-platform", MYSQL[0]),
    ],
)
def test_what_is_asked_for_is_of_the_catalogue_whatever_the_suite_has(
    suite: str, only: tuple[str, ...]
) -> None:
    own = [v.label for v in select.variants_of(CATALOG, "movies")]
    wanted = [name for name in own if any(fnmatchcase(name, pattern) for pattern in only)]
    assert variants(plan(suite, only=only, repeat=1)) == sorted(wanted)


def test_axes_multiply() -> None:
    made = plan(only=MYSQL, jdks=("21", "25"), drivers=("mysql=8.0.33", "mysql=9.7.0"), repeat=3)
    seen = Counter((r.cell.variant, r.cell.jdk, r.cell.drivers["mysql"], r.repetition) for r in made.runs)
    assert seen == {
        (variant, jdk, driver, repetition): 1
        for variant in MYSQL
        for jdk in ("21", "25")
        for driver in ("8.0.33", "9.7.0")
        for repetition in (1, 2, 3)
    }


def test_what_is_said_twice_runs_once() -> None:
    made = plan(only=MYSQL[:1], jdks=("25", "25"), drivers=("mysql=9.7.0", "mysql=9.7.0"))
    assert len(made.runs) == 1


def test_a_driver_goes_to_those_that_take_it_and_the_others_keep_their_default() -> None:
    drivers = {r.cell.variant: r.cell.drivers for r in plan(drivers=("mysql=8.0.33",)).runs}
    assert drivers["spring-mysql-blocking-virtual"] == {"mysql": "8.0.33"}
    assert drivers["spring-mysql-nonblocking-virtual"] == {"r2dbc-mysql": "1.4.3"}
    assert drivers["spring-mongodb-blocking-virtual"] == {"mongodb": "5.6.5"}
    assert drivers["quarkus-mysql-nonblocking-platform"] == {}


def test_two_versions_of_a_driver_do_not_double_the_cells_that_do_not_take_it() -> None:
    made = plan(drivers=("mysql=8.0.33", "mysql=9.7.0"))
    count = Counter(variants(made))
    takers = {name for name, v in CATALOG.variants.items() if "mysql" in v.app.file.drivers}
    assert count == {name: 2 if name in takers else 1 for name in MOVIES}


def test_every_round_holds_every_cell_once_in_an_order_of_its_own() -> None:
    made = plan(repeat=4)
    rounds = [[r.cell.variant for r in made.runs if r.repetition == n] for n in (1, 2, 3, 4)]
    assert [r.repetition for r in made.runs] == sorted(r.repetition for r in made.runs)
    assert all(sorted(order) == sorted(MOVIES) for order in rounds)
    assert len({tuple(order) for order in rounds}) == 4


def test_positions_count_from_one_and_names_are_unique_file_names() -> None:
    made = plan(only=MYSQL, drivers=("mysql=8.0.33", "mysql=9.7.0"), repeat=2)
    assert [r.position for r in made.runs] == list(range(1, 9))
    names = [r.name for r in made.runs]
    assert len(set(names)) == 8
    assert not any(set("/ \0:") & set(name) for name in names)
    # In the order in which they are made, also when a folder lists them.
    assert names == sorted(names)


def test_the_same_wishes_give_the_same_plan_and_another_seed_another_order() -> None:
    assert plan("thesis", seed=7) == plan("thesis", seed=7)
    assert plan("thesis", seed=7).runs != plan("thesis", seed=8).runs


def test_a_plan_is_the_same_after_a_round_trip_through_its_file() -> None:
    made = plan(repeat=2)
    assert plan_in(msgspec.json.encode(made)) == made


def test_a_plan_of_before_each_run_had_its_own_warm_up_is_read() -> None:
    kept = ROOT / "benchmarks-data" / "reference" / "sessions" / "20261122-072532-smoke" / "plan.json"
    assert "warmup_workload" in json.loads(kept.read_bytes())
    assert {run.warmup for run in plan_in(kept.read_bytes()).runs} == {
        WarmupFile(workload="movies-constant", rate=1000)
    }


def test_a_suite_says_what_is_not_wished() -> None:
    made = plan("thesis")
    assert len(made.runs) == 14 * 3
    cell = made.runs[0].cell
    assert (cell.workload, cell.jdk, cell.runner, cell.layout) == (
        "movies-ramp",
        "25",
        "two-cpu",
        "co-located",
    )
    assert {run.warmup for run in made.runs} == {WarmupFile(workload="movies-constant", rate=1000)}
    wished = plan("thesis", workload="movies-short", runner="four-cpu", repeat=1).runs
    assert len(wished) == 14
    assert (wished[0].cell.workload, wished[0].cell.layout) == ("movies-short", "split")


@pytest.mark.parametrize(
    ("said", "message", "hint"),
    [
        ({"suite": "smok"}, "no suite 'smok'", "did you mean 'smoke'?"),
        ({"workload": "movies-rmp"}, "no workload 'movies-rmp'", "did you mean 'movies-ramp'?"),
        ({"runner": "two-cpus"}, "no runner 'two-cpus'", "did you mean 'two-cpu'?"),
        ({"jdks": ("12",)}, "no JDK '12'", "did you mean '"),
        ({"jdks": ("x",)}, "no JDK 'x'", "known: " + ", ".join(sorted(CATALOG.file.jdk))),
        (
            {"only": ("spring-mysql-bloking-virtual",)},
            "no variant matches 'spring-mysql-bloking-virtual'",
            "did you mean 'spring-mysql-blocking-virtual'?",
        ),
        (
            {"only": (MYSQL[0], "nothing-*")},
            "no variant matches 'nothing-*'",
            "",
        ),
        ({"only": ("quarkus-mysql-nonblocking-virtual",)}, "no variant matches", "event loop"),
        ({"drivers": ("mysq=9.7.0",)}, "no driver 'mysq'", "did you mean 'mysql'?"),
        ({"drivers": ("mysql=9.7.1",)}, "mysql=9.7.1: not a version in telar.toml", "'9.7.0'"),
        ({"drivers": ("mysql",)}, "say NAME=VERSION", ""),
        ({"drivers": ("mysql=",)}, "say NAME=VERSION", ""),
        (
            {"drivers": ("mysql=8.0.33",), "only": ("spring-*-nonblocking-*",)},
            "none of these variants takes the driver 'mysql'",
            "they take: mongodb, r2dbc-mysql",
        ),
        (
            {"suite": "pull-request", "only": (MYSQL[1], "*-nonblocking-virtul")},
            "no variant matches '*-nonblocking-virtul'",
            "",
        ),
    ],
)
def test_a_wish_that_cannot_be_is_refused_with_what_could(
    said: dict[str, Any], message: str, hint: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        plan(**said)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_a_suite_without_variants_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"suite\.smoke\.variants names none"):
        make_plan(with_suite(variants=()), Wishes(suite="smoke", engine="embedded"))


def test_a_workload_of_another_system_is_refused() -> None:
    ramp = CATALOG.workloads["movies-ramp"]
    other = msgspec.structs.replace(ramp, file=msgspec.structs.replace(ramp.file, system="shop"))
    catalog = msgspec.structs.replace(CATALOG, workloads={**CATALOG.workloads, "shop-ramp": other})
    with pytest.raises(ConfigError, match=r"'shop-ramp' is for the system 'shop'.*smoke is for 'movies'"):
        make_plan(catalog, Wishes(suite="smoke", engine="embedded", workload="shop-ramp"))


def test_a_suite_may_span_workloads_and_systems_each_run_with_its_own_warm_up() -> None:
    """`also`: in the same rounds."""
    catalog = with_suite(also=("sleep-short",))
    made = make_plan(catalog, Wishes(suite="smoke", engine="embedded", repeat=2))
    warmed = {(r.cell.system, r.cell.workload): r.warmup for r in made.runs}
    smoke, sleep = catalog.file.suite["smoke"].warmup, catalog.file.suite["sleep-short"].warmup
    assert warmed == {("", "movies-short"): smoke, ("sleep", "sleep-100-short"): sleep}
    assert [r.repetition for r in made.runs] == sorted(r.repetition for r in made.runs)
    assert Counter(r.cell.system for r in made.runs if r.repetition == 1) == {"": 14, "sleep": 3}


def test_what_two_suites_have_is_warmed_up_as_the_first_one_says() -> None:
    """A wish for a workload makes the cells of `also`'s suites the suite's own."""
    made = make_plan(
        CATALOG,
        Wishes(suite="sleep", engine="embedded", workload="sleep-100", only=("sleep/spring-tomcat-*",)),
    )
    own = CATALOG.file.suite["sleep"].warmup
    assert {r.cell.variant for r in made.runs} == {"spring-tomcat-platform", "spring-tomcat-virtual"}
    assert {r.warmup for r in made.runs} == {own}
    assert own != CATALOG.file.suite["sleep-blocking"].warmup


def test_flags_of_the_jvm_are_arms_beside_one_another() -> None:
    made = plan(only=MYSQL[1:], flags=(("-Xms300m", "-Xmx300m"), ("-XX:+UseZGC",)), repeat=2)
    flags = [run.cell.flags for run in made.runs]
    assert Counter(flags) == {("-Xms300m", "-Xmx300m"): 2, ("-XX:+UseZGC",): 2}
    assert len({run.cell.name for run in made.runs}) == 2  # each a series of its own


@pytest.mark.parametrize(("suite", "arms"), [("heaps", 4), ("collectors", 5), ("pools", 6)])
def test_a_suite_may_have_arms_of_flags(suite: str, arms: int) -> None:
    made = plan(suite)
    assert len({run.cell.name for run in made.runs}) == len(made.runs) == arms
    assert all(run.cell.flags for run in made.runs)
    own = plan(suite, flags=(("-Xint",),))  # in place of the suite's
    assert {run.cell.flags for run in own.runs} == {("-Xint",)}


def test_a_suite_may_have_arms_of_jdks_and_drivers() -> None:
    made = plan("pins", repeat=1)
    arms = {(run.cell.jdk, run.cell.drivers["mysql"]) for run in made.runs}
    assert arms == set(product(("21", "25", "27"), ("8.0.33", "9.0.0", "26.10.0")))
    assert len(made.runs) == 9
    own = plan("pins", jdks=("25",), drivers=("mysql=9.7.0",), repeat=1)  # in place of the suite's
    assert [(run.cell.jdk, run.cell.drivers["mysql"]) for run in own.runs] == [("25", "9.7.0")]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("UseZGC", "is no flag of a JVM"),
        ("-Da='b", "No closing quotation"),
        ("-XX:AOTCache=/tmp/app.aot -XX:AOTMode=on", "each run makes its own archive"),
        ("-XX:SharedArchiveFile=app.jsa", "a JVM that can't use its archive goes on without"),
    ],
)
def test_what_is_no_flag_is_named(value: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        flags_of(f"--flags {value}", value)
    assert caught.value.message.startswith(f"--flags {value}: ")

"""Every mistake in the catalogue ends in an error that names the file, the place and what was meant."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from telar.catalog import select
from telar.catalog.load import load
from telar.errors import ConfigError
from telar.plan.parts import parts_of

from .conftest import ROOT, Copy

TELAR = "telar.toml"
SPRING = "apps/movies/spring-mysql-blocking/variant.toml"
EVENT_LOOP = "apps/movies/quarkus-mysql-nonblocking/variant.toml"
SHORT = "k6/workloads/movies-short/workload.toml"
MOVIES = "apps/movies/system.toml"


def failure(copy: Copy) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        load(copy.root)
    assert caught.value.exit_code == 2
    return caught.value


def test_the_repositorys_own_catalogue_holds() -> None:
    catalog = load(ROOT)
    by_database = Counter(v.app.file.database for v in select.variants_of(catalog, "movies"))
    assert by_database == {"mysql": 7, "mongodb": 7, "postgresql": 2}
    assert {"mysql", "mongodb"} <= set(catalog.databases)
    ramp = catalog.workloads["movies-ramp"]
    assert (ramp.duration, ramp.arrivals, ramp.peak_rate) == (240, 88_500, 500)
    assert catalog.file.defaults.suite in catalog.file.suite


def test_only_the_event_loop_has_no_virtual_launch() -> None:
    catalog = load(ROOT)
    variants = {v.name: v for v in select.variants_of(catalog, "movies")}
    without = {v.app.name for v in variants.values() if f"{v.app.name}-virtual" not in variants}
    assert without == {"quarkus-mysql-nonblocking", "quarkus-mongodb-nonblocking"}


@pytest.mark.parametrize(
    ("file", "old", "new", "message", "hint"),
    [
        (TELAR, "p99_ms", "p99ms", "unknown key 'p99ms' in [slo]", "'p99_ms'"),
        (TELAR, "[defaults]", "[defauts]", "unknown key 'defauts'", "'defaults'"),
        (TELAR, "repeat = 3", "repeet = 3", "unknown key 'repeet' in [suite.thesis]", "'repeat'"),
        (TELAR, "rate = 20,", "rat = 20,", "unknown key 'rat' in [suite.tour.warmup]", "'rate'"),
        (SPRING, "[launch.virtual]", "[lanch.virtual]", "unknown key 'lanch'", "'launch'"),
        (SHORT, "from = 100", "form = 100", "unknown key 'form' in [stage.2]", "'from'"),
        (TELAR, "repeat = 3", 'repeat = "3"', "suite.thesis.repeat: Expected `int`, got `str`", ""),
        (TELAR, "repeat = 3", "repeat = 0", "suite.thesis.repeat: Expected `int` >= 1", ""),
        (TELAR, 'versions = ["5.6.5"]', "versions = [5]", "driver.mongodb.versions.0: Expected `str`", ""),
        (SPRING, '"spring"', "3", "framework: Expected `str`, got `int`", ""),
        (SPRING, '"blocking"', '"bloking"', "model: Invalid enum value 'bloking'", "'blocking'"),
        (TELAR, '"embedded"', '"embeded"', "suite.quickstart.engine: Invalid enum", "'embedded'"),
    ],
)
def test_a_wrong_key_or_value_is_named_with_its_line(
    copy: Copy, file: str, old: str, new: str, message: str, hint: str
) -> None:
    line = copy.edit(file, old, new)
    error = failure(copy)
    assert error.message.startswith(f"{copy.root / file}:{line}: {message}")
    assert error.hint == (f"did you mean {hint}?" if hint else "")


def test_a_line_of_the_right_table_is_named_where_others_have_the_key_too(copy: Copy) -> None:
    header = copy.edit(TELAR, "[suite.smoke]", '[suite.smoke]\ntitle = "x"')
    error = failure(copy)
    assert f"{TELAR}:{header + 1}: unknown key 'title' in [suite.smoke]" in error.message
    keys = (
        "again, also, compare, description, drivers, engine, flags, jdks, next, repeat, variants, warmup, "
        "workload"
    )
    assert error.hint == f"known: {keys}"


@pytest.mark.parametrize(
    ("file", "line_of", "removed", "message"),
    [
        (TELAR, "[jdk.25]", 'title = "JDK 25 (LTS)"', "the key 'title' is missing in [jdk.25]"),
        (SHORT, 'name = "hold-100"', "from = 100\n", "the key 'from' is missing in [stage.2]"),
    ],
)
def test_a_missing_key_is_named_with_the_line_of_its_table(
    copy: Copy, file: str, line_of: str, removed: str, message: str
) -> None:
    line = copy.edit(file, line_of, line_of)
    copy.edit(file, removed, "")
    where = re.match(rf".*{file}:(\d+): (.*)", failure(copy).message)
    assert where
    assert where[2] == message
    assert 0 <= line - int(where[1]) <= 1  # the header, or the [[header]] above a stage's name


@pytest.mark.parametrize(
    ("file", "old", "new", "message", "hint"),
    [
        (TELAR, 'jdk = "25"', 'jdk = "255"', "defaults.jdk = '255'", "'25'"),
        (TELAR, 'runner = "two-cpu"', 'runner = "to-cpu"', "defaults.runner = 'to-cpu'", "'two-cpu'"),
        (TELAR, 'suite = "quick', 'suite = "quik', "defaults.suite = 'quikstart'", "'quickstart'"),
        (TELAR, 'layout = "split"', 'layout = "splt"', "runner.four-cpu.layout = 'splt'", "'split'"),
        (
            TELAR,
            "judges = { statements",
            "judges = { statments",
            "runner.hosted.judges = 'statments'",
            "'statements'",
        ),
        (TELAR, '"movies-ramp"', '"movies-rmp"', "suite.thesis.workload = 'movies-rmp'", "'movies-ramp'"),
        (
            TELAR,
            '"movies-constant", rate = 20,',
            '"movies-constnt", rate = 20,',
            "suite.tour.warmup.workload = 'movies-constnt'",
            "'movies-constant'",
        ),
        (TELAR, 'jdks = ["21"', 'jdks = ["22"', "suite.pins.jdks = '22'", "'27'"),
        (TELAR, '"mysql=9.0.0"', '"mysq=9.0.0"', "suite.pins.drivers = 'mysq'", "'mysql'"),
        (TELAR, '"mysql=9.0.0"', '"mysql=9.0.9"', "suite.pins.drivers: mysql = '9.0.9'", "'9.0.0'"),
        (TELAR, '"5.6.5"\n', '"5.6.4"\n', "driver.mongodb.default = '5.6.4'", "'5.6.5'"),
        (TELAR, '"quarkus-mysql-blocking-*"', '"quarks-*-blocking-*"', "'quarks-*-blocking-*'", "'quarkus-"),
        (SPRING, 'drivers = ["mysql"]', 'drivers = ["mysq"]', "'mysq' is not a [driver.*]", "'mysql'"),
        (SPRING, 'database = "mysql"', 'database = "mysqll"', "database = 'mysqll'", "'mysql'"),
    ],
)
def test_a_reference_to_what_is_not_there_is_named_with_the_nearest(
    copy: Copy, file: str, old: str, new: str, message: str, hint: str
) -> None:
    copy.edit(file, old, new)
    error = failure(copy)
    assert str(copy.root / file) in error.message
    assert message in error.message
    assert f"did you mean {hint}" in error.hint


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        (EVENT_LOOP, "[launch.platform]", "[launch.virtual]", "no such thing on virtual threads"),
        (SPRING, 'system = "movies"', 'system = "films"', "but the app lies in apps/movies/"),
        (SHORT, 'system = "movies"', 'system = "films"', "no apps/films/system.toml"),
        (MOVIES, "[data]\n", 'kind = "jmh"\n[data]\n', "http: only for systems of the kind http"),
        (MOVIES, "[data]\n", 'kind = "rest"\n[data]\n', "kind: Invalid enum value"),
        (MOVIES, '"contract/seed.jsonl"', '"contract/sead.jsonl"', "no file contract/sead.jsonl beside it"),
        (SHORT, "get = 70", "get = 71", "[mix] adds up to 101, not 100"),
        (SHORT, '"script.ts"', '"scipt.ts"', "no such file beside it"),
        (SHORT, '"hold-50"', '"hold-100"', "two stages have the same name"),
        (TELAR, "[jdk.21]", "[jdk.21", "is not valid TOML"),
    ],
)
def test_what_contradicts_itself_is_named(copy: Copy, file: str, old: str, new: str, message: str) -> None:
    copy.edit(file, old, new)
    assert failure(copy).message.startswith(str(copy.root / file))
    assert message in failure(copy).message


def test_a_file_that_cannot_be_read_is_named(copy: Copy) -> None:
    toml = copy.root / TELAR
    toml.write_bytes(b'title = "\xff"')
    assert failure(copy).message == f"{toml}: is not UTF-8 text (byte 9)"
    toml.unlink()
    assert failure(copy).message == f"{toml}: can't be read: No such file or directory"


def test_a_cell_that_cannot_be_is_refused_with_the_reason() -> None:
    with pytest.raises(ConfigError, match="no variant matches") as caught:
        parts_of(load(ROOT), "smoke", ("quarkus-mysql-nonblocking-virtual",), None)
    assert "event loop" in caught.value.hint


def test_an_added_app_is_found_by_its_file_alone(copy: Copy) -> None:
    folder = copy.root / "apps" / "movies" / "helidon-mysql-blocking"
    folder.mkdir()
    (folder / "variant.toml").write_text((copy.root / SPRING).read_text().replace("spring", "helidon", 1))
    added = select.matching(load(copy.root).variants.values(), ("helidon-*",))
    assert [v.name for v in added] == ["helidon-mysql-blocking-platform", "helidon-mysql-blocking-virtual"]


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        ('metric = "alocated"\nmost = 45', "budget.0.metric = 'alocated': not known"),
        ('metric = "allocated"', "budget.0: needs 'most', 'least' or both"),
        ('metric = "allocated"\nmost = 4\nleast = 5', "budget.0.least: 5 isn't below most"),
        ('metric = "allocated"\nmost = 4\nrate = 300', "budget.0.rate: only for p50, p95, p99"),
    ],
)
def test_a_budget_that_asks_nothing_is_named(copy: Copy, budget: str, message: str) -> None:
    toml = copy.root / MOVIES
    toml.write_text(f"{toml.read_text()}\n[[budget]]\n{budget}\n")
    assert failure(copy).message.startswith(f"{toml}: ")
    assert message in failure(copy).message

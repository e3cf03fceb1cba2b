"""Sides of a comparison: what their words make of a cell."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from telar.catalog.load import load
from telar.errors import ConfigError
from telar.plan.sides import Side, cells_of, parse

from ..store.records import CELL

CATALOG = load(Path(__file__).parents[3])
COMMIT = "0123456789" * 4


def commit_of(name: str) -> str:
    if name != "main":
        raise ConfigError(f"{name!r} names no commit")
    return COMMIT


def side(*words: str) -> Side:
    return parse(CATALOG, "--head", words, commit_of)


def test_no_word_is_the_checkout_as_it_is() -> None:
    assert side().of(CELL) == CELL
    assert side().words == "this checkout"


def test_words_change_what_they_name_and_nothing_else() -> None:
    found = side("main", "jdk=27", "driver=mysql=8.0.33", "flags=-XX:+UseZGC -Xss1m").of(CELL)
    assert found == msgspec.structs.replace(
        CELL, revision=COMMIT, jdk="27", drivers={"mysql": "8.0.33"}, flags=("-XX:+UseZGC", "-Xss1m")
    )
    assert side("variant=spring-mysql-blocking-platform").of(CELL).variant == "spring-mysql-blocking-platform"
    assert side("image=acme/app:1").of(CELL).image == "acme/app:1"


def test_cells_that_differ_have_different_names_that_are_file_names() -> None:
    cells = [
        side(*w).of(CELL) for w in ((), ("main",), ("flags=-Xss1m",), ("flags=-Xss2m",), ("image=a/b:1",))
    ]
    names = {c.name for c in cells}
    assert len(names) == len(cells)
    assert not any("/" in name for name in names)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("other",), "'other' names no commit"),
        (("main", "main"), "one commit"),
        (("jdk=8",), "no JDK '8'"),
        (("jdk=25", "jdk=27"), "one jdk"),
        (("jvm=25",), "there is no 'jvm'"),
        (("driver=mysql",), "say driver=NAME=VERSION"),
        (("driver=mysql=1",), "version of mysql '1'"),
        (("variant=spring",), "no variant 'spring'"),
        (("flags=UseZGC",), "'UseZGC' is no flag"),
    ],
)
def test_a_word_that_makes_no_sense_is_named(words: tuple[str, ...], said: str) -> None:
    with pytest.raises(ConfigError) as told:
        side(*words)
    assert said in told.value.message


MONGO = msgspec.structs.replace(CELL, variant="spring-mongodb-blocking-virtual", drivers={"mongodb": "5.6.5"})


def test_a_driver_that_no_variant_takes_is_a_mistake() -> None:
    with pytest.raises(ConfigError, match="takes no driver 'mongodb'"):
        cells_of(side(), side("driver=mongodb=5.6.5"), [CELL])
    with pytest.raises(ConfigError, match="take no driver 'r2dbc-mysql'"):
        cells_of(side(), side("main", "driver=r2dbc-mysql=1.1.3"), [CELL, MONGO])


def test_a_drivers_version_goes_to_those_that_take_it() -> None:
    (_, mysql), (_, mongo) = cells_of(side(), side("main", "driver=mysql=8.0.33"), [CELL, MONGO])
    assert (mysql.drivers, mongo.drivers) == ({"mysql": "8.0.33"}, {"mongodb": "5.6.5"})


def test_what_would_be_compared_with_itself_is_named() -> None:
    with pytest.raises(ConfigError, match="one and the same for spring-mongodb-blocking-virtual") as caught:
        cells_of(side(), side("driver=mysql=8.0.33"), [CELL, MONGO])
    assert "--only" in caught.value.hint
    assert cells_of(side("main"), side("main"), [CELL])[0][0] == side("main").of(CELL)  # an A/A


def test_another_variant_brings_its_own_drivers() -> None:
    found = side("variant=spring-mongodb-blocking-virtual").of(CELL)
    assert found.drivers == {"mongodb": "5.6.5"}
    kept = msgspec.structs.replace(CELL, drivers={"mysql": "8.0.33"})
    assert side("variant=quarkus-mysql-blocking-virtual").of(kept).drivers == {"mysql": "8.0.33"}

"""The words of two sides, from their cells."""

from __future__ import annotations

import msgspec
import pytest

from telar.catalog.load import load
from telar.plan.cells import Cell
from telar.plan.sides import parse, words_of

from ..cli.conftest import ROOT
from ..store.records import CELL

CATALOG = load(ROOT)
COMMIT = "0f3a" * 10


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ((), ()),
        ((), ("flags=-Xss1m -XX:+UseZGC",)),
        (("jdk=21",), ("jdk=27",)),
        ((COMMIT,), ("driver=mysql=8.0.33",)),
        (("variant=spring-mysql-blocking-platform", "image=a/b:1"), (COMMIT,)),
    ],
)
def test_they_say_the_cells_that_they_came_from(base: tuple[str, ...], head: tuple[str, ...]) -> None:
    one, other = (parse(CATALOG, "--x", words, str).of(CELL) for words in (base, head))
    again = words_of(one, other)
    assert [parse(CATALOG, "--x", words, str).of(CELL) for words in again] == [one, other]


def test_what_both_sides_have_is_in_no_word() -> None:
    both = msgspec.structs.replace(CELL, jdk="21", flags=("-Xss1m",))
    head: Cell = msgspec.structs.replace(both, variant="spring-mysql-blocking-platform")
    assert words_of(both, both) == ((), ())
    assert words_of(both, head) == (
        ("variant=spring-mysql-blocking-virtual",),
        ("variant=spring-mysql-blocking-platform",),
    )

"""Looks at the pairs of a session: what each may spend of the error."""

from __future__ import annotations

from pathlib import Path

import pytest

from telar.analyse.verdicts import looks
from telar.catalog.load import load

CATALOG = load(Path(__file__).resolve().parents[3])


@pytest.mark.parametrize("planned", [1, 2, 3, 4, 5, 12, 15])
def test_all_looks_together_spend_the_whole_error(planned: int) -> None:
    found = looks(CATALOG, planned, planned, ended=True)
    assert found[-1][0] == planned
    assert sum(part for _, part in found) == pytest.approx(1)


def test_a_look_is_due_when_its_pairs_are_there() -> None:
    assert [n for n, _ in looks(CATALOG, 12, 5, ended=False)] == []
    assert [n for n, _ in looks(CATALOG, 12, 8, ended=False)] == [6]
    assert [n for n, _ in looks(CATALOG, 12, 12, ended=False)] == [6, 9, 12]


def test_a_session_that_ended_early_is_looked_at_as_it_is_with_what_is_left() -> None:
    assert looks(CATALOG, 12, 5, ended=True) == [(5, 1.0)]
    (first, part), (last, left) = looks(CATALOG, 12, 7, ended=True)
    assert (first, last) == (6, 7)
    assert part + left == pytest.approx(1)
    assert looks(CATALOG, 12, 0, ended=True) == []

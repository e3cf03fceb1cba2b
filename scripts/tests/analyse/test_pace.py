"""How fast the machine was, by what the database needed for a request."""

from __future__ import annotations

import pytest

from telar.analyse.pace import Pace, factors


def paces(*windows: tuple[float | None, float | None]) -> list[float]:
    return factors([Pace(database=database, statements=asked) for database, asked in windows])


def test_times_are_as_if_the_machine_had_been_as_fast_in_each_window() -> None:
    database = (0.2, 0.25, 0.15)
    found = paces(*((each, 2.0) for each in database))
    assert [each * factor for each, factor in zip(database, found, strict=True)] == pytest.approx([0.2] * 3)


@pytest.mark.parametrize(
    "other", [(None, 2.0), (0.3, 2.1), (0.3, None), (0.0, 2.0)], ids=["unknown", "more", "uncounted", "none"]
)
def test_a_window_whose_database_did_other_work_leaves_all_as_they_are(
    other: tuple[float | None, float | None],
) -> None:
    assert paces((0.2, 2.0), other) == [1.0, 1.0]

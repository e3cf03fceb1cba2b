"""Charts are drawn where their values are."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from telar.publish.svg import Scale, figure, linear_ticks, log_ticks, polyline, spread, tag


def test_text_and_attributes_are_escaped() -> None:
    drawn = tag("text", "<script>", class_='"><b>', text_anchor="end", fill=None)
    assert drawn == '<text class="&#34;&gt;&lt;b&gt;" text-anchor="end">&lt;script&gt;</text>'


def test_a_figure_is_named_for_those_who_cannot_see_it() -> None:
    drawn = figure("p99 & more", 10, 5.5, Markup("<g/>"))
    assert drawn == '<svg role="img" aria-label="p99 &amp; more" viewBox="0 0 10 5.5"><g/></svg>'


def test_a_logarithmic_scale_gives_each_decade_the_same_length() -> None:
    scale = Scale(low=1, high=1000, start=300, end=0, log=True)
    assert [scale.at(v) for v in (1, 10, 100, 1000)] == pytest.approx([300, 200, 100, 0])


def test_values_beyond_a_scale_stand_at_its_end() -> None:
    scale = Scale(low=0, high=10, start=0, end=100)
    assert (scale.at(-5), scale.at(50)) == (0, 100)


def test_a_scale_of_one_value_has_it_in_the_middle() -> None:
    assert Scale(low=3, high=3, start=0, end=100).at(3) == 50


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(3, 40, [2, 5, 10, 20, 50]), (1, 10, [1, 2, 5, 10]), (0.3, 0.7, [0.2, 0.5, 1]), (5, 5, [5])],
)
def test_logarithmic_ticks_hold_the_values_between_them(low: float, high: float, ticks: list[float]) -> None:
    assert log_ticks(low, high) == ticks


@pytest.mark.parametrize(
    ("low", "high", "ticks"), [(0, 100, [0, 20, 40, 60, 80, 100]), (7, 31, [10, 15, 20, 25, 30]), (4, 4, [4])]
)
def test_linear_ticks_are_round(low: float, high: float, ticks: list[float]) -> None:
    assert linear_ticks(low, high) == ticks


def test_labels_are_moved_apart_and_stay_within_the_bounds() -> None:
    assert spread([50, 51, 52], 10, 0, 60) == [40, 50, 60]
    assert spread([5, 40], 10, 0, 60) == [5, 40]


def test_a_line_breaks_where_nothing_was_read() -> None:
    assert polyline([(0, 1), (2, 3), None, (4, 4), (5, 6)]) == "M0 1l2 2M4 4l1 2"


def test_a_reading_between_two_gaps_is_a_dot() -> None:
    assert polyline([None, (3, 4), None]) == "M3 4h0"

"""Charts are drawn where their values are."""

from __future__ import annotations

import pytest
from markupsafe import Markup

from telar.publish.svg import Scale, figure, log_ticks, tag


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

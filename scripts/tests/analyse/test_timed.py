"""Methods that the JVM timed: how often they are called, and what a call costs."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from telar.analyse.pace import Pace
from telar.analyse.timed import UNKNOWN, Calls, Timed, Window, compare

FIND, LIST = "shop.Cart::find", "shop.Cart::list"


def window(*, requests: int = 3000, pace: Pace = UNKNOWN, **calls: tuple[int, float]) -> Window:
    """`calls`: method -> count, and µs of each."""
    names: Mapping[str, str] = {"find": FIND, "list": LIST}
    return Window(
        requests=requests,
        seconds=10.0,
        pace=pace,
        calls={
            names[n]: Calls(count=count, seconds=count * each / 1e6, least=each / 2e6)
            for n, (count, each) in calls.items()
        },
    )


def compared(base: list[Window], head: list[Window]) -> dict[str, Timed]:
    return {t.method: t for t in compare(base, head)}


def test_a_call_that_takes_longer_is_slower_with_an_interval() -> None:
    base = [window(find=(3000, 10.0), list=(600, 50.0)), window(find=(3000, 10.2), list=(600, 50.5))]
    head = [window(find=(3000, 12.0), list=(600, 50.4)), window(find=(3000, 12.3), list=(600, 50.2))]
    found = compared(base, head)
    slower = found["shop.Cart.find"]
    assert slower.word == "slower"
    assert slower.change == pytest.approx(0.2, abs=0.01)
    assert slower.low is not None
    assert slower.change is not None
    assert slower.high is not None
    assert 0 < slower.low < slower.change < slower.high
    assert (slower.base, slower.head) == (pytest.approx(10.1), pytest.approx(12.15))
    assert slower.base_least == pytest.approx(5.0)
    assert slower.base_calls == slower.head_calls == 1.0
    assert found["shop.Cart.list"].word == ""
    assert next(iter(compare(base, head))).method == "shop.Cart.find"


def of_a_machine(*speeds: float, each: float, statements: float = 2.0) -> list[Window]:
    """Windows in which the machine took so many times as long for everything."""
    return [
        window(find=(3000, each * own), pace=Pace(database=0.2 * own, statements=statements))
        for own in speeds
    ]


def test_a_machine_that_slows_down_hides_nothing_where_the_database_shows_it() -> None:
    steady = compared(of_a_machine(1.0, 1.0, each=10.0), of_a_machine(1.0, 1.0, each=12.0))
    moving = compared(of_a_machine(1.0, 0.8, each=10.0), of_a_machine(1.3, 0.7, each=12.0))
    assert steady["shop.Cart.find"].word == moving["shop.Cart.find"].word == "slower"
    assert moving["shop.Cart.find"].change == pytest.approx(0.2)
    assert moving["shop.Cart.find"].base == pytest.approx(10.0 * 0.95)  # at the mean pace
    same = compared(of_a_machine(1.0, 1.0, each=10.0), of_a_machine(1.3, 1.3, each=10.0))
    assert same["shop.Cart.find"].change == pytest.approx(0.0)


def test_a_database_that_is_asked_more_is_no_measure_of_the_machine() -> None:
    asked_more = of_a_machine(1.5, 1.5, each=10.0, statements=3.0)
    found = compared(of_a_machine(1.0, 1.0, each=10.0), asked_more)["shop.Cart.find"]
    assert (found.word, found.change) == ("slower", pytest.approx(0.5))


def test_what_two_jvms_of_a_build_may_differ_by_is_not_called() -> None:
    base, head = [window(find=(3000, 10.0))] * 2, [window(find=(3000, 10.5))] * 2
    assert compared(base, head)["shop.Cart.find"].word == ""


def test_calls_are_counted_whatever_they_cost() -> None:
    base, head = [window(find=(3000, 10.0))] * 2, [window(find=(6000, 10.0))] * 2
    more = compared(base, head)["shop.Cart.find"]
    assert (more.word, more.base_calls, more.head_calls) == ("called more", 1.0, 2.0)
    assert compared(head, base)["shop.Cart.find"].word == "called less"
    edge = [window(find=(3030, 10.0))] * 2  # requests of a window's edge, and scrapes
    assert compared(base, edge)["shop.Cart.find"].word == ""


def test_a_method_of_one_side_alone_is_new_or_gone() -> None:
    without, with_ = [window(find=(3000, 10.0))] * 2, [window(find=(3000, 10.0), list=(600, 50.0))] * 2
    found = compared(without, with_)["shop.Cart.list"]
    assert (found.word, found.base, found.change) == ("new", None, None)
    assert found.head == pytest.approx(50.0)
    assert compared(with_, without)["shop.Cart.list"].word == "gone"


def test_the_mean_of_a_few_calls_is_shown_and_not_judged() -> None:
    base, head = [window(find=(30, 10.0))] * 2, [window(find=(30, 30.0))] * 2
    found = compared(base, head)["shop.Cart.find"]
    assert (found.word, found.change) == ("", None)
    assert (found.base, found.head) == (pytest.approx(10.0), pytest.approx(30.0))


def test_of_what_a_change_only_calls_the_calls_alone_are_judged() -> None:
    base, head = [window(find=(3000, 10.0))] * 2, [window(find=(3000, 30.0))] * 2
    (slower,) = compare(base, head, called={FIND})
    assert (slower.word, slower.change, slower.base, slower.head) == ("", None, 10.0, 30.0)
    (more,) = compare(base, [window(find=(9000, 30.0))] * 2, called={FIND})
    assert more.word == "called more"


def test_what_moves_the_most_time_comes_first() -> None:
    base = [window(find=(3000, 0.1), list=(600, 50.0))] * 2
    head = [window(find=(9000, 0.1), list=(600, 80.0))] * 2
    assert [(t.method, t.word) for t in compare(base, head)] == [
        ("shop.Cart.list", "slower"),
        ("shop.Cart.find", "called more"),
    ]

"""Stacks of virtual threads, of which a profiler saw the inner part only."""

from __future__ import annotations

import pytest

from telar.analyse.stacks import entered, mended

RUN = ("Thread.run", "Server.handle")
FIND, LIST = (
    (*RUN, "Cart.find", "Query.send", "Socket.read"),
    (*RUN, "Cart.list", "Query.send", "Socket.read"),
)


def test_what_is_cut_goes_under_those_that_call_it_elsewhere() -> None:
    (found,) = mended([{FIND: 30.0, LIST: 10.0, ("Query.send", "Socket.read"): 8.0}])
    assert found == {FIND: 36.0, LIST: 12.0}


def test_the_longest_way_in_common_decides() -> None:
    paged = (*RUN, "Cart.list", "Query.send", "Query.page")
    (found,) = mended([{FIND: 30.0, paged: 10.0, ("Query.send", "Query.page", "Page.of"): 8.0}])
    assert found == {FIND: 30.0, paged: 10.0, (*paged, "Page.of"): 8.0}


def test_what_one_window_does_not_show_another_may() -> None:
    whole, cut = mended([{FIND: 50.0}, {("Cart.find", "Query.send"): 40.0, RUN: 3.0}])
    assert whole == {FIND: 50.0}
    assert cut == {(*RUN, "Cart.find", "Query.send"): 40.0, RUN: 3.0}


def test_threads_begin_where_they_begin_and_nothing_is_lost() -> None:
    stacks = {
        ("Thread.run", "Poller.poll"): 20.0,
        ("InnocuousThread.run", "Thread.run", "Cleaner.run"): 2.0,  # the other's own beginning, inside of it
        ("[compilers]",): 9.0,
        ("Unknown.one",): 1.0,
        (): 1.0,
    }
    assert mended([stacks]) == [stacks]
    assert mended([]) == []
    busy = {FIND: 30.0, ("Query.send",): 3.5, ("Cart.find", "Clock.now"): 1.0}
    assert sum(mended([busy])[0].values()) == pytest.approx(sum(busy.values()))


def test_a_library_is_entered_where_something_else_calls_it() -> None:
    stacks = {
        (*RUN, "Cart.find", "Matcher.find", "Machine.step"): 6.0,
        (*RUN, "Cart.find", "Matcher.find", "Cart.compare", "Matcher.find"): 2.0,  # and again, from within
        (*RUN, "Cart.find", "Matcher.lambda$all$0"): 1.0,
        ("Machine.step", "Machine.add"): 5.0,  # cut
        (*RUN, "Cart.list"): 986.0,
    }
    library = {"Matcher", "Machine"}
    assert entered(stacks, library, least=0.001) == {"Matcher.find": 0.008}
    assert entered(stacks, library, least=0.01) == {}
    assert entered(stacks, set(), least=0.0) == {}

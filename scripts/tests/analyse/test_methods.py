"""Which methods are named: in made-up profiles of a small service, whose differences are known."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest

from telar.analyse.methods import COMPILERS, Rules, Seen, differences, holm
from telar.analyse.stacks import Stack

RULES = Rules()
SELF, OF_ALL = 0.30, 0.008  # the most that JVMs of one build differed by, CPU or allocation (docs/why.md)
MAIN = ("java.Thread.run", "web.Server.dispatch")
GET = (*MAIN, "shop.Controller.get")
SERVICE: dict[Stack, float] = {  # CPU-µs per request
    MAIN: 60.0,
    (*MAIN, "web.Parser.parse"): 90.0,
    (*GET, "shop.Prices.of"): 5.0,
    (*GET, "shop.Repository.find", "driver.Query.send"): 110.0,
    (*GET, "shop.Repository.find", "driver.Rows.read"): 80.0,
    (*GET, "json.Mapper.write", "json.Text.escape"): 75.0,
    (*MAIN, "shop.Controller.list", "json.Mapper.write", "json.Text.escape"): 60.0,
    (COMPILERS,): 20.0,
}


def own(method: str) -> bool:
    return method.startswith("shop.")


def windows(
    dice: random.Random,
    service: dict[Stack, float],
    *,
    samples: int = 3000,
    jvms_differ: bool = False,
    count: int = 2,
) -> list[Seen]:
    """Of one JVM: `samples` in a window of 500 µs per request. What each stack does itself is as far from
    another JVM's as was measured.
    """
    apart = {s: min(SELF * cpu, OF_ALL * 500) if jvms_differ else 0.0 for s, cpu in service.items()}
    of_jvm = {stack: max(0.0, dice.gauss(cpu, apart[stack])) for stack, cpu in service.items()}
    found = []
    for _ in range(count):
        expected = {stack: cpu * samples / 500 for stack, cpu in of_jvm.items()}
        drawn = {stack: max(0, round(dice.gauss(n, math.sqrt(n)))) for stack, n in expected.items()}
        whole = sum(of_jvm.values())
        found.append(Seen(stacks={s: float(n) for s, n in drawn.items() if n}, whole=whole))
    return found


def changed(more: dict[Stack, float]) -> dict[Stack, float]:
    return {stack: SERVICE.get(stack, 0.0) + more.get(stack, 0.0) for stack in {**SERVICE, **more}}


def named(
    seed: int, head: dict[Stack, float], rules: Rules = RULES, *, jvms_differ: bool = False
) -> list[str]:
    dice = random.Random(seed)
    base, other = (windows(dice, side, jvms_differ=jvms_differ) for side in (SERVICE, head))
    return [d.method for d in differences(base, other, is_own=own, rules=rules)]


def test_where_nothing_was_changed_nothing_is_named_in_nine_of_ten() -> None:
    assert sum(bool(named(seed, SERVICE, jvms_differ=True)) for seed in range(100)) <= 10


def test_a_method_that_costs_five_percent_more_of_all_is_named_first() -> None:
    head = changed({(*GET, "shop.Prices.of"): 25.0})
    assert sum(named(seed, head)[:1] == ["shop.Prices.of"] for seed in range(40)) >= 36


def test_what_calls_it_is_not_named_too() -> None:
    found = named(1, changed({(*GET, "shop.Prices.of"): 60.0}))
    assert found == ["shop.Prices.of"]


def test_what_is_newly_called_is_named_with_the_applications_own_method_above_it() -> None:
    dice = random.Random(2)
    head = changed({(*GET, "json.Mapper.read", "json.Text.unescape"): 50.0})
    first, *_ = differences(windows(dice, SERVICE), windows(dice, head), is_own=own, rules=RULES)
    assert (first.method, first.caller) == ("json.Text.unescape", "shop.Controller.get")
    assert first.base == 0
    assert first.low > 0


def test_what_a_method_does_itself_is_apart_from_what_it_calls() -> None:
    dice = random.Random(3)
    head = changed({(*GET, "json.Mapper.write"): 70.0})
    exact = replace(RULES, most=0.0)
    (found,) = differences(windows(dice, SERVICE), windows(dice, head), is_own=own, rules=exact)
    assert found.method == "json.Mapper.write"
    assert found.own_base == 0
    assert found.own_head == pytest.approx(70, abs=10)
    assert found.head == pytest.approx(205, abs=20)


def test_what_became_cheaper_is_named_as_well() -> None:
    dice = random.Random(4)
    head = changed({(*GET, "shop.Repository.find", "driver.Rows.read"): -60.0})
    (found,) = differences(windows(dice, SERVICE), windows(dice, head), is_own=own, rules=RULES)
    assert found.method == "driver.Rows.read"
    assert found.change < 0
    assert found.high < 0


def test_compilers_are_never_named() -> None:
    assert named(5, changed({(COMPILERS,): 300.0})) == []


def test_no_more_than_five_are_shown_the_largest_first() -> None:
    more: dict[Stack, float] = {(*MAIN, f"shop.New.n{n}"): 40.0 + 30.0 * n for n in range(8)}
    assert named(6, changed(more)) == [f"shop.New.n{n}" for n in (7, 6, 5, 4, 3)]


def test_a_difference_below_what_matters_is_not_named_however_sure() -> None:
    head = changed({(*GET, "shop.Prices.of"): 4.0})
    dice = random.Random(7)
    many = [windows(dice, side, samples=3_000_000) for side in (SERVICE, head)]
    assert differences(*many, is_own=own, rules=replace(RULES, most=0.0)) == []


def test_windows_that_differ_from_each_other_make_it_less_sure() -> None:
    calm = [Seen(stacks={GET: 1000.0, MAIN: 1000.0}, whole=500.0) for _ in range(2)]
    wild = [Seen(stacks={GET: n, MAIN: 2000.0 - n}, whole=500.0) for n in (900.0, 1300.0)]
    steady = [Seen(stacks={GET: 1100.0, MAIN: 900.0}, whole=500.0) for _ in range(2)]
    exact = replace(RULES, most=0.0)
    assert [d.method for d in differences(calm, steady, is_own=own, rules=exact)] == ["shop.Controller.get"]
    assert differences(calm, wild, is_own=own, rules=exact) == []


def test_the_interval_holds_the_true_change_in_95_of_100() -> None:
    head = changed({(*GET, "shop.Prices.of"): 60.0})
    inside = 0
    for seed in range(200):
        dice = random.Random(seed)
        exact = replace(RULES, most=0.0)
        found = differences(windows(dice, SERVICE), windows(dice, head), is_own=own, rules=exact)
        inside += found[0].low <= 60.0 <= found[0].high
    assert inside >= 182


def test_nothing_to_compare_names_nothing() -> None:
    nothing = [Seen(stacks={(COMPILERS,): 10.0}, whole=1.0)]
    assert differences(nothing, nothing, is_own=own, rules=RULES) == []


def test_holm_multiplies_the_surest_by_all_and_never_falls() -> None:
    found = holm({"a": 0.01, "b": 0.011, "c": 0.5, "d": 0.9})
    assert found == {"a": 0.04, "b": 0.04, "c": 1.0, "d": 1.0}

"""What profiled windows say beside their methods: what the profiler itself cost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from telar.analyse.methods import Profile
from telar.analyse.stacks import Stack
from telar.analyse.why import RULES, Window, explain
from telar.store.record import Metric, Record

from ..store.records import CELL, record

SEEN = Profile(cpu={("shop.Cart.total",): 400}, bytes={})
TOTAL, OTHER = ("Thread.run", "shop.Cart.total"), ("Thread.run", "shop.Cart.find")


def window(**values: float) -> Record:
    """Of a service that needs a millisecond a request, unless `values` says otherwise."""
    given = {"app-cpu": 1.0, "p50": 4.0, **{n.replace("_", "-"): v for n, v in values.items()}}
    return record(metrics={n: Metric(value=v, unit="", better="smaller") for n, v in given.items()})


def changes(pace: tuple[float, float, float, float], statements: float = 2.0) -> dict[str, float]:
    """Method -> what head has more, where one costs a quarter more, and the machine is as slow as `pace`
    says in each window: base, head, head, base.
    """
    base: dict[Stack, int] = {TOTAL: 2000, OTHER: 2000}
    head: dict[Stack, int] = {TOTAL: 2500, OTHER: 2000}
    sides = (base, head, head, base)
    records = [
        window(app_cpu=sum(own.values()) / 4000 * slow, database_cpu=0.4 * slow, statements=asked)
        for own, slow, asked in zip(sides, pace, (2.0, statements, statements, 2.0), strict=True)
    ]
    seen: list[Window] = [(r, Profile(cpu=own, bytes={})) for r, own in zip(records, sides, strict=True)]
    found = explain(
        CELL,
        [seen[0], seen[3]],
        seen[1:3],
        {},
        packages=frozenset(),
        clock="ctimer",
        seconds=48.0,
        rules=replace(RULES, most=0.0),  # JVMs of one build differ in nothing
    )
    return {each.method: each.change for each in found.cpu}


def test_a_machine_that_slows_down_hides_nothing_where_the_database_shows_it() -> None:
    steady = changes((1.0, 1.0, 1.0, 1.0))
    assert steady == {"shop.Cart.total": pytest.approx(125.0)}
    moving = (1.0, 0.8, 1.3, 1.3)
    assert changes(moving) == {"shop.Cart.total": pytest.approx(125.0 * 1.1)}  # at the mean pace
    assert changes(moving, statements=3.0) == {}  # a database that does more is no measure of the machine


def costs(profiled: list[Record], plain: list[Record]) -> tuple[float | None, float | None]:
    """In processor time, and in p50."""
    windows: list[Window] = [(r, SEEN) for r in profiled]
    sides = {"a": plain, "b": plain}
    found = explain(CELL, windows, windows, sides, packages=frozenset(), clock="ctimer", seconds=48.0)
    assert found.base
    return found.base.cpu_cost, found.base.p50_cost


def test_the_cost_is_read_in_units_of_the_database_where_the_machine_slowed_down() -> None:
    plain = [window(work_cpu_by_database=2.0, p50_by_database=8.0)] * 2
    slowed = [window(app_cpu=1.5, p50=6.0, work_cpu_by_database=2.04, p50_by_database=8.4)] * 2
    assert costs(slowed, plain) == pytest.approx((0.02, 0.05))


def test_where_some_window_does_not_know_that_it_is_read_in_seconds() -> None:
    plain = [window(work_cpu_by_database=2.0), window()]
    dearer = [window(app_cpu=1.1, p50=4.2, work_cpu_by_database=2.0)] * 2
    assert costs(dearer, plain) == pytest.approx((0.1, 0.05))
    assert costs(dearer, []) == (None, None)

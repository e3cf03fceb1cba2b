"""Lanes: a JDK and a version of each driver. Nights walk through all of them within a week."""

from __future__ import annotations

import msgspec

from telar.catalog.types import Catalog
from telar.plan.cells import Plan, Wishes, make_plan
from telar.plan.parts import parts_of

NIGHTS = 7


class Lane(msgspec.Struct, frozen=True, kw_only=True):
    jdk: str
    drivers: dict[str, str]  # each driver's version

    @property
    def name(self) -> str:
        return ", ".join([f"JDK {self.jdk}", *(f"{n} {v}" for n, v in self.drivers.items())])


def lanes(catalog: Catalog) -> tuple[Lane, ...]:
    """Every JDK with every version of each driver of the night's suite: drivers that no app has both of share
    a lane.
    """
    suite = parts_of(catalog, catalog.file.pipeline.night, (), None)
    taken = {name for part in suite for variant in part.variants for name in variant.app.file.drivers}
    drivers = {name: driver for name, driver in catalog.file.driver.items() if name in taken}
    most = max((len(d.versions) for d in drivers.values()), default=1)
    return tuple(
        Lane(jdk=jdk, drivers={name: d.versions[n % len(d.versions)] for name, d in drivers.items()})
        for n in range(most)
        for jdk in catalog.file.jdk
    )


def is_weekly(catalog: Catalog, day: int) -> bool:
    """Whether a night runs the weekly suite in the place of lanes. `day`: days since any beginning."""
    return catalog.file.pipeline.weekly is not None and day % NIGHTS == NIGHTS - 1


def tonight(catalog: Catalog, day: int) -> tuple[Lane, ...]:
    """Those of a night; seven nights in a row have all of them, where there are fewer some twice. None in a
    night that runs the weekly suite.
    """
    if is_weekly(catalog, day):
        return ()
    every = lanes(catalog)
    nights = NIGHTS - 1 if catalog.file.pipeline.weekly else NIGHTS
    return every[day % NIGHTS :: nights] or (every[day % len(every)],)


def plan_of(catalog: Catalog, wishes: Wishes, chosen: tuple[Lane, ...]) -> Plan:
    """The suite on each lane, as one plan, with the rounds of all lanes in turns."""
    plans = [
        make_plan(
            catalog,
            msgspec.structs.replace(wishes, jdks=(lane.jdk,), drivers=_taken(catalog, wishes, lane)),
        )
        for lane in chosen
    ]
    # A driver with fewer versions than another comes around again: each cell once a round.
    runs = {(run.repetition, run.cell.name): run for plan in plans for run in plan.runs}
    ordered = sorted(runs.values(), key=lambda run: run.repetition)
    return msgspec.structs.replace(
        plans[0],
        runs=tuple(msgspec.structs.replace(run, position=n) for n, run in enumerate(ordered, start=1)),
    )


def _taken(catalog: Catalog, wishes: Wishes, lane: Lane) -> tuple[str, ...]:
    """The versions of those drivers that the suite's variants have."""
    plain = make_plan(catalog, msgspec.structs.replace(wishes, jdks=(), drivers=()))
    own = {name for run in plain.runs for name in run.cell.drivers}
    return tuple(f"{name}={version}" for name, version in lane.drivers.items() if name in own)

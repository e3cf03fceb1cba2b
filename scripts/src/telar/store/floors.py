"""The noise floors that `telar calibrate` measured, kept in git: benchmarks-data/reference/floors.json."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec

from telar.errors import StoreError
from telar.plan.cells import Cell
from telar.store.files import pretty, write_atomically
from telar.store.meaning import by_meaning
from telar.store.record import LatencyFrom, Machine, Part

FLOORS: Final = Path("reference") / "floors.json"  # below benchmarks-data/
FORMAT: Final = 1

Tier = Literal["gate", "watch", "chart"]
Deviation = Annotated[float, msgspec.Meta(ge=0, le=100)]  # of a natural logarithm


class Floor(Part, frozen=True):
    """Of one metric. Null where its values have no logarithm, and differ."""

    tier: Tier
    run_to_run: Deviation | None  # of one run's value
    jvm_to_jvm: Deviation | None  # the part of it that a whole JVM has in common
    pair_to_pair: Deviation | None  # of the ratio of two windows, one after the other
    fork_to_fork: Deviation | None  # the part of it that a pair of JVMs has in common
    observed: float | None  # the mean ratio of b to a, less one: of one and the same build
    replay: float | None  # by which two independent runs differ, at 1 % false alarms
    # So many pairs -> the smallest effect that they would show; empty where nothing is known.
    smallest: dict[str, float]
    # What it was found from: fewer than the cell's for what is in seconds. None: as many.
    forks: int | None = None
    pairs: int | None = None


class Calibration(Part, frozen=True):
    """One cell's floors, and what they were measured on."""

    cell: Cell
    session: str
    measured: str  # the day, UTC
    commit: str
    machine: Machine
    forks: int
    pairs: int  # sound on both sides
    left_out: int  # the others
    floors: dict[str, Floor]
    added: tuple[str, ...] = ()  # earlier sessions, whose forks are in it, too
    latency_from: LatencyFrom = "sent"  # what its latencies count from


class Floors(Part, frozen=True):
    format: Literal[1] = FORMAT
    calibrations: tuple[Calibration, ...] = ()

    def calibration(self, cell: Cell, machine: Machine) -> Calibration | None:
        """The cell's own on such a machine; else the one of the same workload with the least behind it.

        What another kind of machine showed says little here: `noisiest` has it.
        """
        same = [c for c in self.calibrations if _place(c.cell) == _place(cell) and alike(c.machine, machine)]
        own = [c for c in same if c.cell.variant == cell.variant]
        return min(own or same, key=lambda c: (c.forks, c.pairs), default=None)

    def of(self, cell: Cell, machine: Machine) -> Mapping[str, Floor]:
        """The cell's own; where it has none, those of the same workload in which each metric is noisiest."""
        same = [c for c in self.calibrations if _place(c.cell) == _place(cell) and alike(c.machine, machine)]
        own = [c for c in same if c.cell.variant == cell.variant]
        return _noisiest(own or same)

    def noisiest(self) -> Mapping[str, Floor]:
        """Of each metric, wherever it was measured."""
        return _noisiest(self.calibrations)

    def including(self, calibration: Calibration) -> Floors:
        """With this one in place of an older one of the same cell on such a machine."""
        others = tuple(
            c
            for c in self.calibrations
            if c.cell != calibration.cell or not alike(c.machine, calibration.machine)
        )
        every = sorted(
            (*others, calibration), key=lambda c: (c.cell.engine, c.cell.name, c.machine.cpu_model, c.session)
        )
        return msgspec.structs.replace(self, calibrations=tuple(every))


def alike(one: Machine, other: Machine) -> bool:
    """Whether one's noise may stand for the other's: as many of the same processors, and kernels of one
    series. Hosts with one name needn't be one machine, and those of a fleet have names of their own.
    """
    return _kind(one) == _kind(other)


def _kind(machine: Machine) -> tuple[str, int, str, str]:
    return machine.cpu_model, machine.processors, machine.smt, machine.kernel.partition(".")[0]


def _noisiest(calibrations: Iterable[Calibration]) -> Mapping[str, Floor]:
    found: dict[str, Floor] = {}
    for calibration in calibrations:
        for metric, floor in by_meaning(calibration.floors, calibration.latency_from).items():
            if metric not in found or _noise(floor) > _noise(found[metric]):
                found[metric] = floor
    return found


def read(path: Path) -> Floors:
    """The floors in a file; none where there is no file. Raises StoreError when it can't be read."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Floors)
    except FileNotFoundError:
        return Floors()
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise StoreError(f"{path}: {error}", hint="put a copy of it back, or remove it") from error


def write(path: Path, floors: Floors) -> None:
    write_atomically(path, pretty(floors))


def _place(cell: Cell) -> tuple[str, str, str, str]:
    return cell.workload, cell.engine, cell.runner, cell.layout


def _noise(floor: Floor) -> float:
    return float("inf") if floor.run_to_run is None else floor.run_to_run

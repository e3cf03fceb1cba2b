"""A calibration as a table, for a terminal and for a document."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console

from telar.catalog.types import Catalog
from telar.publish import folding
from telar.store.floors import Calibration, Floor

NONE = "–"
TIERS = {"gate": "gate", "watch": "watch", "chart": "chart only"}
SHOWN = ("5", "15", "60")  # pairs, whose smallest effects are told: 1, 3 and 12 forks of five
HEADINGS = ("metric", "tier", "run to run", "between JVMs", "pair to pair", "between forks", "A/A said")


def print_calibration(catalog: Catalog, console: Console, calibration: Calibration) -> None:
    cell = calibration.cell
    console.print(
        f"\n[bold]{cell.label}[/bold] · {cell.workload} · JDK {cell.jdk} · {cell.engine}: "
        f"{calibration.pairs} sound pairs in {_forks(calibration)}, {calibration.left_out} left out"
    )
    effects = _pairs(calibration)
    # In a narrow terminal what pairs would see is worth more than how it comes about.
    order = [0, 1, *range(len(HEADINGS), len(HEADINGS) + len(effects)), *range(2, len(HEADINGS))]
    headings = [*HEADINGS, *(f"{n} pairs see" for n in effects)]
    columns = [folding.text(h, 14 if h == HEADINGS[0] else 8) if h in HEADINGS[:2] else folding.figure(h)
               for h in headings]  # fmt: skip
    found = [[row[n] for n in order] for row in rows(catalog, calibration)]
    where = f"floors.json, and {folding.WIDER}"
    folding.print_table(console, [columns[n] for n in order], found, where=where)


def markdown(catalog: Catalog, calibrations: Sequence[Calibration]) -> str:
    """One table for each cell."""
    parts = []
    for each in calibrations:
        effects, cell = [f"{n} pairs see" for n in _pairs(each)], each.cell
        lines = [
            f"`{cell.label}`, {cell.workload}, JDK {cell.jdk}, {cell.engine}: {each.pairs} sound pairs in "
            f"{_forks(each)}, {each.left_out} left out ({each.measured}, {each.machine.cpu_model}).",
            "",
            "| " + " | ".join((*HEADINGS, *effects)) + " |",
            "|---|---|" + "--:|" * (len(HEADINGS) - 2 + len(effects)),
            *("| " + " | ".join(row) + " |" for row in rows(catalog, each)),
        ]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _forks(calibration: Calibration) -> str:
    sessions = f" of {1 + len(calibration.added)} sessions" if calibration.added else ""
    return f"{calibration.forks} forks{sessions}"


def rows(catalog: Catalog, calibration: Calibration) -> list[tuple[str, ...]]:
    """The metrics, the least noisy first."""
    floors = sorted(calibration.floors.items(), key=lambda item: _order(item[1]))
    effects = _pairs(calibration)
    return [
        (
            catalog.file.metric[name].title if name in catalog.file.metric else name,
            TIERS[floor.tier],
            _share(floor.run_to_run),
            _share(floor.jvm_to_jvm),
            _share(floor.pair_to_pair),
            _share(floor.fork_to_fork),
            NONE if floor.observed is None else f"{floor.observed:+.1%}",
            *(_share(floor.smallest.get(n)) for n in effects),
        )
        for name, floor in floors
    ]


def _pairs(calibration: Calibration) -> list[str]:
    every = {n for floor in calibration.floors.values() for n in floor.smallest}
    return sorted(every.intersection(SHOWN), key=int)


def _order(floor: Floor) -> float:
    return min(floor.smallest.values(), default=float("inf"))


def _share(value: float | None) -> str:
    return NONE if value is None else f"{value:.1%}"

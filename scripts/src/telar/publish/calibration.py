"""A calibration as a table, for a terminal and for a document."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.console import Console

from telar.catalog.types import Catalog
from telar.publish import columns, folding
from telar.store.floors import Calibration, Floor

NONE = "–"
TIERS = {"gate": "gate", "watch": "watch", "chart": "chart only"}
SHOWN = ("5", "15", "60")  # pairs, whose minimum detectable effects are shown: 1, 3 and 12 forks of five
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
    heads = [folding.text(h, 14 if h == HEADINGS[0] else 8) if h in HEADINGS[:2] else folding.figure(h)
             for h in headings]  # fmt: skip
    found = [[row[n] for n in order] for row in rows(catalog, calibration)]
    where = f"floors.json, and {folding.WIDER}"
    folding.print_table(console, [heads[n] for n in order], found, where=where)


def markdown(catalog: Catalog, calibrations: Sequence[Calibration]) -> str:
    """One table for each cell, of what has noise; what has none is named below it."""
    parts = []
    for each in calibrations:
        effects, cell = [f"{n} pairs see" for n in _pairs(each)], each.cell
        noisy = {name for name, floor in each.floors.items() if floor.pair_to_pair}
        lines = [
            f"`{cell.label}`, {cell.workload}, JDK {cell.jdk}, {cell.engine}: {each.pairs} sound pairs in "
            f"{_forks(each)}, {each.left_out} left out ({each.measured}, {each.machine.cpu_model}).",
            "",
            "| " + " | ".join((*HEADINGS, *effects)) + " |",
            "|---|---|" + "--:|" * (len(HEADINGS) - 2 + len(effects)),
            *("| " + " | ".join(row) + " |" for row in rows(catalog, each, noisy)),
        ]
        alike = [name for name, floor in each.floors.items() if floor.pair_to_pair == 0]
        drawn = [name for name, floor in each.floors.items() if floor.pair_to_pair is None]
        for words, names in (("No pair differed in", alike), ("Zero at times, and so only drawn:", drawn)):
            if names:
                titles = "; ".join(columns.title(catalog, cell, name) for name in names)
                lines += ["", f"{words} {titles}."]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _forks(calibration: Calibration) -> str:
    sessions = f" of {1 + len(calibration.added)} sessions" if calibration.added else ""
    return f"{calibration.forks} forks{sessions}"


def rows(
    catalog: Catalog, calibration: Calibration, some: Collection[str] | None = None
) -> list[tuple[str, ...]]:
    """All metrics or some, the least noisy first."""
    chosen = [(name, floor) for name, floor in calibration.floors.items() if some is None or name in some]
    floors = sorted(chosen, key=lambda item: _order(item[1]))
    effects = _pairs(calibration)
    return [
        (
            columns.title(catalog, calibration.cell, name),
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

"""Writes what the fault matrix came to into its document (docs/reliability.md says how to run it)."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from .matrix import ROWS
from .results import ROOT, Seen, kept

DOCUMENT = ROOT / "docs" / "reliability.md"
START, END = (
    "<!-- fault matrix: made by scripts/tests/faults/table.py -->",
    "<!-- end of the fault matrix -->",
)
HEAD = ("fault", "stage", "engine", "survived", "what there is to read", "lost records", "left behind")


def main() -> None:
    seen = {row.name: kept(row.name) for row in ROWS}
    missing = [name for name, found in seen.items() if found is None]
    if len(missing) == len(seen):
        sys.exit("no row has been run yet: pytest tests/faults")
    write(DOCUMENT, [found for found in seen.values() if found], missing)


def write(document: Path, seen: Sequence[Seen], missing: Sequence[str] = ()) -> None:
    text = document.read_text(encoding="utf-8")
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    owed = f"\n\nNot run on this code yet: {'; '.join(missing)}." if missing else ""
    document.write_text(f"{before}{START}\n{table(seen)}{owed}\n{END}{after}", encoding="utf-8")


def table(seen: Sequence[Seen]) -> str:
    lines = [_line(HEAD), _line(["---"] * 5 + ["---:"] * 2), *(_line(_cells(row)) for row in seen)]
    survived = sum(row.survived for row in seen)
    lost, left = sum(row.lost_records for row in seen), sum(row.left_behind for row in seen)
    total = f"{survived} of {len(seen)} survived. Lost records: {lost}."
    return "\n".join([*lines, "", f"{total} Processes, containers and files left: {left}."])


def faults_of(document: Path) -> list[tuple[str, str, str]]:
    """Fault, stage and engine of each row that the document has."""
    table_ = document.read_text(encoding="utf-8").partition(START)[2].partition(END)[0]
    rows = [line.strip("| ").split(" | ") for line in table_.splitlines() if line.startswith("| ")]
    return [(cells[0], cells[1], cells[2]) for cells in rows[2:]]


def _cells(row: Seen) -> list[str]:
    survived = "yes" if row.survived else "**no**"
    says = row.says.replace("|", r"\|")
    return [row.fault, row.stage, row.engine, survived, says, str(row.lost_records), str(row.left_behind)]


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()

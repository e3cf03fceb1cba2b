"""What recorded comparisons say by today's method: ideas are tried on windows that are there already.

    PYTHONPATH=scripts/src .telar/venv-requirements/bin/python scripts/measure/judged_now.py \\
        benchmarks-data/local/verdicts/*/*-ab \\
        --into benchmarks-data/reference/verdicts

Each SESSION of telar ab is decided again with the floors of this checkout, as if it had been asked for the
first time. Its answer is kept as `verdicts.py` keeps them, by the name of the folder it lies in.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import msgspec
import verdicts

from telar.catalog.load import load
from telar.cli import answer
from telar.gates import judged_again
from telar.publish.verdict import Comparison
from telar.store.files import Session

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("sessions", type=Path, nargs="+")
    parser.add_argument("--into", type=Path, help="where answers are kept")
    said = parser.parse_args()
    catalog = load(ROOT)
    print("| session | pairs | worse | better | word | decided |\n|---|--:|---|---|---|--:|")
    for folder in said.sessions:
        session = Session(folder)
        found = answer.of_session(catalog, session, judged_again(session.records(), catalog))
        if found is None:
            print(f"| {folder.name} | 0 | | | no pair | |")
            continue
        kept = encoded(found)
        (compared,) = kept["compared"]
        moved = (", ".join(verdicts.moved(kept, word)) or "–" for word in ("worse", "better"))
        print(f"| {folder.parent.name} | {compared['pairs']} | {' | '.join(moved)} | {found.word} "
              f"| {verdicts.decided(compared)} |", flush=True)  # fmt: skip
        if said.into:
            write(said.into / f"{folder.parent.name}.json", kept)


def encoded(found: Comparison) -> dict[str, Any]:
    """As telar ab --json prints it."""
    return {"word": found.word, **msgspec.to_builtins(found)}


def write(path: Path, kept: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=2) + b"\n")


if __name__ == "__main__":
    main()

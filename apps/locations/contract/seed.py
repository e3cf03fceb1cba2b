"""Makes seed.jsonl: 1,000 locations that no one has to look up, the same on every machine.

python seed.py          writes seed.jsonl
python seed.py --check  exits with 1 unless seed.jsonl is what it would write
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

FILE = Path(__file__).parent / "seed.jsonl"
SIZE = 1000
GOLDEN = 0.6180339887498949  # multiples of it spread evenly


def location(number: int) -> dict[str, object]:
    """The n-th, counted from 1."""
    return {
        "name": f"Place {number}",
        "description": f"Number {number} of a thousand places that are there to be asked for.",
        "latitude": round(number * GOLDEN % 1 * 180 - 90, 6),
        "longitude": round(number * number * GOLDEN % 1 * 360 - 180, 6),
    }


def content() -> str:
    lines = (json.dumps(location(n), separators=(",", ":")) for n in range(1, SIZE + 1))
    return "".join(f"{line}\n" for line in lines)


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        sys.exit(FILE.read_text(encoding="utf-8") != content())
    FILE.write_text(content(), encoding="utf-8")

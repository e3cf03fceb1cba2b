from __future__ import annotations

import json
from pathlib import Path

import pytest

from telar.databases import seed

ROOT = Path(__file__).parents[3]
FIELDS = seed.Movie.__struct_encode_fields__


@pytest.fixture
def databases() -> Path:
    return ROOT / "compose" / "databases"


@pytest.fixture
def contract(tmp_path: Path) -> Path:
    """The movies' schema with a seed whose films are easy to tell apart."""
    folder = tmp_path / "contract"
    folder.mkdir()
    schema = ROOT / "apps" / "movies" / "contract" / "mysql.sql"
    (folder / "mysql.sql").write_bytes(schema.read_bytes())
    lines = (json.dumps(_movie(n), ensure_ascii=False) for n in range(1, seed.SIZE + 1))
    (folder / "seed.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def _movie(number: int) -> dict[str, object]:
    """With a title beyond ASCII, a number beyond 32 bits, and nulls."""
    return {
        **dict.fromkeys(FIELDS),
        "title": f"Müller № {number} 映画 🎬",
        "rating": number % 100 / 10,
        "gross": 3_000_000_000 + number,
    }

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest

from telar.catalog.system import Data, read_systems

ROOT = Path(__file__).parents[3]
MOVIES = read_systems(ROOT / "apps")["movies"].data
assert MOVIES
FIELDS = list(json.loads(MOVIES.seed.read_bytes().splitlines()[0]))


@pytest.fixture
def databases() -> Path:
    return ROOT / "compose" / "databases"


@pytest.fixture
def movies(tmp_path: Path) -> Data:
    """The movies' schema with a seed whose films are easy to tell apart."""
    assert MOVIES
    folder = tmp_path / "movies"
    (folder / "contract").mkdir(parents=True)
    for name in ("system.toml", "contract/mysql.sql", "contract/postgresql.sql"):
        (folder / name).write_bytes((MOVIES.folder / name).read_bytes())
    lines = (json.dumps(_movie(n), ensure_ascii=False) for n in range(1, MOVIES.file.rows + 1))
    (folder / "contract" / "seed.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return msgspec.structs.replace(MOVIES, folder=folder)


def _movie(number: int) -> dict[str, object]:
    """With a title beyond ASCII, a number beyond 32 bits, and nulls."""
    return {
        **dict.fromkeys(FIELDS),
        "title": f"Müller № {number} 映画 🎬",
        "rating": number % 100 / 10,
        "gross": 3_000_000_000 + number,
    }

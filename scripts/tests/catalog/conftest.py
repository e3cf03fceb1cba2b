"""A copy of the repository's own catalogue, in which each test breaks one thing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
FILES = (
    "telar.toml",
    "apps/*/system.toml",
    "apps/*/contract/*.jsonl",
    "apps/*/contract/*.sql",
    "apps/*/*/variant.toml",
    "apps/*/load/*/*",
    "k6/workloads/*/*",
    "compose/databases/*/database.toml",
)


class Copy:
    def __init__(self, root: Path) -> None:
        self.root = root

    def edit(self, path: str, old: str, new: str) -> int:
        """Replaces the first `old` and gives the line where it stood."""
        file = self.root / path
        text = file.read_text(encoding="utf-8")
        assert old in text, f"{path} has no {old!r} any more: the test must change with it"
        file.write_text(text.replace(old, new, 1), encoding="utf-8")
        return text[: text.index(old)].count("\n") + 1


@pytest.fixture
def copy(tmp_path: Path) -> Copy:
    for source in (p for pattern in FILES for p in ROOT.glob(pattern)):
        target = tmp_path / source.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)
    return Copy(tmp_path)

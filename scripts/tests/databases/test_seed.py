from __future__ import annotations

from pathlib import Path

import pytest

from telar.databases import seed
from telar.errors import ConfigError


def replace_line(contract: Path, number: int, line: str) -> None:
    path = contract / "seed.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    lines[number - 1] = line
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_the_seed_is_read_in_its_order(contract: Path) -> None:
    movies = seed.read(contract)
    assert len(movies) == seed.SIZE == 999
    assert movies[0].title == "Müller № 1 映画 🎬"
    assert movies[998].gross == 3_000_000_999
    assert movies[0].certificate is None


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "Input data was truncated"),
        ('{"title": "No more"}', "missing required field `releasedYear`"),
        ('{"title": 1}', "Expected `str`, got `int`"),
        ('{"heading": "?"}', "unknown field `heading`"),
    ],
)
def test_a_line_that_is_no_movie_is_named(contract: Path, line: str, complaint: str) -> None:
    replace_line(contract, 7, line)
    with pytest.raises(ConfigError, match=rf"seed\.jsonl:7: .*{complaint}"):
        seed.read(contract)


def test_a_seed_of_another_size_is_refused(contract: Path) -> None:
    path = contract / "seed.jsonl"
    path.write_text(path.read_text(encoding="utf-8") * 2, encoding="utf-8")
    with pytest.raises(ConfigError, match="has 1998 lines; the workloads expect 999 movies"):
        seed.read(contract)


def test_a_contract_without_a_seed_says_so(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"seed\.jsonl: can't be read"):
        seed.read(tmp_path)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1, "650000000000000000000001"),
        (10, "65000000000000000000000a"),
        (999, "6500000000000000000003e7"),
    ],
)
def test_object_ids_of_the_seed_count_in_hexadecimal(number: int, expected: str) -> None:
    assert seed.mongodb_id(number) == expected

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from telar.catalog.system import Data
from telar.databases import rows
from telar.errors import ConfigError


def replace_line(data: Data, number: int, line: str) -> None:
    lines = data.seed.read_text(encoding="utf-8").splitlines()
    lines[number - 1] = line
    data.seed.write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_the_seed_is_read_in_its_order(movies: Data) -> None:
    found = rows.read(movies)
    assert len(found) == movies.file.rows == 999
    assert found[0]["title"] == "Müller № 1 映画 🎬"
    assert found[998]["gross"] == 3_000_000_999
    assert found[0]["certificate"] is None


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("{", "Input data was truncated"),
        ('["No more"]', "Expected `object`, got `array`"),
        ('{"title": "No more"}', "its fields differ from line 1's in certificate, director"),
    ],
)
def test_a_line_that_is_no_row_like_the_first_is_named(movies: Data, line: str, complaint: str) -> None:
    replace_line(movies, 7, line)
    with pytest.raises(ConfigError, match=rf"seed\.jsonl:7: .*{complaint}"):
        rows.read(movies)


def test_a_seed_of_another_size_is_refused(movies: Data) -> None:
    movies.seed.write_text(movies.seed.read_text(encoding="utf-8") * 2, encoding="utf-8")
    with pytest.raises(ConfigError, match="has 1998 lines, not 999"):
        rows.read(movies)


def test_data_without_a_seed_says_so(movies: Data, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"seed\.jsonl: can't be read"):
        rows.read(msgspec.structs.replace(movies, folder=tmp_path))


@pytest.mark.parametrize(
    ("field", "expected"),
    [("title", "title"), ("releasedYear", "released_year"), ("star1", "star1"), ("posterUrl", "poster_url")],
)
def test_a_column_is_its_field_in_snake_case(field: str, expected: str) -> None:
    assert rows.column(field) == expected

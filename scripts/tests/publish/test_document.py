"""Tables in documents stand between their marks, and are those that the commands would write."""

from __future__ import annotations

from pathlib import Path

import pytest

from telar.catalog.types import Catalog
from telar.errors import ConfigError
from telar.publish import document
from telar.publish.calibration import markdown
from telar.store import floors

ROOT = Path(__file__).parents[3]
TEXT = "# One\n\n<!-- a: begin -->\nold\n<!-- a: end -->\n\n<!-- b: begin -->\n<!-- b: end -->\nend\n"


def test_only_what_stands_between_the_marks_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "d.md"
    path.write_text(TEXT)
    document.replace(path, "a", "new\n\n")
    document.replace(path, "b", "| x |")
    expected = TEXT.replace("old", "new").replace("<!-- b: begin -->\n", "<!-- b: begin -->\n| x |\n")
    assert path.read_text() == expected


@pytest.mark.parametrize("text", ["", "<!-- a: begin -->\n", "<!-- a: end -->\n<!-- a: begin -->\n"])
def test_a_document_without_the_marks_is_left_as_it_is(text: str, tmp_path: Path) -> None:
    path = tmp_path / "d.md"
    path.write_text(text)
    with pytest.raises(ConfigError, match="no marks"):
        document.replace(path, "a", "new")
    assert path.read_text() == text


def test_the_page_of_noise_shows_the_floors_that_are_kept(catalog: Catalog) -> None:
    kept = floors.read(ROOT / "benchmarks-data" / floors.FLOORS)
    assert kept.calibrations
    assert markdown(catalog, kept.calibrations) in (ROOT / "docs" / "noise.md").read_text(encoding="utf-8")

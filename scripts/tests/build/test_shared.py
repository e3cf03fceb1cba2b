"""Sources that several apps share: one file, compiled into each of them."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from telar.build import maven
from telar.catalog.load import load
from telar.catalog.types import Catalog

from ..store.records import CELL

ROOT = Path(__file__).parents[3]
MOVIES = ROOT / "apps" / "movies"


@pytest.fixture
def catalog(tmp_path: Path) -> Catalog:
    for name in ("apps", "compose", "k6"):
        ignored = shutil.ignore_patterns("target", "node_modules")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    shutil.copy2(ROOT / "telar.toml", tmp_path)
    return load(tmp_path)


def keys(catalog: Catalog) -> dict[str, str]:
    cells = {v: msgspec.structs.replace(CELL, variant=v, drivers={}) for v in catalog.variants}
    return {v: maven.artifact_folder(catalog, maven.build_of(catalog, c)).name for v, c in cells.items()}


@pytest.mark.parametrize("part", sorted(p.name for p in (MOVIES / "shared").iterdir() if p.is_dir()))
def test_a_change_of_shared_sources_builds_just_the_apps_that_compile_them(
    catalog: Catalog, part: str
) -> None:
    before = keys(catalog)
    source = next((catalog.apps / "movies" / "shared" / part).rglob("*.java"))
    source.write_text(source.read_text() + "// changed\n")
    after = keys(catalog)
    changed = {v for v in before if before[v] != after[v]}
    named = {v for v, own in catalog.variants.items()
             if f"../shared/{part}/java" in own.app.file.build.sources}  # fmt: skip
    assert changed == named | {v for v in before if set(part.split("-")) <= set(v.split("-"))}
    assert changed


def test_no_two_apps_hold_a_copy_of_one_source() -> None:
    """But for what starts an app: that stands in each."""
    sources = [p for p in MOVIES.glob("*/src/main/java/**/*.java") if p.name != "MoviesApplication.java"]
    contents = Counter(p.read_bytes() for p in sources)
    copies = sorted(str(p.relative_to(MOVIES)) for p in sources if contents[p.read_bytes()] > 1)
    assert not copies, f"move it to apps/movies/shared/: {copies}"


def test_an_apps_pom_names_the_shared_sources_that_its_name_says() -> None:
    for pom in MOVIES.glob("*/pom.xml"):
        _, database, model = pom.parent.name.split("-")
        text = pom.read_text()
        assert f"<app.database>{database}</app.database>" in text
        assert f"<app.model>{model}</app.model>" in text

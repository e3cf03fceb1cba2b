"""The artefacts of many cells: each built once, two at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from telar.build import maven
from telar.catalog.types import Catalog
from telar.plan.cells import Cell
from telar.tools import components


def prepare(catalog: Catalog, cells: Iterable[Cell], say: Callable[[str], None]) -> dict[str, Path]:
    """Cell name -> its run directory, built if it wasn't there."""
    builds = {cell.name: maven.build_of(catalog, cell) for cell in cells if not cell.image}
    folders = {name: maven.artifact_folder(catalog, build) for name, build in builds.items()}
    distinct = {folders[name]: build for name, build in builds.items()}
    if not all(folder.exists() for folder in distinct):
        for tool in ("maven", "jdk"):  # once, before two builds ask for them
            components.ensure(tool, say)
    with ThreadPoolExecutor(max_workers=2) as pool:
        list(pool.map(lambda item: maven.ensure(catalog, item[1], item[0], say), distinct.items()))
    return folders

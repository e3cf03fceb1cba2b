"""The pages, built from site/: once for each content of it."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from pathlib import Path

from telar.errors import MissingToolError
from telar.tools import components, shell

INPUTS = ("site", "benchmarks-data/schema")
SKIPPED = {"node_modules", "dist", "tests"}
KEPT = "index.html"


def build(root: Path, say: Callable[[str], None]) -> Path:
    """The folder with the built pages. Raises MissingToolError without Node.js, CommandError when the build
    fails.
    """
    folder = root / ".telar" / "site" / _digest(root)
    if (folder / KEPT).exists():
        return folder
    if components.find("node") is None or shutil.which("npm") is None:
        raise MissingToolError(
            "no Node.js with npm on PATH, which builds the pages", hint="Debian: apt install npm"
        )
    say("building the pages")
    site, log = root / "site", root / ".telar" / "logs" / "site.log"
    install(site, log)
    shell.run(["npm", "run", "--silent", "build"], cwd=site, log=log)
    aside = folder.with_name(f"{folder.name}.new")
    shutil.rmtree(aside, ignore_errors=True)
    shutil.copytree(site / "dist", aside)
    aside.rename(folder)
    return folder


def install(site: Path, log: Path) -> None:
    """What package-lock.json says, when it isn't there."""
    lock, installed = site / "package-lock.json", site / "node_modules" / ".package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        shell.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=site, log=log)


def into(built: Path, folder: Path) -> None:
    """The pages into a folder, beside the data that may be there; what older pages left there goes."""
    shutil.rmtree(folder / "assets", ignore_errors=True)
    shutil.copytree(built, folder, dirs_exist_ok=True)


def _digest(root: Path) -> str:
    found = hashlib.sha256()
    for name in INPUTS:
        for path in sorted((root / name).rglob("*")):
            inside = path.relative_to(root)
            if path.is_file() and not SKIPPED.intersection(inside.parts):
                found.update(f"{inside}\0{path.stat().st_size}\0".encode())
                found.update(path.read_bytes())
    return found.hexdigest()[:16]

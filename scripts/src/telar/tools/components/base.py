"""What a component is, and how each file of this folder describes one."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from telar.tools import shell
from telar.tools.folders import make_once

SERVER_FOLDER = "/usr/sbin"  # where Debian puts servers; not on a user's PATH

Say = Callable[[str], None]  # tells the user what takes long


@dataclass(frozen=True, kw_only=True)
class Component:
    """A tool or server that this machine has."""

    name: str
    version: str
    path: Path  # its executable; of a JDK or JRE the home directory
    origin: Literal["system", "cache"]  # found on the machine, or set up by Telar


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """How a component is found and, where that's possible, set up."""

    name: str
    purpose: str  # what Telar uses it for
    remedy: str  # what to do when it's missing and can't be set up
    find: Callable[[], Component | None]  # looks on this machine only, at once
    install: Callable[[Say], object] | None = None  # sets it up so that `find` finds it


def home() -> Path:
    """Where Telar keeps what it set up: TELAR_CACHE, else ~/.cache/telar."""
    return Path(os.environ.get("TELAR_CACHE") or Path.home() / ".cache" / "telar")


def cached(name: str, version: str, executable: str) -> Component | None:
    """The component as `install_cached` left it; `executable` is relative to its folder."""
    path = _folder(name, version) / executable
    version = version.partition("+")[0]
    if not path.exists():
        return None
    return Component(name=name, version=version, path=path, origin="cache")


def install_cached(name: str, version: str, fill: Callable[[Path], None]) -> Path:
    """The component's own folder, filled by `fill` unless it's there already.

    A version may end in `+…`, a digest of what it is built from: a new one is a new folder.
    """
    return make_once(_folder(name, version), fill)


def on_path(name: str, command: str, *arguments: str, minimum: str = "0") -> Component | None:
    """`command` on PATH when it's at least `minimum`; `arguments` make it print its version."""
    path = shell.which(command) or shell.which(command, SERVER_FOLDER)
    if path is None:
        return None
    try:
        said = shell.run([path, *arguments], timeout=20, quiet=True).stdout
    except shell.CommandError:
        return None
    version = first_version(said)
    if version is None or numbers(version) < numbers(minimum):
        return None
    return Component(name=name, version=version, path=path, origin="system")


def first_version(text: str) -> str | None:
    """The first thing in `text` that looks like a version of two numbers or more."""
    match = re.search(r"\d+(?:\.\d+)+", text)
    return match.group() if match else None


def numbers(version: str) -> tuple[int, ...]:
    """A version's leading numbers, to compare by: `3.9.12-beta` is (3, 9, 12)."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(n) for n in match.group().split(".")) if match else ()


def _folder(name: str, version: str) -> Path:
    return home() / "components" / f"{name}-{version}"

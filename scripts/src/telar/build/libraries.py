"""The libraries in which two applications differ, by the jars that they were started with."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

PACKED = "BOOT-INF/lib/"  # where Spring Boot's jar has them
BESIDE = "lib/**/*.jar"  # where its unpacked one has them, and Quarkus'
NOT_THERE = "none"
_NAME = re.compile(r"(.+?)-(\d.*)\.jar")  # artifact and version
_NEWER = re.compile(r"META-INF/versions/\d+/")  # classes for newer JDKs


class Libraries(NamedTuple):
    """`names`: one of each that differs, as `re2j 1.5 → 1.1`. `classes`: theirs, as `a.b.Class`, of either
    side.
    """

    names: tuple[str, ...]
    classes: frozenset[str]


class _Library(NamedTuple):
    file: str
    content: bytes


def differing(base: Iterable[Path], head: Iterable[Path]) -> Libraries:
    """Of two applications, each by its own jars (run/http/profiled.py). One that can't be read has none."""
    one, other = (frozenset(_libraries(jars)) for jars in (base, head))
    versions: dict[str, list[str]] = {}
    for at, own in enumerate((one - other, other - one)):
        for library in own:
            artifact, version = _split(library.file)
            versions.setdefault(artifact, [NOT_THERE, NOT_THERE])[at] = version
    return Libraries(
        tuple(f"{artifact} {' → '.join(both)}" for artifact, both in sorted(versions.items())),
        frozenset(name for library in one ^ other for name in _classes(library.content)),
    )


def _libraries(jars: Iterable[Path]) -> Iterator[_Library]:
    for jar in jars:
        try:
            for beside in jar.parent.glob(BESIDE):
                yield _Library(beside.name, beside.read_bytes())
            with zipfile.ZipFile(jar) as content:
                for name in content.namelist():
                    if name.startswith(PACKED) and name.endswith(".jar"):
                        yield _Library(name.removeprefix(PACKED), content.read(name))
        except (OSError, zipfile.BadZipFile):
            continue


def _split(file: str) -> tuple[str, str]:
    found = _NAME.fullmatch(file)
    return (found.group(1), found.group(2)) if found else (file, "another")


def _classes(jar: bytes) -> Iterator[str]:
    try:
        with zipfile.ZipFile(io.BytesIO(jar)) as content:
            names = [_NEWER.sub("", name) for name in content.namelist()]
    except zipfile.BadZipFile:
        return
    for path in map(PurePosixPath, names):
        if path.suffix == ".class":
            yield ".".join(path.with_suffix("").parts)

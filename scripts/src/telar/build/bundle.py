"""What one machine built, handed to another in one file: run directories, and the images made of them.

Whoever made the file may have been a stranger's code (a pull request's build runs it), so it decides nothing:
which names there may be follows from this checkout's plan, every path stays where it belongs, and an image
comes in without a name and gets the one that was asked for. Raises Refused where a file holds anything else.
"""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import tarfile
import tempfile
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import IO, Annotated, Any

import msgspec

from telar.build import bake, maven
from telar.catalog.types import Catalog
from telar.errors import ConfigError, Refused
from telar.plan.cells import Cell
from telar.store.files import write_atomically
from telar.tools import shell
from telar.tools.folders import make_once

MANIFEST, IMAGES = "manifest.json", "images.tar"
FILES, BYTES, WORDS = 20_000, 8 * 10**9, 10**6  # at most: files, all of them, those that are read as a whole
_BLOB = re.compile(r"blobs/sha256/([0-9a-f]{64})")
_ID = re.compile(r"sha256:[0-9a-f]{64}")
Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
Say = Callable[[str], None]


class Manifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: int
    artifacts: dict[str, Digest]  # a run directory's name -> the digest of its files
    images: tuple[str, ...]  # tags


def save(catalog: Catalog, cells: Iterable[Cell], file: Path, say: Say, *, images: bool) -> Manifest:
    """Writes what these cells need, which must have been built."""
    folders, wanted = _needed(catalog, cells)
    tags = sorted(wanted) if images else []
    manifest = Manifest(
        format=1,
        artifacts={name: maven.digest(folder) for name, folder in folders.items()},
        images=tuple(tags),
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="telar-bundle-", dir=file.parent) as scratch:
        aside = Path(scratch) / "bundle"
        with tarfile.open(aside, "w") as tar:
            _add(tar, MANIFEST, msgspec.json.encode(manifest))
            for name, folder in folders.items():
                tar.add(folder, f"artifacts/{name}", filter=_plain)
            if tags:
                saved = Path(scratch) / IMAGES
                shell.run(["docker", "save", "--output", saved, *tags], timeout=900)
                tar.add(saved, IMAGES, filter=_plain)
        aside.replace(file)
    say(f"{file}: {len(folders)} artefacts, {len(tags)} images, {file.stat().st_size / 1e6:,.0f} MB")
    return manifest


def load(catalog: Catalog, cells: Iterable[Cell], file: Path, say: Say, *, images: bool) -> Manifest:
    """Takes from the file what these cells need. Raises Refused when it holds anything else, or less.

    Without `images` it may hold none: two sides whose images are built here have the same base image.
    """
    folders, wanted = _needed(catalog, cells)
    with tempfile.TemporaryDirectory(prefix="telar-bundle-") as scratch:
        unpacked = _unpacked(file, Path(scratch) / "bundle")
        manifest = _manifest(unpacked)
        _require(manifest.artifacts.keys() == folders.keys(), "it holds other artefacts than were asked for")
        asked = wanted.keys() if images else set()
        _require(set(manifest.images) <= asked, "it holds images that weren't asked for")
        there = {str(p.relative_to(unpacked)) for p in (*unpacked.iterdir(), *unpacked.glob("artifacts/*"))}
        named = {MANIFEST, "artifacts", *(f"artifacts/{name}" for name in folders), *[IMAGES] * images}
        _require(there <= named, "it holds something that wasn't asked for")
        for name, folder in folders.items():
            found = unpacked / "artifacts" / name
            _require(found.is_dir(), "an artefact that it names isn't there")
            _require(maven.digest(found) == manifest.artifacts[name], "an artefact isn't what it says")
            make_once(folder, partial(_move, found))
        if manifest.images:
            ids = _load_images(unpacked / IMAGES, manifest.images, Path(scratch) / "images")
            given = bake.given(catalog.root) | ids
            write_atomically(bake.given_file(catalog.root), msgspec.json.encode(given))
    say(f"{file}: {len(folders)} artefacts, {len(manifest.images)} images taken")
    return manifest


def _needed(catalog: Catalog, cells: Iterable[Cell]) -> tuple[dict[str, Path], dict[str, bake.Image]]:
    """Run directories by their names, images by their tags."""
    folders: dict[str, Path] = {}
    images: dict[str, bake.Image] = {}
    for cell in cells:
        if cell.image:
            raise ConfigError(f"{cell.name} runs the image {cell.image}: there is nothing built of it")
        folder = maven.artifact_folder(catalog, maven.build_of(catalog, cell))
        folders[folder.name] = folder
        image = bake.image_of(catalog, cell, folder)
        images[image.tag] = image
    return folders, images


# ---- reading what a stranger may have written


def _unpacked(file: Path, folder: Path) -> Path:
    """The file's contents: files and folders with plain paths, each once, none too large."""
    folder.mkdir(parents=True)
    seen: set[str] = set()
    size = 0
    try:
        with tarfile.open(file, "r:") as tar:
            for member in tar:
                name = member.name.removeprefix("./")
                size += member.size
                _require(member.isreg() or member.isdir(), "it holds something that is no file or folder")
                _require(not name.startswith("/"), "a path in it leaves its folder")
                _require(name not in seen, "it holds a name twice")
                _require(len(seen) < FILES and size <= BYTES, "it is too large")
                seen.add(name)
                tar.extract(member, folder, filter="data")  # refuses what leaves the folder
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not file.exists():
            raise ConfigError(f"{file}: there is no such file") from error
        raise Refused("it can't be unpacked") from error
    except (tarfile.TarError, EOFError, ValueError) as error:
        raise Refused("it isn't a whole tar file, or a path in it leaves its folder") from error
    return folder


def _manifest(folder: Path) -> Manifest:
    path = folder / MANIFEST
    _require(path.is_file() and path.stat().st_size <= WORDS, "it has no manifest")
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused("its manifest isn't one of this version") from error
    _require(found.format == 1, "its manifest isn't one of this version")
    return found


def _load_images(archive: Path, tags: Iterable[str], scratch: Path) -> dict[str, str]:
    """Loads each image without any name that the archive gives it; tag -> id."""
    _require(archive.is_file(), "the images that it names aren't there")
    layout = _unpacked(archive, scratch / "layout")
    listing = layout / MANIFEST
    _require(listing.is_file() and listing.stat().st_size <= WORDS, "its images have no list")
    try:
        listed = msgspec.json.decode(listing.read_bytes(), type=list[dict[str, Any]])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Refused("the list of its images can't be read") from error
    by_tag = {tag: entry for entry in listed for tag in entry.get("RepoTags") or () if isinstance(tag, str)}
    ids = {}
    for tag in tags:
        _require(tag in by_tag, "an image that it names isn't there")
        ids[tag] = _load_image(layout, by_tag[tag], tag, scratch / "one.tar")
    return ids


def _load_image(layout: Path, entry: dict[str, Any], tag: str, scratch: Path) -> str:
    layers = entry.get("Layers")
    _require(isinstance(layers, list) and bool(layers), "an image in it has no layers")
    config, layers = _blob(layout, entry.get("Config")), [_blob(layout, each) for each in layers or ()]
    own = [{"Config": config, "RepoTags": None, "Layers": layers}]
    with tarfile.open(scratch, "w") as tar:
        for name in dict.fromkeys([config, *layers]):
            tar.add(layout / name, name, filter=_plain)
        _add(tar, MANIFEST, msgspec.json.encode(own))
    said = shell.run(["docker", "load", "--input", scratch], timeout=900).stdout
    found = _ID.findall(said)
    _require(len(found) == 1, "an image in it can't be loaded")
    shell.run(["docker", "tag", found[0], tag], quiet=True)
    return bake.image_id(tag)


def _blob(layout: Path, name: object) -> str:
    """A path of the layout, whose content is what its name says."""
    match = _BLOB.fullmatch(name) if isinstance(name, str) else None
    if match is None:
        raise Refused("an image in it names a file as none is named")
    path = layout / match[0]
    _require(path.is_file(), "a layer of an image isn't there")
    with path.open("rb") as file:
        _require(hashlib.file_digest(file, "sha256").hexdigest() == match[1], "a layer isn't what it says")
    return match[0]


def _move(found: Path, fresh: Path) -> None:
    shutil.copytree(found, fresh, dirs_exist_ok=True)


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Nobody's, and of no time: the same content is the same file."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = 0
    return member


def _add(tar: tarfile.TarFile, name: str, content: bytes) -> None:
    member = tarfile.TarInfo(name)
    member.size = len(content)
    stream: IO[bytes] = io.BytesIO(content)
    tar.addfile(member, stream)


def _require(holds: bool, reason: str) -> None:
    if not holds:
        raise Refused(f"the bundle can't be taken: {reason}")

"""What another machine built is taken for what was asked for, or refused: it may be a stranger's."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.build import bake, bundle, maven
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.errors import ConfigError, Refused

from ..store.records import CELL

ROOT = Path(__file__).parents[3]
OTHER = msgspec.structs.replace(CELL, variant="quarkus-mysql-blocking-virtual")


def catalog_in(root: Path) -> Catalog:
    root.mkdir()
    for name in ("apps", "compose", "k6", "telar.toml"):
        (root / name).symlink_to(ROOT / name)
    return load(root)


@pytest.fixture
def maker(tmp_path: Path) -> Catalog:
    """A checkout whose artefact was built."""
    catalog = catalog_in(tmp_path / "maker")
    folder = maven.artifact_folder(catalog, maven.build_of(catalog, CELL))
    (folder / "lib").mkdir(parents=True)
    (folder / "app.jar").write_bytes(b"app")
    (folder / "lib" / "driver.jar").write_bytes(b"driver")
    return catalog


@pytest.fixture
def taker(tmp_path: Path) -> Catalog:
    return catalog_in(tmp_path / "taker")


@pytest.fixture
def file(maker: Catalog, tmp_path: Path) -> Path:
    path = tmp_path / "bundle.tar"
    bundle.save(maker, [CELL], path, print, images=False)
    return path


def folder_of(catalog: Catalog) -> Path:
    return maven.artifact_folder(catalog, maven.build_of(catalog, CELL))


def nothing_taken(catalog: Catalog) -> bool:
    return not folder_of(catalog).exists() and not bake.given_file(catalog.root).exists()


def test_what_was_built_is_there_on_the_other_side(maker: Catalog, taker: Catalog, file: Path) -> None:
    bundle.load(taker, [CELL], file, print, images=False)
    assert maven.digest(folder_of(taker)) == maven.digest(folder_of(maker))
    bundle.load(taker, [CELL], file, print, images=False)  # and again


def test_the_same_content_is_the_same_file(maker: Catalog, file: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.tar"
    bundle.save(maker, [CELL], again, print, images=False)
    assert again.read_bytes() == file.read_bytes()


def test_only_what_was_asked_for_is_taken(taker: Catalog, file: Path) -> None:
    for asked in ([OTHER], [CELL, OTHER]):
        with pytest.raises(Refused, match="other artefacts"):
            bundle.load(taker, asked, file, print, images=False)
    assert nothing_taken(taker)


def test_a_file_that_is_not_there_is_the_callers_mistake(taker: Catalog, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no such file"):
        bundle.load(taker, [CELL], tmp_path / "none.tar", print, images=False)


def test_a_given_image_has_nothing_that_was_built(maker: Catalog, tmp_path: Path) -> None:
    cell = msgspec.structs.replace(CELL, image="acme/shop:1")
    with pytest.raises(ConfigError, match="nothing built"):
        bundle.save(maker, [cell], tmp_path / "b.tar", print, images=False)


Change = Callable[[list[tuple[tarfile.TarInfo, bytes]]], list[tuple[tarfile.TarInfo, bytes]]]


def entry(name: str, content: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "") -> Any:
    member = tarfile.TarInfo(name)
    member.type, member.size, member.linkname = kind, len(content), link
    return member, content


def with_manifest(**changes: Any) -> Change:
    def change(entries: list[tuple[tarfile.TarInfo, bytes]]) -> list[tuple[tarfile.TarInfo, bytes]]:
        manifest = {**json.loads(entries[0][1]), **changes}
        return [entry(bundle.MANIFEST, json.dumps(manifest).encode()), *entries[1:]]

    return change


HOSTILE: dict[str, tuple[Change, str]] = {
    "a path that leaves": (lambda e: [*e, entry("../../outside", b"x")], "leaves its folder"),
    "an absolute path": (lambda e: [*e, entry("/tmp/outside", b"x")], "leaves its folder"),
    "one more file beside": (lambda e: [*e, entry("more", b"x")], "asked for"),
    "one more artefact": (lambda e: [*e, entry("artifacts/more/x.jar", b"x")], "asked for"),
    "a symbolic link": (lambda e: [*e, entry("l", kind=tarfile.SYMTYPE, link="/etc/passwd")], "no file"),
    "a hard link": (lambda e: [*e, entry("l", kind=tarfile.LNKTYPE, link="manifest.json")], "no file"),
    "a device": (lambda e: [*e, entry("null", kind=tarfile.CHRTYPE)], "no file"),
    "a name twice": (lambda e: [*e, entry(bundle.MANIFEST, b"{}")], "twice"),
    "a name twice, said otherwise": (lambda e: [*e, entry(f"./{bundle.MANIFEST}", b"{}")], "twice"),
    "another content": (
        lambda e: [entry(m.name, b"worse" if m.name.endswith("app.jar") else c, m.type) for m, c in e],
        "isn't what it says",
    ),
    "one file more": (
        lambda e: [*e, entry(f"{next(m.name for m, _ in e if m.name.endswith('lib'))}/more.jar", b"x")],
        "isn't what it says",
    ),
    "no manifest": (lambda e: e[1:], "no manifest"),
    "a manifest that is none": (lambda e: [entry(bundle.MANIFEST, b"[" * 10_000), *e[1:]], "isn't one"),
    "a manifest of another version": (with_manifest(format=2), "isn't one"),
    "a manifest with more in it": (with_manifest(more=1), "isn't one"),
    "an artefact by another name": (with_manifest(artifacts={"../../x": "a" * 64}), "other artefacts"),
    "an image asked for": (with_manifest(images=["mysql:9.7.4"]), "weren't asked for"),
    "images that are not there": (lambda e: [*with_manifest(images=[TAG])(e)], "aren't there"),
    "images that are no archive": (
        lambda e: [*with_manifest(images=[TAG])(e), entry(bundle.IMAGES, b"x" * 600)],
        "isn't a whole tar file",
    ),
}
TAG = ""  # of the cell's image; set below, since it needs the catalogue


@pytest.mark.parametrize("name", HOSTILE)
def test_anything_else_is_refused_and_leaves_nothing(
    name: str, taker: Catalog, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "TAG", bake.image_of(taker, CELL, folder_of(taker)).tag)
    change, reason = HOSTILE[name]
    with tarfile.open(file) as tar:
        entries = [(m, tar.extractfile(m).read() if m.isreg() else b"") for m in tar]  # type: ignore[union-attr]
    spoilt = tmp_path / "spoilt.tar"
    with tarfile.open(spoilt, "w") as tar:
        for member, content in change(entries):
            tar.addfile(member, io.BytesIO(content))
    with pytest.raises(Refused, match=reason):
        bundle.load(taker, [CELL], spoilt, print, images=True)
    assert nothing_taken(taker) or "image" in name
    assert not (tmp_path / "outside").exists()


def test_images_that_are_to_be_built_here_are_not_taken(taker: Catalog, file: Path, tmp_path: Path) -> None:
    """Both sides of a comparison get theirs on one base image, and not the one that a stranger chose."""
    tag = bake.image_of(taker, CELL, folder_of(taker)).tag
    spoilt = tmp_path / "spoilt.tar"
    with tarfile.open(file) as old, tarfile.open(spoilt, "w") as new:
        for member in old:
            content = old.extractfile(member).read() if member.isreg() else b""  # type: ignore[union-attr]
            if member.name == bundle.MANIFEST:
                content = json.dumps(json.loads(content) | {"images": [tag]}).encode()
                member.size = len(content)
            new.addfile(member, io.BytesIO(content))
    with pytest.raises(Refused, match="images that weren't asked for"):
        bundle.load(taker, [CELL], spoilt, print, images=False)
    assert nothing_taken(taker)


@pytest.mark.parametrize("length", [0, 1, 511, 513, 2_000])
def test_a_file_that_was_cut_short_is_refused(length: int, taker: Catalog, file: Path) -> None:
    file.write_bytes(file.read_bytes()[:length])
    with pytest.raises(Refused):
        bundle.load(taker, [CELL], file, print, images=False)
    assert nothing_taken(taker)


def test_more_files_than_there_ever_are_are_refused(
    taker: Catalog, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bundle, "FILES", 3)
    with pytest.raises(Refused, match="too large"):
        bundle.load(taker, [CELL], file, print, images=False)


# ---- images' archives, as far as nothing is loaded


def archive(path: Path, listing: Any, blobs: dict[str, bytes]) -> Path:
    with tarfile.open(path, "w") as tar:
        for name, content in {**blobs, "manifest.json": json.dumps(listing).encode()}.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


BLOB = f"blobs/sha256/{'0' * 64}"


@pytest.mark.parametrize(
    ("listing", "blobs", "reason"),
    [
        ([], {}, "isn't there"),
        ([{"RepoTags": ["x:1"], "Config": "../config", "Layers": [BLOB]}], {}, "as none is named"),
        ([{"RepoTags": ["x:1"], "Config": BLOB, "Layers": []}], {}, "no layers"),
        ([{"RepoTags": ["x:1"], "Config": BLOB, "Layers": [BLOB]}], {}, "isn't there"),
        ([{"RepoTags": ["x:1"], "Config": BLOB, "Layers": [BLOB]}], {BLOB: b"x"}, "isn't what it says"),
        ("nothing", {}, "can't be read"),
    ],
)
def test_an_images_files_are_what_their_names_say(
    listing: Any, blobs: dict[str, bytes], reason: str, tmp_path: Path
) -> None:
    path = archive(tmp_path / "images.tar", listing, blobs)
    with pytest.raises(Refused, match=reason):
        bundle._load_images(path, ["x:1"], tmp_path / "scratch")

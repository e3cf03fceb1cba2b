"""Images into a registry: the ones that are measured, and the digests that are attested."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from telar.build import bake
from telar.catalog.load import load
from telar.catalog.types import Catalog
from telar.errors import BuildError
from telar.tools import shell

from .registry import registry

ROOT = Path(__file__).resolve().parents[3]
pytestmark = pytest.mark.docker


@pytest.fixture
def built(tmp_path: Path) -> Iterator[tuple[Catalog, bake.Image]]:
    """An image of one file, by the name that this build would have."""
    artifact = tmp_path / "spring-test-push-abc"
    artifact.mkdir()
    (artifact / "Dockerfile").write_text("FROM scratch\nCOPY app.jar /\n", encoding="utf-8")
    (artifact / "app.jar").write_text("not a jar", encoding="utf-8")
    image = bake.Image(build="spring-test-push", jdk="25", artifact=artifact, drivers={}, stage="spring")
    shell.run(["docker", "build", "--tag", image.tag, artifact])
    (tmp_path / ".telar" / "logs").mkdir(parents=True)
    yield msgspec.structs.replace(load(ROOT), root=tmp_path), image
    shell.run(["docker", "image", "rm", "--force", image.tag])


def test_the_image_that_was_built_is_pushed_and_its_digests_written(
    built: tuple[Catalog, bake.Image], tmp_path: Path
) -> None:
    catalog, image = built
    with registry() as own:
        # GitHub's registry refuses a name with a capital, and `github.repository` keeps the owner's.
        pushed = bake.push(catalog, [image], f"{own.name}/Acme/Shop", lambda _: None)
        bake.write_digests(pushed.values(), tmp_path / "digests.txt")
        one = pushed[image.tag]
        manifest = own.content[own.tags[f"acme/shop/{image.tag.removeprefix('telar/')}"]]
    assert one.name == f"{own.name}/acme/shop/{image.tag.removeprefix('telar/')}"
    assert one.digest == f"sha256:{hashlib.sha256(manifest).hexdigest()}"
    assert one.id == bake.image_id(image.tag)
    lines = [line.split("  ") for line in (tmp_path / "digests.txt").read_text().splitlines()]
    assert {tuple(line) for line in lines} == {
        (one.digest.removeprefix("sha256:"), one.name),
        (one.id.removeprefix("sha256:"), one.tag),
    }


def test_another_image_in_the_registry_is_noticed(
    built: tuple[Catalog, bake.Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    catalog, image = built
    monkeypatch.setattr(bake, "image_id", lambda _: f"sha256:{'0' * 64}")
    with registry() as own, pytest.raises(BuildError, match="isn't the image"):
        bake.push(catalog, [image], f"{own.name}/acme/shop", lambda _: None)

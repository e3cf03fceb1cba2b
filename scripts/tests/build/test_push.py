"""Images into a registry: by a name that every registry takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from telar.build import bake
from telar.catalog.load import load

ROOT = Path(__file__).resolve().parents[3]


def test_an_owner_with_capitals_is_written_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """GitHub's registry refuses a name with a capital, and `github.repository` keeps the owner's."""
    (tmp_path / ".telar" / "logs").mkdir(parents=True)
    names: dict[str, str] = {}

    def built(_: Any, batch: list[bake.Image], said: dict[str, str], options: list[str]) -> None:
        names.update(said)
        (metadata,) = (o.partition("=")[2] for o in options if o.startswith("--metadata-file="))
        found = {image.target: {"containerimage.digest": f"sha256:{'0' * 64}"} for image in batch}
        Path(metadata).write_bytes(msgspec.json.encode(found))

    monkeypatch.setattr(bake, "_bake", built)
    image = bake.Image(
        build="spring-mysql-blocking", jdk="25", artifact=tmp_path / "abc", drivers={}, stage="spring"
    )
    catalog = msgspec.structs.replace(load(ROOT), root=tmp_path)
    pushed = bake.push(catalog, [image], "ghcr.io/Acme/Shop", lambda _: None, attest=True)
    assert names[image.target].startswith("ghcr.io/acme/shop/")
    assert pushed[image.tag] == f"{names[image.target]}@sha256:{'0' * 64}"

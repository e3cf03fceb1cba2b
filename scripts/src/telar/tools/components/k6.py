"""k6, the load generator: as installed, or built with Go from the module in `k6/`."""

from __future__ import annotations

from telar.tools.components import golang
from telar.tools.components.base import Component, Recipe, cached, on_path

VERSION = "2.2.0"  # as in k6/go.mod


def find() -> Component | None:
    return on_path("k6", "k6", "version", minimum="2.2") or cached("k6", golang.pinned("k6", VERSION), "k6")


RECIPE = Recipe(
    name="k6",
    purpose="generates the load",
    remedy="install k6 2.2 or newer, or Go 1.25 or newer with which Telar builds k6",
    find=find,
    install=lambda say: golang.build("k6", VERSION, "go.k6.io/k6/v2", say),
)

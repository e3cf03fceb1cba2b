"""actionlint, which checks workflows: as installed, or built with Go from the module in `actionlint/`."""

from __future__ import annotations

from telar.tools.components import golang
from telar.tools.components.base import Component, Recipe, cached, on_path

VERSION = "1.7.12"  # as in actionlint/go.mod
PACKAGE = "github.com/rhysd/actionlint/cmd/actionlint"


def find() -> Component | None:
    return on_path("actionlint", "actionlint", "-version", minimum="1.7") or cached(
        "actionlint", golang.pinned("actionlint", VERSION), "actionlint"
    )


RECIPE = Recipe(
    name="actionlint",
    purpose="checks the workflows, in tests only",
    remedy="install actionlint 1.7 or newer, or Go 1.25 or newer with which Telar builds it",
    find=find,
    install=lambda say: golang.build("actionlint", VERSION, PACKAGE, say),
)

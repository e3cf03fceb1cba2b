"""FerretDB 1 on SQLite: MongoDB's protocol as one process, built with Go from `ferretdb/`."""

from __future__ import annotations

from telar.tools.components import golang
from telar.tools.components.base import Component, Recipe, cached

VERSION = "1.24.0"  # as in ferretdb/go.mod; FerretDB 2 needs PostgreSQL with an extension


def find() -> Component | None:
    return cached("ferretdb", golang.pinned("ferretdb", VERSION), "ferretdb")


RECIPE = Recipe(
    name="ferretdb",
    purpose="serves MongoDB's protocol to the embedded engine where there's no mongod",
    remedy="install Go 1.25 or newer with which Telar builds it, or a mongod",
    find=find,
    install=lambda say: golang.build("ferretdb", VERSION, ".", say),
)

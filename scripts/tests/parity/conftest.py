"""The catalogue of the tests that start every variant of a system once, to ask it and not to measure it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from telar.catalog.load import load
from telar.catalog.types import Catalog

# A contract's tests need no plugin, and loading all of them takes longer than most contracts.
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def soon_up(root: Path) -> Catalog:
    """The catalogue, in which a JVM spends no processor time on the second compiler, and records nothing."""
    catalog = load(root)
    jvm = msgspec.structs.replace(
        catalog.file.jvm, flags=(*catalog.file.jvm.flags, "-XX:TieredStopAtLevel=1"), recording=False
    )
    return msgspec.structs.replace(catalog, file=msgspec.structs.replace(catalog.file, jvm=jvm))

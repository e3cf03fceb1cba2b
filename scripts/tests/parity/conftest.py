"""For the tests that start every variant of a system once, to ask it and not to measure it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import msgspec

from telar.catalog.load import load
from telar.catalog.types import Catalog


def soon_up(root: Path) -> Catalog:
    """The catalogue, in which a JVM spends no processor time on the second compiler."""
    catalog = load(root)
    flags = (*catalog.file.jvm.flags, "-XX:TieredStopAtLevel=1")
    jvm = msgspec.structs.replace(catalog.file.jvm, flags=flags)
    return msgspec.structs.replace(catalog, file=msgspec.structs.replace(catalog.file, jvm=jvm))


def failures(contract: Path, base: str, **environment: str) -> str:
    """What pytest says of the tests in a contract's folder, asked of `base`; empty when all passed."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "pytest.ini"],
        cwd=contract,
        env={
            **os.environ,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # they need none, and loading all of them takes seconds
            "TELAR_BASE_URL": base,
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr if done.returncode else ""

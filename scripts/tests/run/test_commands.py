"""What a record keeps of a command."""

from __future__ import annotations

import os
from pathlib import Path

import psutil
import pytest

from telar.run.commands import command_line, kept
from telar.tools.components.base import home


def test_a_processs_command_line_is_what_the_kernel_has() -> None:
    assert list(command_line(os.getpid())) == psutil.Process().cmdline()


def test_the_places_of_this_machine_are_left_out_and_nothing_else() -> None:
    root = Path("/srv/checkout")
    words = (
        f"{home()}/jdk/bin/java",
        "-Xmx1g",
        f"-Xlog:gc:file={root}/.telar/gc.log",
        f"{root}-2/x",
        "/tmp/x",
    )
    assert kept(words, root) == (
        "$TELAR_CACHE/jdk/bin/java",
        "-Xmx1g",
        "-Xlog:gc:file=.telar/gc.log",
        "/srv/checkout-2/x",
        "/tmp/x",
    )


def test_a_cache_inside_the_checkout_is_still_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TELAR_CACHE", "/srv/checkout/cache")
    assert kept(["/srv/checkout/cache/java", "/srv/checkout/a"], Path("/srv/checkout")) == (
        "$TELAR_CACHE/java",
        "a",
    )

"""The program as the launcher starts it, in a checkout whose telar.toml a test may change."""

from __future__ import annotations

import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from telar import __main__
from telar.cli import common

ROOT = Path(__file__).parents[3]


class Said(NamedTuple):
    code: int
    out: str
    err: str


Telar = Callable[..., Said]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The repository's own files, but for telar.toml, which is a copy."""
    root = tmp_path / "checkout"
    root.mkdir()
    for name in ("apps", "compose", "k6", "site"):
        (root / name).symlink_to(ROOT / name)
    (root / "benchmarks-data").mkdir()
    (root / "benchmarks-data" / "schema").symlink_to(ROOT / "benchmarks-data" / "schema")
    shutil.copy(ROOT / "telar.toml", root)
    return root


@pytest.fixture
def telar(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Telar]:
    monkeypatch.setenv("TELAR_ROOT", str(checkout))
    monkeypatch.setattr(common.console, "_width", 150)  # also where pytest has a terminal
    monkeypatch.setattr(common.console, "stderr", False)  # whatever a command before said --json for
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def run(*arguments: str | Path) -> Said:
        monkeypatch.setattr(sys, "argv", ["telar", *map(str, arguments)])
        common.console.stderr = False  # as in a process of its own
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            __main__.entry()
        assert isinstance(ended.value.code, int)
        return Said(ended.value.code, *capsys.readouterr())

    yield run
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.fixture
def app_port(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Runs of their own: on other ports than telar.toml's, with another lock than the machine's."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with socket.create_server(("127.0.0.1", 0)) as app, socket.create_server(("127.0.0.1", 0)) as metrics:
        ports = [server.getsockname()[1] for server in (app, metrics)]
    toml = checkout / "telar.toml"
    text = toml.read_text().replace("app = 18080", f"app = {ports[0]}")
    toml.write_text(text.replace("metrics = 18081", f"metrics = {ports[1]}"))
    return int(ports[0])

"""Exit codes, and what a mistake is answered with: what is wrong, where, and what to do."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import click
import msgspec
import pytest

from telar import errors
from telar.cli.main import telar as group
from telar.store.files import Session

from ..store.records import CELL, plan, put, record
from .conftest import ROOT, Telar

FAMILIES = [f for f in errors.TelarError.__subclasses__() if f.__module__ == errors.__name__]


@pytest.mark.parametrize(
    ("line", "message", "hint"),
    [
        ("plna", "No such command 'plna'", "telar --help"),
        ("plan --nope", "No such option '--nope'", "telar plan --help"),
        ("plan --engine cloud", "'cloud' is not one of 'embedded', 'compose'", "telar plan --help"),
        ("plan --repeat 0", "0 is not in the range 1<=x<=1000", "telar plan --help"),
        ("list things", "'things' is not one of 'systems'", "telar list --help"),
        ("plan smok", "there is no suite 'smok'", "did you mean 'smoke'?"),
        ("plan --jdk 12", "there is no JDK '12'", "did you mean '"),
        ("plan --driver mysql", "--driver 'mysql': say NAME=VERSION", "e.g. mysql=8.0.33,9.7.0"),
        ("plan --driver mysql=1.2.3", "mysql=1.2.3: not a version in telar.toml", "add it there"),
        (
            "plan --only spring-mysql-blokking-virtual",
            "no variant matches 'spring-mysql-blokking-virtual'",
            "did you mean 'spring-mysql-blocking-virtual'?",
        ),
        ("run smok", "there is no suite 'smok'", "did you mean 'smoke'?"),
        ("run smoke --resume", "say nothing else with it", ""),
        ("images --only jre", "--only goes with --from debian", ""),
        ("images --from debian --only jer", "there is no image 'jer'", "'jre'"),
        ("store verfy", "No such command 'verfy'", "telar store --help"),
        ("store verify nowhere", "there is no folder nowhere", ""),
        ("test --only pyton", "there is no check 'pyton'", "did you mean 'python'?"),
    ],
)
def test_a_mistake_on_the_command_line_ends_with_2_and_a_hint(
    telar: Telar, line: str, message: str, hint: str
) -> None:
    said = telar(*line.split())
    assert said.code == 2
    first, _, rest = said.err.partition("\n")
    assert first.startswith("telar: ")
    assert message in first
    assert hint in rest
    assert "Traceback" not in said.err


def test_a_mistake_in_the_catalogue_ends_with_2_and_its_place(telar: Telar, checkout: Path) -> None:
    toml = checkout / "telar.toml"
    toml.write_text(toml.read_text().replace("repeat = 3", "repeet = 3"))
    said = telar("list")
    assert said.code == 2
    assert f"{toml}:" in said.err
    assert "unknown key 'repeet' in [suite.thesis]" in said.err
    assert "did you mean 'repeat'?" in said.err


def test_a_session_that_is_not_there_ends_with_2(telar: Telar, tmp_path: Path) -> None:
    said = telar("report", "--data", tmp_path / "none")
    assert (said.code, "telar run quickstart makes one" in said.err) == (2, True)
    Session.create(tmp_path / "data" / "20261121-080000-smoke", plan(CELL))
    said = telar("report", "other", "--data", tmp_path / "data")
    assert (said.code, "20261121-080000-smoke" in said.err) == (2, True)
    said = telar("report", "--data", tmp_path / "data")
    assert (said.code, "telar run --resume" in said.err) == (2, True)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda f: f.family)
def test_every_family_of_errors_ends_with_its_code_and_without_a_traceback(
    telar: Telar, monkeypatch: pytest.MonkeyPatch, family: type[errors.TelarError]
) -> None:
    def fail() -> None:
        raise family("it [broke] at /here", hint="mend it")

    monkeypatch.setitem(group.commands, "fail", click.Command("fail", callback=fail))
    assert telar("fail") == (family.exit_code, "", "telar: it [broke] at /here\n       mend it\n")


def test_what_nobody_raised_on_purpose_shows_where_it_came_from(
    telar: Telar, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(group.commands, "fail", click.Command("fail", callback=lambda: 1 / 0))
    with pytest.raises(ZeroDivisionError):
        telar("fail")


def test_a_port_in_use_ends_with_6_and_names_who_has_it(telar: Telar, tmp_path: Path, app_port: int) -> None:
    with socket.create_server(("127.0.0.1", app_port)):
        said = telar("run", "smoke", "--engine", "embedded", "--data", tmp_path / "data")
    assert said.code == 6
    assert f"port {app_port}, which every app needs, is taken by process {os.getpid()}" in said.err


def test_a_broken_record_ends_with_7_and_names_it(telar: Telar, tmp_path: Path) -> None:
    session = Session.create(tmp_path / "20261121-080000-smoke", plan(CELL))
    path = put(session, session.plan.runs[0], record())
    path.write_bytes(path.read_bytes()[:-100])
    said = telar("report", "--data", tmp_path)
    assert said.code == 7
    assert f"telar: {path}: " in said.err


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"variant": "spring-mysql-blocking-virtuel"},
            "there is no variant 'spring-mysql-blocking-virtuel' any",
        ),
        ({"workload": "movies-gone"}, "there is no workload 'movies-gone' any more"),
        ({"jdk": "17"}, "there is no JDK '17' any more"),
        ({"runner": "eight-cpu"}, "there is no runner 'eight-cpu' any more"),
        ({"layout": "pinned"}, "there is no layout 'pinned' any more"),
        ({"drivers": {"oracle": "1"}}, "there is no driver 'oracle' any more"),
        ({"drivers": {"mysql": "5.1.49"}}, "there is no version of mysql '5.1.49' any more"),
    ],
)
def test_a_plan_that_the_catalogue_has_outgrown_is_not_resumed(
    telar: Telar, tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    session = Session.create(
        tmp_path / "20261121-080000-smoke", plan(msgspec.structs.replace(CELL, **changes))
    )
    ended = telar("run", "--resume", "--data", tmp_path)
    assert ended.code == 2
    assert f"telar: {session.folder / 'plan.json'}: {said}" in ended.err


def test_markup_in_a_message_is_printed_as_it_is(telar: Telar) -> None:
    assert "there is no suite '[red]x[/nope]'" in telar("plan", "[red]x[/nope]").err


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_with_130_and_says_how_to_go_on(number: signal.Signals, tmp_path: Path) -> None:
    # A process of its own that waits where a run would: in a command that reads from a pipe.
    code = (
        "from telar import __main__\n"
        "from telar.cli import main\n"
        "import click\n"
        "@main.telar.command()\n"
        "def wait():\n"
        "    print('ready', flush=True)\n"
        "    input()\n"
        "import sys\n"
        "sys.argv = ['telar', 'wait']\n"
        "__main__.entry()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT / "scripts" / "src")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert f"stopped by {number.name}" in err
    assert "with --resume alone goes on" in err

"""Every command explains itself."""

from __future__ import annotations

import re
import shlex

import click
import pytest

from telar import __version__, errors
from telar.cli.main import telar as group

from .conftest import ROOT, Telar

COMMANDS = sorted(group.commands)


def examples(command: click.Command) -> list[str]:
    """The command lines below "Examples:" in a command's help and its own commands', less their remarks."""
    text = (command.help or "").partition("Examples:")[2]
    lines = [line.strip() for line in text.splitlines() if line.strip().startswith("telar ")]
    below = command.commands.values() if isinstance(command, click.Group) else ()
    return [*(re.split(r"\s{3,}", line)[0] for line in lines), *(e for each in below for e in examples(each))]


def command_of(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that is meant, and its arguments."""
    command: click.Command = group
    while isinstance(command, click.Group) and words:
        command, words = command.commands[words[0]], words[1:]
    return command, words


def test_the_commands_are_those_that_are_documented_here() -> None:
    assert COMMANDS == [
        "ab",
        "accept",
        "attribute",
        "bisect",
        "build",
        "calibrate",
        "check",
        "claims",
        "comment",
        "compact",
        "crossover",
        "detect",
        "doctor",
        "evaluate",
        "export",
        "images",
        "import",
        "list",
        "mcp",
        "plan",
        "publish",
        "regressions",
        "replay",
        "report",
        "run",
        "sabotage",
        "serve",
        "site",
        "store",
        "test",
        "watchdog",
        "why",
        "workflow",
    ]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_commands_help_has_an_example_of_it(name: str, telar: Telar) -> None:
    said = telar(name, "--help")
    assert said.code == 0
    assert f"telar {name}" in said.out.partition("Examples:")[2]
    assert said.err == ""


@pytest.mark.parametrize(
    "line", [pytest.param(line, id=line) for name in COMMANDS for line in examples(group.commands[name])]
)
def test_every_example_is_a_line_that_the_command_takes(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command, arguments = command_of(shlex.split(line)[1:])
    command.make_context(line, arguments)  # raises for what it doesn't know


def test_help_in_short_names_every_command_and_the_exit_codes(telar: Telar) -> None:
    said = telar("-h")
    assert said.code == 0
    assert all(f"\n  {name} " in said.out for name in COMMANDS)
    listed = dict(re.findall(r"(\d+) ([a-z ]+?) ?[·.]", " ".join(said.out.split("Exit codes:")[1].split())))
    families = errors.TelarError.__subclasses__()
    documented = {str(f.exit_code): f.family for f in families if f.__module__ == errors.__name__}
    assert listed == {"0": "fine", "1": "tests or a command failed", **documented}


def test_the_version_is_the_packages(telar: Telar) -> None:
    assert telar("--version").out == f"telar, version {__version__}\n"

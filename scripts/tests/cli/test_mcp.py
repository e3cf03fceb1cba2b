"""`telar mcp`: what agents may ask, and that it is the same as what people ask."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
import pytest
from mcp import Client, StdioServerParameters

from telar.cli import agents
from telar.cli.agents import CommandError, Say, server

ROOT = Path(__file__).parents[3]


class Telar:
    """In place of its commands: notes what is asked."""

    def __init__(self, answer: Any = None, fails: str = "") -> None:
        self.answer, self.fails = answer if answer is not None else {"word": "same"}, fails
        self.asked: list[list[str]] = []

    async def __call__(self, command: Sequence[str], say: Say) -> Any:
        self.asked.append(list(command))
        await say("[1/8] warm-up")
        if self.fails:
            raise CommandError(self.fails)
        return self.answer


def call(telar: Telar, tool: str, **given: Any) -> Any:
    async def ask() -> Any:
        async with Client(server(telar)) as client:
            return await client.call_tool(tool, given)

    return asyncio.run(ask())


def test_agents_have_the_commands_that_answer_and_none_that_writes_elsewhere() -> None:
    async def names() -> list[str]:
        async with Client(server(Telar())) as client:
            return sorted(tool.name for tool in (await client.list_tools()).tools)

    assert asyncio.run(names()) == ["ab", "history", "replay", "variants", "why"]


@pytest.mark.parametrize(
    ("tool", "given", "command"),
    [
        ("variants", {}, ["list", "variants"]),
        ("ab", {"base": ["main"], "head": []}, ["ab", "--base=main", "--budget=15m"]),
        (
            "ab",
            {
                "base": ["jdk=21", "v1"],
                "head": ["jdk=25"],
                "only": ["one", "two"],
                "budget": "5m",
                "why": True,
            },
            ["ab", "--base=jdk=21", "--base=v1", "--head=jdk=25", "--only=one,two", "--budget=5m", "--why"],
        ),
        (
            "ab",
            {"base": ["flags=-XX:+UseZGC"], "head": []},
            ["ab", "--base=flags=-XX:+UseZGC", "--budget=15m"],
        ),
        ("why", {}, ["why"]),
        ("why", {"session": "20261121-071806-ab"}, ["why", "20261121-071806-ab"]),
        ("replay", {"run": "0f3a"}, ["replay", "0f3a"]),
        ("history", {"series": ["p99", "*virtual*"]}, ["detect", "p99", "*virtual*"]),
    ],
)
def test_a_tool_is_the_command_of_its_name(tool: str, given: dict[str, Any], command: list[str]) -> None:
    telar = Telar()
    found = call(telar, tool, **given)
    assert not found.is_error, found
    assert telar.asked == [command]


def test_the_answer_comes_whole_with_how_often_it_was_asked() -> None:
    answer = {"word": "undecided", "occasion": {"asked": 3}, "compared": []}
    assert call(Telar(answer), "ab", base=["main"], head=[]).structured_content == answer


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("ab", {"base": ["--data=/tmp"], "head": []}),  # sessions elsewhere would be a question never asked
        ("ab", {"base": ["main"], "head": [], "only": ["--seed=2"]}),
        ("replay", {"run": "--data"}),
        ("why", {"session": "--data=/tmp"}),
        ("history", {"series": ["--from=/etc/passwd"]}),
    ],
)
def test_a_name_is_never_an_option(tool: str, given: dict[str, Any]) -> None:
    telar = Telar()
    found = call(telar, tool, **given)
    assert found.is_error
    assert "is no name" in found.content[0].text
    assert telar.asked == []


def test_a_command_that_fails_says_why() -> None:
    found = call(Telar(fails="configuration: there is no variant 'x'\n  did you mean 'y'?"), "variants")
    assert found.is_error
    assert "did you mean 'y'?" in found.content[0].text


@pytest.mark.thorough
def test_the_real_command_answers_over_standard_input_and_output() -> None:
    own = {**os.environ, "TELAR_ROOT": str(ROOT), "PYTHONPATH": str(ROOT / "scripts" / "src")}
    served = StdioServerParameters(command=sys.executable, args=["-m", "telar", "mcp"], env=own)

    async def ask() -> tuple[Any, Any]:
        async with Client(served) as client:
            return await client.call_tool("variants", {}), await client.call_tool(
                "replay", {"run": "nowhere"}
            )

    variants, replay = asyncio.run(ask())
    names = [row["variant"] for row in variants.structured_content["variants"]]
    assert "spring-mysql-blocking-virtual" in names
    assert replay.is_error
    assert "nowhere" in replay.content[0].text


def test_that_something_is_worse_is_an_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package of this name stands before Telar's own."""
    own = tmp_path / "telar"
    own.mkdir()
    (own / "__main__.py").write_text(
        "import json, sys\nprint('window 1', file=sys.stderr)\nprint(json.dumps(sys.argv[1:]))\n"
        "sys.exit(8 if sys.argv[1] == 'ab' else 6)\n"
    )
    (own / "__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    said: list[str] = []

    async def say(line: str) -> None:
        said.append(line)

    assert asyncio.run(agents.asked(["ab", "--base=main"], say)) == ["ab", "--base=main", "--json"]
    assert said == ["window 1"]
    with pytest.raises(CommandError, match="window 1"):
        asyncio.run(agents.asked(["why"], say))


def test_a_call_that_is_given_up_ends_what_it_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "telar"
    own.mkdir()
    (own / "__main__.py").write_text(
        "import os, sys, time\nprint(os.getpid(), file=sys.stderr, flush=True)\ntime.sleep(600)\n"
    )
    (own / "__init__.py").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))

    async def given_up() -> int:
        said: asyncio.Queue[str] = asyncio.Queue()
        call = asyncio.create_task(agents.asked(["ab"], said.put))
        pid = int(await said.get())
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return pid

    assert not psutil.pid_exists(asyncio.run(given_up()))

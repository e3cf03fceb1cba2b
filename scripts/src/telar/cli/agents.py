"""The tools that agents see, each of which is a command of Telar's."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from telar.errors import RegressionFound

ANSWERED = (0, RegressionFound.exit_code)  # that something is worse is an answer
LAST = 12  # lines of what a command that failed printed
Say = Callable[[str], Awaitable[None]]
Ask = Callable[[Sequence[str], Say], Awaitable[Any]]
INSTRUCTIONS = """\
Telar measures JVM web services. Every answer comes from runs on this machine, one at a time; a comparison
takes as long as its budget. Each metric is worse, better, same or undecided. Undecided means that so few
windows can't say, and is no reason to ask again: a comparison that was asked before is judged more strictly
each time, and its answer says how often it was asked (occasion.asked). Report effects with their confidence
intervals, and invalid runs as invalid.
"""


def server(ask: Ask) -> MCPServer:
    """The tools; `ask` carries out a command and gives what it prints as JSON."""
    own = MCPServer("telar", instructions=INSTRUCTIONS)

    async def answer(context: Context, *command: str) -> Any:
        steps = 0

        async def say(line: str) -> None:
            nonlocal steps
            steps += 1
            await context.report_progress(steps, message=line)

        try:
            return await ask(command, say)
        except CommandError as failed:
            raise ToolError(str(failed)) from failed

    def words(*said: str) -> list[str]:
        """Names, as positional arguments: none of them is an option."""
        wrong = next((word for word in said if word.startswith("-") or not word.strip()), None)
        if wrong is not None:
            raise ToolError(f"{wrong!r} is no name")
        return list(said)

    @own.tool()
    async def variants(context: Context) -> dict[str, Any]:
        """Lists what can be compared: the variants, with framework, database and drivers."""
        return {"variants": await answer(context, "list", "variants")}

    @own.tool()
    async def ab(
        context: Context,
        base: list[str],
        head: list[str],
        only: list[str] | None = None,
        budget: str = "15m",
        why: bool = False,
    ) -> dict[str, Any]:
        """Compares two sides, measured in turns: worse, better, same or undecided, metric by metric.

        A side is a list of words: a commit (branch, tag, hash), or jdk=25, driver=mysql=9.7.0, variant=NAME,
        flags=-XX:+UseZGC; an empty list is the checkout as it is. Where both are empty, the base is HEAD.
        `only` names variants. It takes the budget for each variant: 5m sees large changes, 15m smaller ones.
        `why` also names the methods that differ.
        """
        sides = [f"--base={word}" for word in words(*base)] + [f"--head={word}" for word in words(*head)]
        chosen = [f"--only={','.join(words(*only))}"] if only else []
        more = ["--why"] if why else []
        found = await answer(context, "ab", *sides, *chosen, f"--budget={budget}", *more)
        return dict(found)

    @own.tool()
    async def why(context: Context, session: str = "") -> dict[str, Any]:
        """Says which methods the sides of a comparison differ in, by CPU and allocation per request.

        Of the newest comparison, or of this session: `ab` must have profiled it (`why`).
        """
        return {"why": await answer(context, "why", *(words(session) if session else []))}

    @own.tool()
    async def replay(context: Context, run: str) -> dict[str, Any]:
        """Makes one recorded run again, with its warm-up and seeds, and compares the two. `run`: its id."""
        return dict(await answer(context, "replay", *words(run)))

    @own.tool()
    async def history(context: Context, series: list[str] | None = None) -> dict[str, Any]:
        """Levels that shifted in the history, and what is open. `series`: names or patterns with *."""
        return {"series": await answer(context, "detect", *words(*(series or [])))}

    return own


class CommandError(Exception):
    """A command that gave no answer, with its last lines."""


async def asked(command: Sequence[str], say: Say) -> Any:
    """What this Telar's own command prints as JSON. `say` gets each line of its progress.

    Raises CommandError.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "telar", *command, "--json",
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stdout
    assert process.stderr
    lines: list[str] = []

    async def follow(stream: asyncio.StreamReader) -> None:
        async for raw in stream:
            line = raw.decode(errors="replace").rstrip()
            if line:
                lines.append(line)
                await say(line)

    try:
        printed, _ = await asyncio.gather(process.stdout.read(), follow(process.stderr))
        code = await process.wait()
    finally:
        if process.returncode is None:  # the call was given up: its services end, too
            process.send_signal(signal.SIGINT)
            await process.wait()
    if code not in ANSWERED:
        raise CommandError("\n".join(lines[-LAST:]) or f"telar {command[0]} ended with exit code {code}")
    return json.loads(printed)

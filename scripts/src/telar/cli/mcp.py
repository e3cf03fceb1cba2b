"""`telar mcp`: what Telar can do, for agents, by the Model Context Protocol."""

from __future__ import annotations

import os
from pathlib import Path

import click

from telar.cli.common import GUEST
from telar.errors import MissingToolError


@click.command()
@click.option(
    "--guest",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Another repository's application: its variant.toml.",
)
def mcp(guest: Path | None) -> None:
    """Serves Telar to agents on stdin and stdout, by the Model Context Protocol.

    Its tools: variants, ab, why, replay, history. They do what the commands do, and keep sessions where those
    keep them, so that a question which was asked before counts as asked, whoever asks.

    \b
    Examples:
      telar mcp                                     # the command that an agent's settings name
      telar mcp --guest ../shop/bench/variant.toml
    """
    if guest:
        os.environ[GUEST] = str(guest.resolve())
    try:
        from telar.cli import agents  # noqa: PLC0415 - its SDK is in the environment of this command alone
    except ModuleNotFoundError as error:
        raise MissingToolError(
            "the SDK of the Model Context Protocol isn't in this environment",
            hint="./telar mcp sets it up: say mcp first, and --guest after it",
        ) from error
    agents.server(agents.asked).run("stdio")

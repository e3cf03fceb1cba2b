"""The entry point: catches what Telar raises on purpose, says it, and exits with its family's code."""

from __future__ import annotations

import signal
import sys
from types import FrameType
from typing import NoReturn

import click
from rich.console import Console

from telar.cli import main
from telar.errors import ConfigError, Interrupted, TelarError


def entry() -> NoReturn:
    signal.signal(signal.SIGTERM, _interrupted)
    signal.signal(signal.SIGINT, _interrupted)
    try:
        code = main.telar.main(prog_name="telar", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.exceptions.Abort:
        _fail(Interrupted("stopped"))
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "telar"
        _fail(ConfigError(error.format_message(), hint=f"{command} --help"))
    except TelarError as error:
        _fail(error)


def _fail(error: TelarError) -> NoReturn:
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    console.print(f"telar: {error.message}", style="bold red", markup=False)
    if error.hint:
        console.print(f"       {error.hint}", markup=False)
    sys.exit(error.exit_code)


def _interrupted(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
    # A second signal must not cut the cleaning-up short.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Interrupted(
        f"stopped by {signal.Signals(number).name}: everything that was started has been ended",
        hint="the same command with --resume alone goes on with the first cell that has no record",
    )


if __name__ == "__main__":
    entry()

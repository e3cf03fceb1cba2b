"""A program that answers each line on its standard input with a line on its standard output."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from telar.errors import ConfigError


@contextmanager
def answering(command: Sequence[str | Path], env: Mapping[str, str]) -> Iterator[Callable[[bytes], bytes]]:
    """A function that asks it; the program ends with the block. Raises ConfigError where no answer comes."""
    with subprocess.Popen(command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        asked, answered = process.stdin, process.stdout
        assert asked, "a pipe was asked for"
        assert answered, "a pipe was asked for"

        def ask(line: bytes) -> bytes:
            asked.write(line + b"\n")
            asked.flush()
            answer = answered.readline()
            if not answer:
                said = " ".join(map(str, command))
                raise ConfigError(f"{said}: stopped answering", hint="it answers each line with a line")
            return answer

        try:
            yield ask
        finally:
            asked.close()

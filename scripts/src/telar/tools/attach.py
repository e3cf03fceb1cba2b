"""Short questions to a JVM that runs, many times a second: jcmd would start a JVM of its own for each.

The protocol is HotSpot's (`attachListener`): a socket that the JVM opens once any `jcmd` has asked it for
that, and on it version, command and three arguments, each ended by a zero byte.
"""

from __future__ import annotations

import re
import socket
from pathlib import Path

from telar.errors import TelarError

PATIENCE = 2.0  # seconds
MOST = 1 << 20  # bytes of an answer
_INNER = re.compile(r"^NSpid:.*?(\d+)$", re.MULTILINE)


def ask(pid: int, command: str) -> str:
    """What `jcmd PID COMMAND` would print. Raises TelarError where the JVM has no such command, or no socket
    yet.
    """
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
        inner = found.group(1) if (found := _INNER.search(status)) else str(pid)
        with socket.socket(socket.AF_UNIX) as door:
            door.settimeout(PATIENCE)
            door.connect(f"/proc/{pid}/root/tmp/.java_pid{inner}")
            door.sendall(b"\0".join((b"1", b"jcmd", command.encode(), b"", b"", b"")))
            answer = _all(door)
    except OSError as error:
        raise TelarError(f"the JVM {pid} can't be asked: {error}") from error
    code, _, said = answer.partition("\n")
    if code.strip() != "0":
        raise TelarError(f"the JVM {pid} doesn't answer {command}: {said.strip()[:200]}")
    return said


def _all(door: socket.socket) -> str:
    answer = b""
    while len(answer) < MOST and (part := door.recv(65_536)):
        answer += part
    return answer.decode("utf-8", "replace")

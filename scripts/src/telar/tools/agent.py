"""An agent in a JVM that runs: loaded, and given its orders, through the JDK's own attach protocol."""

from __future__ import annotations

from pathlib import Path

from telar.errors import MissingToolError, TelarError
from telar.tools import components, shell

PATIENCE = 30.0  # seconds in which a JVM answers
DONE = "return code: 0"


def ask(pid: int, *words: str) -> str:
    """What the JVM with this process id answers to a command of its own, such as `JFR.start`.

    Raises MissingToolError without a JDK, CommandError where the JVM can't be reached.
    """
    jdk = components.find("jdk")
    jcmd = jdk.path / "bin" / "jcmd" if jdk else None
    if jcmd is None or not jcmd.is_file():
        raise MissingToolError("no jcmd to reach a JVM with", hint=components.describe("jdk").remedy)
    return shell.run([jcmd, str(pid), *words], timeout=PATIENCE, quiet=True).stdout


def order(pid: int, library: Path, options: str) -> None:
    """Gives the agent's library these options in the JVM with this process id.

    Any JDK's `jcmd` reaches a JVM of any version, in a container too: the runtimes that are measured have
    none. Raises MissingToolError without a JDK, TelarError when the JVM or the agent refuses.
    """
    # The quotes are for the JVM, which else takes commas and equals signs for arguments of its own.
    said = ask(pid, "JVMTI.agent_load", str(library), f'"{options}"')
    if DONE not in said:
        asked, last = options.partition(",")[0], shell.last_lines(said, 2)
        raise TelarError(
            f"the JVM {pid} refused {library.name} ({asked}): {last}",
            hint="its log says more",
        )

"""Every error that Telar raises on purpose: one family, one exit code each.

An error says what happened and where; its hint says what to do. The entry point (`__main__`)
prints both and exits with the family's code. Anything else that escapes is a bug and shows its
traceback.
"""

from __future__ import annotations


class TelarError(Exception):
    """Base of all families. `message` says what was wrong and where, `hint` what to do."""

    exit_code = 1
    family = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ConfigError(TelarError):
    """A mistake in the catalogue, in a file of the user's, or on the command line."""

    exit_code = 2
    family = "configuration"


class MissingToolError(TelarError):
    """A tool or component that this machine doesn't have and that couldn't be set up."""

    exit_code = 3
    family = "missing tool"


class BuildError(TelarError):
    """An app or an image didn't build."""

    exit_code = 4
    family = "build"


class RunError(TelarError):
    """A cell couldn't be run to its end: a service died, a database didn't start, …"""

    exit_code = 5
    family = "run"


class EnvironmentProblem(TelarError):  # noqa: N818 - "EnvironmentError" is a builtin's old name
    """The machine isn't fit for a run: port in use, disk full, another run under way."""

    exit_code = 6
    family = "environment"


class StoreError(TelarError):
    """A record that can't be read, or isn't what it says."""

    exit_code = 7
    family = "store"


class RegressionFound(TelarError):  # noqa: N818 - no fault of Telar's: what was asked for
    """A comparison or a series says that something got worse."""

    exit_code = 8
    family = "regression"


class Refused(TelarError):  # noqa: N818 - what was done, not what failed
    """What came from a stranger isn't what Telar writes, and was not taken."""

    exit_code = 9
    family = "refused"


class Interrupted(TelarError):  # noqa: N818 - not a fault
    """The user asked for an end (Ctrl-C, SIGTERM); everything was stopped cleanly."""

    exit_code = 130
    family = "interrupted"

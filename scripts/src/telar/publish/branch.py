"""The branch that GitHub Pages serves: what is published gets there whole, whoever else publishes.

A publisher takes the branch as it is, adds to it, and pushes. Where another was faster, it takes the branch
again, and adds again: nothing is merged as text, so nothing conflicts. Git's server moves a branch to a
commit or doesn't: a publisher that is killed leaves nothing behind.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from telar.errors import StoreError
from telar.tools import git, shell

ATTEMPTS = 30
LONGEST = 20.0  # seconds between two attempts
FIRST = "data/index.json"  # what is read first, and the mark of a branch that was published to
PLAIN = ".nojekyll"  # GitHub Pages serves the files as they are, and takes no minutes to look through them
# A branch that is protected is "[remote rejected]", too, and stays so however often it is asked.
OTHERS_WERE_FASTER = (
    "[rejected]",
    "cannot lock ref",
    "failed to update ref",
    "stale info",
    "reference already exists",
)
# An answer of GitHub's servers, not of the branch: over in a moment, as a rule.
SERVER_FAILED = re.compile(
    r"HTTP 5\d\d|returned error: 5\d\d|Internal Server Error|early EOF|unexpected disconnect"
)


class _TryAgain(Exception):  # noqa: N818 - no fault: it says why the next attempt may do
    """The branch moved, or the server failed for a moment."""


class Checkout:
    """What a publisher sees of the branch. `want` fetches files before they are read: a long history isn't
    taken whole."""

    def __init__(self, folder: Path, remote: str, branch: str, *, exists: bool) -> None:
        self.folder, self.remote, self.branch, self.exists = folder, remote, branch, exists

    def want(self, paths: Sequence[str]) -> None:
        there = [p for p in dict.fromkeys(paths) if not (self.folder / p).exists()]
        if self.exists and there:
            patterns = [f"/{p}" for p in there]
            _git(self.remote, "-C", self.folder, "sparse-checkout", "add", *patterns)


def publish(
    remote: str,
    branch: str,
    message: str,
    add: Callable[[Checkout], bool],
    tell: Callable[[str], None] = lambda _: None,
) -> bool:
    """Commits what `add` changes in a checkout of the branch, and pushes it; begins again, with `add` on the
    branch as it is then, where others were faster. False: `add` says that there is nothing to add.

    Raises StoreError when the branch can't be read or pushed to.
    """
    refusal = ""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            with tempfile.TemporaryDirectory(prefix="telar-publish-") as scratch:
                checkout = _take(remote, branch, Path(scratch) / "branch")
                if not add(checkout):
                    return False
                if checkout.exists and not (checkout.folder / FIRST).exists():
                    raise StoreError(f"{FIRST} is gone: what was published would be lost")
                _commit(checkout, message)
                _push(checkout)
            return True
        except _TryAgain as why:
            refusal = str(why)
        pause = random.uniform(0.2, 1.0) * min(LONGEST, 0.5 * 2 ** min(attempt, 10))  # noqa: S311 - no secret
        tell(f"{refusal} ({attempt} of {ATTEMPTS}): again in {pause:.1f} s")
        time.sleep(pause)
    raise StoreError(
        f"{remote} {branch}: {refusal}, {ATTEMPTS} times", hint="the session is kept: publish it again"
    )


@contextlib.contextmanager
def reading(remote: str, branch: str) -> Iterator[Checkout | None]:
    """The branch as it is, to be read; None where there is none yet. Raises StoreError like `publish`."""
    with tempfile.TemporaryDirectory(prefix="telar-publish-") as scratch:
        try:
            checkout = _take(remote, branch, Path(scratch) / "branch")
        except _TryAgain as error:
            raise StoreError(f"{remote} {branch}: can't be read: {error}", hint="try again") from error
        yield checkout if checkout.exists else None


def _take(remote: str, branch: str, folder: Path) -> Checkout:
    """The branch's newest commit, with no more of its files than are asked for. One that doesn't exist is
    begun; one that can't be read is an error, and never taken for one that doesn't exist."""
    try:
        listed = _git(remote, "ls-remote", "--heads", remote, f"refs/heads/{branch}")
    except shell.CommandError as error:
        raise StoreError(f"{remote}: can't be read: {error.output.strip()}") from error
    exists = bool(listed.stdout.strip())
    checkout = Checkout(folder, remote, branch, exists=exists)
    if not exists:
        shell.run(["git", "init", "--quiet", "--initial-branch", branch, folder], quiet=True)
        shell.run(["git", "-C", folder, "remote", "add", "origin", remote], quiet=True)
        return checkout
    clone = ["clone", "--quiet", "--depth=1", "--single-branch", "--no-tags", "--filter=blob:none",
             "--no-checkout", f"--branch={branch}", "--", remote, str(folder)]  # fmt: skip
    try:
        _git(remote, *clone)
        _git(remote, "-C", folder, "sparse-checkout", "set", "--no-cone", f"/{FIRST}")
        _git(remote, "-C", folder, "checkout", "--quiet", branch)
    except shell.CommandError as error:
        raise StoreError(f"{remote} {branch}: can't be read: {error.output.strip()}") from error
    return checkout


def _commit(checkout: Checkout, message: str) -> None:
    (checkout.folder / PLAIN).touch()
    who = {} if "GIT_AUTHOR_NAME" in os.environ else {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "Telar"), ("EMAIL", "telar@users.noreply.github.com"))
    }  # fmt: skip
    shell.run(["git", "-C", checkout.folder, "add", "--sparse", "--all"], quiet=True)
    shell.run(["git", "-C", checkout.folder, "commit", "--quiet", "-m", message], env=who, quiet=True)


def _push(checkout: Checkout) -> None:
    refspec = f"HEAD:refs/heads/{checkout.branch}"
    try:
        _git(checkout.remote, "-C", checkout.folder, "push", "--porcelain", "origin", refspec)
    except shell.CommandError as error:
        if any(words in error.output for words in OTHERS_WERE_FASTER):
            raise _TryAgain("another was faster") from error
        raise StoreError(
            f"{checkout.remote} {checkout.branch}: can't be pushed to: {error.output.strip()}",
            hint="may this token write there, and does no rule protect the branch?",
        ) from error


def _git(remote: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A command that may talk to the remote. Raises CommandError, or _TryAgain where the server failed."""
    try:
        return shell.run(["git", *arguments], env=git.access(remote), quiet=True)
    except shell.CommandError as error:
        if SERVER_FAILED.search(error.output):
            raise _TryAgain("the server failed") from error
        raise

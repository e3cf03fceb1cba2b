"""The door to git."""

from __future__ import annotations

import base64
import os
import re
import tarfile
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from telar.errors import ConfigError, TelarError
from telar.tools import shell


def commit_of(root: Path, name: str) -> str:
    """The full hash of the commit that a branch, a tag or a hash names. Raises ConfigError when it names
    none.
    """
    asked = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    try:
        return shell.run(["git", "-C", root, *asked], quiet=True).stdout.strip()
    except shell.CommandError as error:
        raise ConfigError(
            f"{name!r} names no commit of {root}",
            hint="a branch, a tag or a hash; in a shallow clone: git fetch --unshallow",
        ) from error


def top_of(folder: Path) -> Path:
    """The work tree that a folder lies in; the folder itself where it lies in none."""
    try:
        said = shell.run(["git", "-C", folder, "rev-parse", "--show-toplevel"], quiet=True).stdout
    except shell.CommandError:
        return folder
    return Path(said.rstrip("\n"))


def between(root: Path, good: str, bad: str) -> list[str]:
    """The commits after the one up to the other, oldest first, along first parents."""
    asked = ("rev-list", "--first-parent", "--reverse", f"{good}..{bad}")
    return shell.run(["git", "-C", root, *asked], quiet=True).stdout.split()


def merge_base(root: Path, one: str, other: str) -> str:
    """The commit where two lines of history parted. Raises ConfigError when they never were one."""
    try:
        return shell.run(["git", "-C", root, "merge-base", one, other], quiet=True).stdout.strip()
    except shell.CommandError as error:
        raise ConfigError(
            f"{one[:12]} and {other[:12]} have no commit in common",
            hint="in a shallow clone: git fetch --unshallow",
        ) from error


def paths_changed(root: Path, base: str, head: str) -> list[str]:
    """The files that differ between two commits; of one that was renamed, both names."""
    asked = ("diff", "--name-only", "--no-renames", "-z", base, head, "--")
    return list(filter(None, shell.run(["git", "-C", root, *asked], quiet=True).stdout.split("\0")))


def lines_changed(
    root: Path, base: str, head: str, patterns: Iterable[str]
) -> dict[str, tuple[frozenset[int], frozenset[int]]]:
    """Path -> the lines of `base` that went or were changed, and those of `head` that came or were changed.

    `head` may be empty: the work tree as it is. `patterns` are git's, such as `*.java`.
    """
    quietly = ("diff", "--unified=0", "--no-renames", "--no-color", "--no-ext-diff", "--no-prefix")
    sides = [base, head] if head else [base]
    asked = ("-c", "core.quotePath=false", *quietly, *sides, "--", *patterns)
    found: dict[str, tuple[set[int], set[int]]] = {}
    old = new = ""
    text = 0  # lines of the files themselves still to come: one of them may look like anything
    for line in shell.run(["git", "-C", root, *asked], quiet=True).stdout.split("\n"):
        if text and line[:1] in "+-":
            text -= 1
        elif line.startswith("--- "):
            old = line[4:].removesuffix("\t")
        elif line.startswith("+++ "):
            new = line[4:].removesuffix("\t")
        elif hunk := _HUNK.match(line):
            own = found.setdefault(old if new == "/dev/null" else new, (set(), set()))
            for side, (first, count) in zip(own, (hunk.group(1, 2), hunk.group(3, 4)), strict=True):
                side.update(range(int(first), int(first) + int(count or 1)))
                text += int(count or 1)
    return {path: (frozenset(before), frozenset(after)) for path, (before, after) in found.items()}


def show(root: Path, commit: str, path: str) -> str:
    """A file as a commit has it. Raises ConfigError when it has none."""
    try:
        return shell.run(["git", "-C", root, "show", f"{commit}:{path}"], quiet=True).stdout
    except shell.CommandError as error:
        raise ConfigError(f"{commit[:12]} has no {path}") from error


def commit_with(root: Path, base: str, files: Mapping[str, str], message: str) -> str:
    """A commit after `base`, with these files in the place of its own: path -> text. No branch has it, and
    the same files make the same commit.
    """
    author = {"NAME": "telar", "EMAIL": "telar@localhost", "DATE": "@0 +0000"}
    who = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in author.items()}
    with tempfile.TemporaryDirectory(prefix="telar-commit-") as scratch:
        own = {**who, "GIT_INDEX_FILE": str(Path(scratch) / "index")}

        def said(*words: str | Path) -> str:
            return shell.run(["git", "-C", root, *words], env=own, quiet=True).stdout.strip()

        said("read-tree", base)
        for path, text in files.items():
            mode = said("ls-tree", "--format=%(objectmode)", base, "--", path)
            content = Path(scratch) / "content"
            content.write_text(text, encoding="utf-8", newline="")
            blob = said("hash-object", "-w", "--no-filters", "--", content)
            said("update-index", "--cacheinfo", f"{mode},{blob},{path}")
        return said("commit-tree", said("write-tree"), "-p", base, "-m", message)


def url_of(root: Path, remote: str) -> str:
    """Where a remote of this name is. Raises ConfigError when there is none."""
    try:
        return shell.run(["git", "-C", root, "remote", "get-url", "--", remote], quiet=True).stdout.strip()
    except shell.CommandError as error:
        raise ConfigError(
            f"{root} has no git remote {remote!r}", hint="say --remote URL, or --to FOLDER"
        ) from error


@dataclass(frozen=True, kw_only=True)
class Commit:
    """What git says of one."""

    subject: str
    author: str
    parent: str  # the first; empty where there is none, or a shallow clone ends
    branch: str  # that holds it, the default branch before others; empty where none does


def commits(root: Path, hashes: Iterable[str]) -> dict[str, Commit]:
    """Of those that are known in this clone; in a folder without a repository none is."""
    asked = sorted({h for h in hashes if _HASH.fullmatch(h)})
    default = _default_branch(root)
    found: dict[str, Commit] = {}
    for place in range(0, len(asked), _AT_ONCE):
        part = asked[place : place + _AT_ONCE]
        lines = _asked(
            root, "log", "--no-walk=unsorted", "--ignore-missing", f"--format={_FORM}", *part, "--"
        )
        for line in filter(None, (lines or "").split("\n")):
            name, subject, author, parents = line.split("\0")
            found[name] = Commit(subject=subject, author=author, parent=parents.partition(" ")[0], branch="")
    common = set((_asked(root, "rev-list", default, "--") or "").split()) if found else set()
    return {
        name: replace(said, branch=default.removeprefix("origin/") if name in common else _branch(root, name))
        for name, said in found.items()
        if name in asked
    }


def _branch(root: Path, commit: str) -> str:
    """A branch that holds it; empty where none does."""
    asked = ("for-each-ref", f"--contains={commit}", "--format=%(refname)", "refs/heads", "refs/remotes")
    names = {_plain(ref) for ref in (_asked(root, *asked) or "").split()} - {"HEAD"}
    return min(names, default="")


def _plain(ref: str) -> str:
    """`refs/remotes/origin/a/b` and `refs/heads/a/b` → `a/b`."""
    kind, _, rest = ref.removeprefix("refs/").partition("/")
    return rest.partition("/")[2] if kind == "remotes" else rest


def _default_branch(root: Path) -> str:
    """The remote's; in a clone that doesn't say, `main`."""
    said = _asked(root, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    return said.strip() if said else "main"


def _asked(root: Path, *arguments: str) -> str | None:
    """What git answers; None where it refuses."""
    try:
        return shell.run(["git", "-C", root, *arguments], quiet=True).stdout
    except shell.CommandError:
        return None


def web_address(root: Path, remote: str = "origin") -> str:
    """The https address of a remote's repository; empty where it has none, as a folder hasn't."""
    said = (_asked(root, "remote", "get-url", "--", remote) or "").strip()
    found = _REMOTE.fullmatch(said)
    return f"https://{found['host']}/{found['path'].removesuffix('.git')}" if found else ""


_AT_ONCE = 1000  # hashes in a command line
_FORM = "%H%x00%s%x00%an%x00%P"
_HASH = re.compile(r"[0-9a-f]{40}")
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
# Without what may come before a host: a name, or a secret.
_REMOTE = re.compile(
    r"(?:(?:https|ssh|git)://)?(?:[^@/]+@)?(?P<host>[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)(?::\d+)?[:/]"
    r"(?P<path>[A-Za-z0-9_.-]+(?:/[A-Za-z0-9_.-]+)+)/?"
)


def access(remote: str) -> dict[str, str]:
    """The environment of a command that talks to this remote: with a workflow's token where it is GitHub's.

    By the environment: a command line can be read by everybody, and a configuration file would stay.
    """
    token, server = os.environ.get("GITHUB_TOKEN"), os.environ.get("GITHUB_SERVER_URL", "https://github.com")
    if not token or not remote.startswith(f"{server}/"):
        return {}
    basic = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"http.{server}/.extraheader",
        "GIT_CONFIG_VALUE_0": f"AUTHORIZATION: basic {basic}",
    }


def fetch(root: Path, remote: str, source: str, target: str) -> str:
    """Brings a remote's ref here under another name; its commit. Raises ConfigError."""
    url = url_of(root, remote)
    command: list[str | Path] = [
        "git",
        "-C",
        root,
        "fetch",
        "--quiet",
        "--no-tags",
        remote,
        f"+{source}:{target}",
    ]
    try:
        shell.run(command, env=access(url), quiet=True)
    except shell.CommandError as error:
        raise ConfigError(
            f"{url} {source}: can't be fetched: {error.output.strip()}",
            hint="a private repository needs GITHUB_TOKEN, with the permission contents: read",
        ) from error
    return commit_of(root, target)


def unpack(root: Path, commit: str, path: str, folder: Path) -> None:
    """A path of a commit, with all below it, into a folder."""
    with tempfile.TemporaryDirectory(prefix="telar-git-") as scratch:
        archive = Path(scratch) / "tree.tar"
        try:
            command = [
                "git",
                "-C",
                str(root),
                "archive",
                "--format=tar",
                "-o",
                str(archive),
                commit,
                "--",
                path,
            ]
            shell.run(command, quiet=True)
        except shell.CommandError as error:
            raise TelarError(f"{commit[:12]} has no {path}/: {error.output.strip()}") from error
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")

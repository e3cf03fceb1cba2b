"""What of an app's sources its build is made of: one rule for artefacts' keys and for what changes touch."""

from __future__ import annotations

from pathlib import PurePath

PARENT = "pom.xml"  # in apps/: the parent of every framework's parent


def parents(framework: str) -> tuple[str, ...]:
    """What an app's build reads in apps/, beside the app's own folder."""
    return PARENT, f"{framework}-parent"


def is_left(inside: PurePath) -> bool:
    """Whether tools left it there. `inside`: a path in the folder of a Maven module (which has a pom.xml).

    Only where they do leave it: in src/ a folder called `target` or `node_modules` is as good as any other.
    """
    parts = inside.parts
    return ".git" in parts or parts[0] == "target" or ("node_modules" in parts and parts[0] != "src")


def counts(inside: PurePath) -> bool:
    """Whether a file of a module can change what its build leaves: not its tests in src/test/, which Telar
    doesn't run, nor documentation outside of src/. What is in src/main/ is built, whatever it is called."""
    if is_left(inside):
        return False
    if inside.parts[0] == "src":
        return inside.parts[1:2] != ("test",)
    return inside.suffix != ".md"

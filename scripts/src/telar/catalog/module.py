"""What of an app's sources its build is made of: one rule for artefacts' keys and for what changes touch."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePath

LEFT = ("target",)  # the folder that Maven leaves in a module
GRADLE = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
LEFT_BY_GRADLE = ("build", ".gradle", ".kotlin")
PARENT = "pom.xml"  # in apps/: the parent of every framework's parent


def parents(framework: str) -> tuple[str, ...]:
    """What an app's build reads in apps/, beside the app's own folder."""
    return PARENT, f"{framework}-parent"


def left_in(names: Collection[str]) -> tuple[str, ...]:
    """The folders that tools leave in a module with these files; () of a folder that is none."""
    gradle = any(name in names for name in GRADLE)
    return (*(LEFT if "pom.xml" in names else ()), *(LEFT_BY_GRADLE if gradle else ()))


def is_left(inside: PurePath, left: Collection[str] = LEFT) -> bool:
    """Whether tools left it there. `inside`: a path in the folder of a module; `left`: what they leave in it.

    Only where they do leave it: in src/ a folder called `target` or `node_modules` is as good as any other.
    """
    parts = inside.parts
    return ".git" in parts or parts[0] in left or ("node_modules" in parts and parts[0] != "src")


def counts(inside: PurePath) -> bool:
    """Whether a file of a module, which no tool left there, can change what its build leaves.

    Its tests in src/test/, which Telar doesn't run, can't, nor can documentation outside of src/. What is in
    src/main/ is built, whatever it is called.
    """
    if inside.parts[0] == "src":
        return inside.parts[1:2] != ("test",)
    return inside.suffix != ".md"

"""Maven, which builds the apps; an older one is enough to fetch the one that's needed."""

from __future__ import annotations

import os
import tempfile
import zipfile
from pathlib import Path

from telar.errors import MissingToolError
from telar.tools import shell
from telar.tools.components import archive
from telar.tools.components.base import (
    Component,
    Recipe,
    Say,
    cached,
    first_version,
    install_cached,
    numbers,
)

VERSION = "3.9.12"
SHA256 = "305773a68d6ddfd413df58c82b3f8050e89778e777f3a745c8e5b8cbea4018ef"
MINIMUM = "3.9"
DEPENDENCY_PLUGIN = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1"
REMEDY = "install Maven 3.9 or newer; any older Maven will do too, Telar fetches a newer one with it"


# Of a JVM that lives for seconds: what the second compiler makes comes too late.
QUICK_START = "-XX:TieredStopAtLevel=1"


def environment(jdk: Path) -> dict[str, str]:
    """What Maven is run with, on the JDK below `jdk`; MAVEN_OPTS of the caller's own are left as they are."""
    return {"JAVA_HOME": str(jdk), "MAVEN_OPTS": os.environ.get("MAVEN_OPTS", QUICK_START)}


def find() -> Component | None:
    path, version = installed()
    if path and numbers(version) >= numbers(MINIMUM):
        return Component(name="maven", version=version, path=path, origin="system")
    return cached("maven", VERSION, "bin/mvn")


def install(say: Say) -> None:
    def fill(folder: Path) -> None:
        say(f"fetching Maven {VERSION}")
        with tempfile.TemporaryDirectory() as scratch:
            bundle = fetch(f"org.apache.maven:apache-maven:{VERSION}:zip:bin", Path(scratch), SHA256)
            archive.unpack(bundle, folder, below=f"apache-maven-{VERSION}")

    install_cached("maven", VERSION, fill)


def fetch(artifact: str, folder: Path, sha256: str) -> Path:
    """An artifact's file, brought into `folder` by whichever Maven there is, and checked."""
    mvn = installed()[0] or getattr(cached("maven", VERSION, "bin/mvn"), "path", None)
    if mvn is None:
        raise MissingToolError(f"no mvn on PATH to fetch {artifact} with", hint=REMEDY)
    goal = [f"{DEPENDENCY_PLUGIN}:copy", f"-Dartifact={artifact}", f"-DoutputDirectory={folder}"]
    shell.run(
        [mvn, "--batch-mode", "--quiet", "--no-transfer-progress", *goal],
        cwd=folder,  # not in a project: its settings are nobody's business here
        timeout=900,
    )
    (file,) = folder.iterdir()
    archive.check(file, sha256)
    return file


def installed() -> tuple[Path | None, str]:
    """The Maven on PATH and its version, read from its files: asking it would start a JVM."""
    path = shell.which("mvn")
    if path is None:
        return None, ""
    for core in path.resolve().parents[1].glob("lib/maven-core-*.jar"):
        with zipfile.ZipFile(core) as jar:
            properties = jar.read("META-INF/maven/org.apache.maven/maven-core/pom.properties")
        return path, first_version(properties.decode().partition("version=")[2]) or ""
    return path, ""


RECIPE = Recipe(name="maven", purpose="builds the apps", remedy=REMEDY, find=find, install=install)

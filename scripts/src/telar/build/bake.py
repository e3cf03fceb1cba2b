"""The apps' images: one `docker buildx bake` for all that is needed, layers shared and cached."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from telar.build import maven
from telar.build.environment import images_environment
from telar.catalog.types import Catalog
from telar.errors import BuildError
from telar.plan.cells import Cell
from telar.tools import shell


class Image(msgspec.Struct, frozen=True, kw_only=True):
    """An app build on a JDK."""

    build: str
    jdk: str
    artifact: Path
    drivers: dict[str, str]

    @property
    def target(self) -> str:
        return f"{self.build}-jdk{self.jdk}"

    @property
    def tag(self) -> str:
        """Named by the artefact's content: another driver version is another tag."""
        return f"telar/{self.build}:{self.artifact.name.removeprefix(f'{self.build}-')}-jdk{self.jdk}"


def image_of(catalog: Catalog, cell: Cell, artifact: Path) -> Image:
    return Image(
        build=maven.build_of(catalog, cell).name,
        jdk=cell.jdk,
        artifact=artifact,
        drivers=cell.drivers,
    )


def build(catalog: Catalog, images: Iterable[Image], say: Callable[[str], None]) -> dict[str, str]:
    """Builds these images, whose artefacts are there; tag -> image id. What did not change is cached."""
    wanted = {image.tag: image for image in images}
    before = {tag: image_id(tag) for tag in wanted}
    # One build with two driver versions is one target twice: it goes into another round.
    by_target = sorted(wanted.values(), key=lambda image: (image.target, image.tag))
    rounds = itertools.zip_longest(*(list(g) for _, g in itertools.groupby(by_target, lambda i: i.target)))
    for batch in rounds:
        _bake(catalog, [image for image in batch if image])
    after = {tag: image_id(tag) for tag in wanted}
    built = [tag for tag in wanted if after[tag] != before[tag]]
    say(f"images: {len(built)} built, {len(wanted) - len(built)} unchanged")
    for tag in built:
        say(f"built {tag}")
    return after


def image_id(tag: str) -> str:
    """The image's id, empty when there is no such image."""
    try:
        return shell.run(
            ["docker", "image", "inspect", "--format", "{{.Id}}", tag], quiet=True
        ).stdout.strip()
    except shell.CommandError:
        return ""


def _bake(catalog: Catalog, batch: list[Image]) -> None:
    overrides = [
        argument
        for image in batch
        for argument in (
            "--set", f"{image.target}.contexts.artifacts={image.artifact}",
            "--set", f"{image.target}.tags={image.tag}",
            "--set", f"{image.target}.labels.dev.telar.drivers={_versions(image)}",
        )
    ]  # fmt: skip
    environment = {
        **images_environment(catalog.root),
        "JDKS": ",".join(sorted({image.jdk for image in batch})),
        "REVISION": _revision(catalog.root),
        "VERSION": "1",
        **maven.framework_versions(catalog.root),
    }
    log = catalog.root / ".telar" / "logs" / "bake.log"
    log.unlink(missing_ok=True)
    try:
        shell.run(
            ["docker", "buildx", "bake", "--progress=plain", f"--allow=fs.read={catalog.root}",
             *overrides, *(image.target for image in batch)],
            cwd=catalog.root / "apps",
            env=environment,
            log=log,
            timeout=1800,
        )  # fmt: skip
    except shell.CommandError as error:
        raise BuildError(f"the images don't build:\n{error.message}", hint=f"all of it: {log}") from error


def _versions(image: Image) -> str:
    return " ".join(f"{name} {version}" for name, version in sorted(image.drivers.items()))


def _revision(root: Path) -> str:
    try:
        return shell.run(["git", "-C", root, "rev-parse", "HEAD"], quiet=True).stdout.strip()
    except shell.CommandError:
        return ""

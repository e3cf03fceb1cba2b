"""The apps' images: one `docker buildx bake` for all that is needed, layers shared and cached."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
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
    stage: str  # of the Dockerfile: the framework's, or guest

    @property
    def target(self) -> str:
        return f"{self.build}-jdk{self.jdk}"

    @property
    def tag(self) -> str:
        """Named by the artefact's content: another driver version is another tag."""
        return f"telar/{self.build}:{self.artifact.name.removeprefix(f'{self.build}-')}-jdk{self.jdk}"


def image_of(catalog: Catalog, cell: Cell, artifact: Path) -> Image:
    built = maven.build_of(catalog, cell)
    return Image(
        build=built.name,
        stage="guest" if catalog.guest else _stage(catalog.root, built.variant.app.file.framework),
        jdk=cell.jdk,
        artifact=artifact,
        drivers=cell.drivers,
    )


def _stage(root: Path, framework: str) -> str:
    """The framework's, where the Dockerfile has one; else the one that takes the run directory as it is."""
    stages = re.findall(r"^FROM .+ AS (\S+)$", (root / "apps" / "Dockerfile").read_text(), re.MULTILINE)
    return framework if framework in stages else "guest"


def build(catalog: Catalog, images: Iterable[Image], say: Callable[[str], None]) -> dict[str, str]:
    """Builds these images, whose artefacts are there; tag -> image id. What did not change is cached."""
    every = {image.tag: image for image in images}
    before = {tag: image_id(tag) for tag in every}
    taken = {tag for tag, id_ in given(catalog.root).items() if id_ and before.get(tag) == id_}
    wanted = {tag: image for tag, image in every.items() if tag not in taken}
    for batch in _rounds(wanted):
        _bake(catalog, batch)
    after = {tag: image_id(tag) for tag in every}
    built = [tag for tag in wanted if after[tag] != before[tag]]
    handed = f", {len(every) - len(wanted)} as they were handed over" if len(every) > len(wanted) else ""
    say(f"images: {len(built)} built, {len(wanted) - len(built)} unchanged{handed}")
    for tag in built:
        say(f"built {tag}")
    return after


def given_file(root: Path) -> Path:
    return root / ".telar" / "images-given.json"


def given(root: Path) -> dict[str, str]:
    """Images that another machine built and that were loaded here: tag -> id. They aren't built again."""
    path = given_file(root)
    return msgspec.json.decode(path.read_bytes(), type=dict[str, str]) if path.exists() else {}


def image_id(tag: str) -> str:
    """The image's id, empty when there is no such image."""
    try:
        return shell.run(
            ["docker", "image", "inspect", "--format", "{{.Id}}", tag], quiet=True
        ).stdout.strip()
    except shell.CommandError:
        return ""


class Pushed(msgspec.Struct, frozen=True, kw_only=True):
    """An image in a registry, which is the one that was built here."""

    tag: str  # here
    id: str  # here: what a record calls the image that it measured
    name: str  # in the registry
    digest: str  # of its manifest there


def push(
    catalog: Catalog, images: Iterable[Image], registry: str, say: Callable[[str], None]
) -> dict[str, Pushed]:
    """Pushes these images, which are built: the same ones, not built again. By tag.

    Raises BuildError where the registry has another image than this machine afterwards.
    """
    pushed = {}
    for tag in sorted({image.tag for image in images}):
        # A registry has no capitals, and an owner's name may: GitHub's has to be written small.
        name = f"{registry.lower()}/{tag.partition('/')[2]}"
        log = catalog.root / ".telar" / "logs" / "push.log"
        shell.run(["docker", "tag", tag, name], quiet=True)
        said = shell.run(["docker", "push", name], log=log, timeout=1800).stdout
        shell.run(["docker", "image", "rm", name], quiet=True)  # the name alone: the image keeps its tag
        found = re.search(r"digest: (sha256:[0-9a-f]{64})", said)
        if not found:
            raise BuildError(f"docker push {name} didn't say a digest", hint=f"all of it: {log}")
        one = Pushed(tag=tag, id=image_id(tag), name=name, digest=found[1])
        _require_same(one)
        pushed[tag] = one
        say(f"pushed {name}@{one.digest}")
    return pushed


def _require_same(pushed: Pushed) -> None:
    """An image's id is the digest of its configuration, or with containerd's image store of its manifest."""
    if pushed.id == pushed.digest:
        return
    inspect = ["docker", "buildx", "imagetools", "inspect", "--raw", f"{pushed.name}@{pushed.digest}"]
    manifest = msgspec.json.decode(shell.run(inspect, quiet=True).stdout)
    if manifest.get("config", {}).get("digest") != pushed.id:
        raise BuildError(f"{pushed.name} in the registry isn't the image {pushed.id} that was built here")


def write_digests(pushed: Iterable[Pushed], file: Path) -> None:
    """What an attestation is about, as sha256sum writes it: of each image its manifest and its id."""
    lines = [
        f"{digest.removeprefix('sha256:')}  {name}\n"
        for one in pushed
        for digest, name in {one.id: one.tag, one.digest: one.name}.items()
    ]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(lines), encoding="utf-8")


def _rounds(wanted: Mapping[str, Image]) -> list[list[Image]]:
    """One build with two driver versions is one target twice: it goes into another round."""
    by_target = sorted(wanted.values(), key=lambda image: (image.target, image.tag))
    groups = (list(own) for _, own in itertools.groupby(by_target, lambda image: image.target))
    return [[image for image in batch if image] for batch in itertools.zip_longest(*groups)]


def command(catalog: Catalog, batch: Sequence[Image]) -> list[str]:
    """The build of these images in apps/, each target once."""
    overrides = [
        argument
        for image in batch
        for argument in (
            "--set", f"{image.target}.contexts.artifacts={image.artifact}",
            "--set", f"{image.target}.tags={image.tag}",
            "--set", f"{image.target}.target={image.stage}",
            "--set", f"{image.target}.labels.dev.telar.drivers={_versions(image)}",
        )
    ]  # fmt: skip
    return ["docker", "buildx", "bake", "--progress=plain", f"--allow=fs.read={catalog.root}",
            *overrides, *(image.target for image in batch)]  # fmt: skip


def variables(catalog: Catalog, batch: Sequence[Image]) -> dict[str, str]:
    """Those of the bake file."""
    return {
        **images_environment(catalog.root),
        "JDKS": ",".join(sorted({image.jdk for image in batch})),
        "REVISION": _revision(catalog.home),
        "BUILDS": ",".join(sorted({image.build for image in batch})),
        "VERSION": "1",
        **maven.framework_versions(catalog.root),
    }


def _bake(catalog: Catalog, batch: list[Image]) -> None:
    log = catalog.root / ".telar" / "logs" / "bake.log"
    log.unlink(missing_ok=True)
    try:
        shell.run(
            command(catalog, batch),
            cwd=catalog.root / "apps",
            env=variables(catalog, batch),
            log=log,
            timeout=1800,
        )
    except shell.CommandError as error:
        raise BuildError(f"the images don't build:\n{error.message}", hint=f"all of it: {log}") from error


def _versions(image: Image) -> str:
    return " ".join(f"{name} {version}" for name, version in sorted(image.drivers.items()))


def _revision(root: Path) -> str:
    try:
        return shell.run(["git", "-C", root, "rev-parse", "HEAD"], quiet=True).stdout.strip()
    except shell.CommandError:
        return ""

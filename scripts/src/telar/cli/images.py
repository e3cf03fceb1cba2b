"""`telar images`: the images of databases, load generator and metrics servers."""

from __future__ import annotations

import click

from telar.build.bake import image_id
from telar.build.environment import choose, images_environment, jre_image, source
from telar.build.images import IMAGES, build_debian_images
from telar.catalog.files import nearest
from telar.catalog.load import load
from telar.cli.common import console, json_option, print_json, root
from telar.errors import ConfigError


@click.command()
@click.option(
    "--from",
    "chosen",
    type=click.Choice(["registry", "debian"]),
    help="registry: the official ones, pulled when needed. debian: built here from Debian packages.",
)
@click.option("--only", metavar="NAMES", help="With --from debian: only these, separated by commas.")
@json_option
def images(chosen: str | None, only: str | None, as_json: bool) -> None:
    """Shows the images that the compose engine uses, or chooses where they come from.

    \b
    Examples:
      telar images
      telar images --from debian              for machines that reach no container registry
      telar images --from debian --only jre,mysql
      telar images --from registry
    """
    if only and chosen != "debian":
        raise ConfigError("--only goes with --from debian")
    if chosen == "debian":
        names = only.split(",") if only else list(IMAGES)
        for name in names:
            if name not in IMAGES:
                raise ConfigError(f"--only: there is no image {name!r}", hint=nearest(name, IMAGES))
        jdks = load(root()).file.jdk
        build_debian_images(lambda line: console.print(f"  {line}", markup=False), names, jdks=jdks)
    if chosen:
        choose(root(), chosen)  # type: ignore[arg-type]
    used = {name: image for name, image in images_environment(root()).items() if name.endswith("_IMAGE")}
    del used["JRE_IMAGE"]  # in its place that of each JDK
    used |= {f"JRE_IMAGE {jdk}": jre_image(root(), jdk) for jdk in load(root()).file.jdk}
    here = {image: image_id(image) for image in used.values() if image}
    if as_json:
        print_json(
            {
                "from": source(root()),
                "images": {n: {"image": i, "id": here.get(i, "")} for n, i in used.items()},
            }
        )
        return
    console.print(f"from: {source(root())}")
    for name, image in used.items():
        console.print(f"{'✓' if here.get(image) else '·'} {name:22} {image}", markup=False)
    console.print("✓ is on this machine · would be pulled", style="dim")
